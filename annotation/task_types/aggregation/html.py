"""What an annotator reads: title, passage with lettered mentions, one background for each entity.

Made once for each task, when its campaign is made; plain string work, because a campaign has tens of thousands.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from corpus.backgrounds.paragraphs import display_text
from corpus.display import passage
from corpus.frozen import FrozenBackground, FrozenInstance
from corpus.highlights import letter_of, pieces_html


def question_html(instance: FrozenInstance) -> str:
    """Return the passage and the backgrounds as HTML; every text in it is escaped."""
    title = f'<h1 class="passage__title">{escape(instance.title)}</h1>' if instance.title else ""
    paragraphs = passage(instance.context, instance.mentions, instance.entities)
    text = "".join(f"<p>{pieces_html(pieces)}</p>" for pieces in paragraphs)
    pairs = zip(instance.entities, instance.backgrounds, strict=True)
    cards = "".join(_card(letter_of(number), name, background) for number, (name, background) in enumerate(pairs))
    return (
        f'<article class="passage" aria-label="The passage">{title}{text}</article>'
        f'<section class="cards" aria-label="About them">{cards}</section>'
    )


def _card(letter: str, name: str, background: FrozenBackground | None) -> str:
    return (
        f'<div class="card"><h2 class="card__name"><span class="entity entity--{letter.lower()}">'
        f'<span class="entity__letter">{letter}</span>{escape(name)}</span></h2>{_card_text(name, background)}</div>'
    )


@lru_cache(maxsize=4096)
def _card_text(name: str, background: FrozenBackground | None) -> str:
    """Return what a card says under its heading. Remembered: the same entities come back all through a sample."""
    text = display_text(background.text) if background else ""
    none = '<p class="card__none">No background.</p>'
    shown = f'<p class="card__text">{escape(text)}</p>' if text else none
    return shown + _source(name, background) if background else shown


def _source(name: str, background: FrozenBackground) -> str:
    link = ""
    if background.url.startswith(("https://", "http://")):
        label = "Wikipedia" if "wikipedia.org/" in background.url else "Source"
        link = (
            f'<a href="{escape(background.url)}" target="_blank" rel="noopener noreferrer">{label}'
            f'<span class="visually-hidden"> on {escape(name)}, in a new tab</span></a>'
        )
    source = " · ".join(part for part in (link, escape(background.licence)) if part)
    return f'<p class="card__source">{source}</p>' if source else ""
