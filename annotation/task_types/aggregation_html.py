"""What an annotator reads: title, passage with lettered mentions, one background for each entity.

Made once for each task, when its campaign is made; plain string work, because a campaign has tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from corpus.display import Card, show
from corpus.frozen import FrozenInstance
from corpus.highlights import Piece


def question_html(instance: FrozenInstance) -> str:
    """Return the passage and the backgrounds as HTML; every text in it is escaped."""
    shown = show(instance)
    title = f'<h1 class="passage__title">{escape(shown.title)}</h1>' if shown.title else ""
    paragraphs = "".join(f"<p>{pieces_html(pieces)}</p>" for pieces in shown.paragraphs)
    cards = "".join(_card(card) for card in shown.cards)
    return (
        f'<article class="passage" aria-label="The passage">{title}{paragraphs}</article>'
        f'<section class="cards" aria-label="About them">{cards}</section>'
    )


def pieces_html(pieces: Iterable[Piece]) -> str:
    return "".join(_piece(piece) for piece in pieces)


def _piece(piece: Piece) -> str:
    inside = pieces_html(piece.parts) if piece.parts else escape(piece.text)
    if not piece.letter:
        return inside
    name = escape(piece.name)
    return (
        f'<span class="entity entity--{piece.letter.lower()}" tabindex="0" data-name="{name}">'
        f'<span class="entity__letter" aria-hidden="true">{piece.letter}</span>'
        f'<span class="visually-hidden">({piece.letter}: {name}) </span>{inside}</span>'
    )


def _card(card: Card) -> str:
    heading = (
        f'<h2 class="card__name"><span class="entity entity--{card.letter.lower()}">'
        f'<span class="entity__letter">{card.letter}</span>{escape(card.name)}</span></h2>'
    )
    text = f'<p class="card__text">{escape(card.text)}</p>' if card.text else ""
    none = "" if card.text else '<p class="card__none">No background was found.</p>'
    return f'<div class="card">{heading}{text}{none}{_source(card)}</div>'


def _source(card: Card) -> str:
    link = ""
    if card.url.startswith(("https://", "http://")):
        label = "Wikipedia" if "wikipedia.org/" in card.url else "Source"
        link = (
            f'<a href="{escape(card.url)}" target="_blank" rel="noopener noreferrer">{label}'
            f'<span class="visually-hidden"> on {escape(card.name)}, in a new tab</span></a>'
        )
    told = " · ".join(part for part in (link, escape(card.licence)) if part)
    return f'<p class="card__source">{told}</p>' if told else ""
