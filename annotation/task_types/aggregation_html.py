"""What an annotator reads: title, passage with lettered mentions, one background for each entity.

Made once for each task, when its campaign is made; plain string work, because a campaign has tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from corpus.backgrounds.cleaning import display_text
from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention
from corpus.highlights import letter_of


def question_html(instance: FrozenInstance) -> str:
    """Return the passage and the backgrounds as HTML; every text in it is escaped."""
    return "".join((_passage(instance), _cards(instance)))


def _passage(instance: FrozenInstance) -> str:
    title = f'<h1 class="passage__title">{escape(instance.title)}</h1>' if instance.title else ""
    text = "".join(mentions_html(instance.context, instance.mentions, instance.entities))
    paragraphs = "</p><p>".join(text.split("\n\n"))
    return f'<article class="passage" aria-label="The passage">{title}<p>{paragraphs}</p></article>'


def mentions_html(text: str, mentions: Sequence[FrozenMention], names: Sequence[str]) -> Iterator[str]:
    """Yield the text with its mentions marked; one inside another is nested, one that crosses another is cut there."""
    place, open_ends = 0, list[int]()
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        while open_ends and open_ends[-1] <= mention.start:
            yield escape(text[place : open_ends[-1]]) + "</span>"
            place = open_ends.pop()
        if mention.end > len(text):
            continue
        yield escape(text[place : mention.start]) + _opening(mention.entity, names[mention.entity])
        place = mention.start
        open_ends.append(min(mention.end, open_ends[-1]) if open_ends else mention.end)
    while open_ends:
        yield escape(text[place : open_ends[-1]]) + "</span>"
        place = open_ends.pop()
    yield escape(text[place:])


def _opening(entity: int, name: str) -> str:
    letter = letter_of(entity)
    return (
        f'<span class="entity entity--{letter.lower()}" tabindex="0" data-name="{escape(name)}">'
        f'<span class="entity__letter" aria-hidden="true">{letter}</span>'
        f'<span class="visually-hidden">({letter}: {escape(name)}) </span>'
    )


def _cards(instance: FrozenInstance) -> str:
    pairs = zip(instance.entities, instance.backgrounds, strict=True)
    cards = "".join(_card(number, name, background) for number, (name, background) in enumerate(pairs))
    return f'<section class="cards" aria-label="About them">{cards}</section>'


def _card(number: int, name: str, background: FrozenBackground | None) -> str:
    letter = letter_of(number)
    heading = (
        f'<h2 class="card__name"><span class="entity entity--{letter.lower()}">'
        f'<span class="entity__letter">{letter}</span>{escape(name)}</span></h2>'
    )
    if background is None:
        return f'<div class="card">{heading}<p class="card__none">No background was found.</p></div>'
    link = ""
    if background.url.startswith(("https://", "http://")):
        label = "Wikipedia" if "wikipedia.org/" in background.url else "Source"
        link = (
            f' <a class="card__link" href="{escape(background.url)}" target="_blank" rel="noopener noreferrer">{label}'
            f'<span class="visually-hidden"> on {escape(name)}, in a new tab</span></a>'
        )
    return f'<div class="card">{heading}<p>{escape(display_text(background.text))}{link}</p></div>'
