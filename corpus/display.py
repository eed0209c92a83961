"""A frozen instance as people see it: the passage split at its mentions, a card for each entity, the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from corpus.backgrounds.paragraphs import display_text
from corpus.contexts import PARAGRAPH_BREAK
from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention
from corpus.highlights import Piece, Span, letter_of, pieces
from corpus.phrases import prompt


@dataclass(frozen=True)
class Card:
    """The background of one entity; `text` is "" if there is none."""

    letter: str
    name: str
    title: str = ""
    text: str = ""
    url: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Shown:
    """What pages show of an item: a passage with its mentions and backgrounds, or HTML that its kind wrote."""

    title: str = ""
    paragraphs: tuple[tuple[Piece, ...], ...] = ()
    cards: tuple[Card, ...] = ()
    prompt: str = ""
    html: str = ""
    unseen: Mapping[str, object] = field(default_factory=dict)  # what the item holds and annotators do not read


def show(instance: FrozenInstance) -> Shown:
    """Return what a page shows; backgrounds are cleaned and cut at the end of a sentence."""
    cards = zip(instance.entities, instance.backgrounds, strict=True)
    return Shown(
        title=instance.title,
        paragraphs=passage(instance.context, instance.mentions, instance.entities),
        cards=tuple(_card(number, name, background) for number, (name, background) in enumerate(cards)),
        prompt=prompt(instance.entity_type, instance.entities),
    )


def passage(context: str, mentions: Sequence[FrozenMention], names: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """Return the paragraphs of the passage, each split at its mentions."""
    return tuple(_paragraphs(context, [Span(m.start, m.end, m.entity, names[m.entity]) for m in mentions]))


def _paragraphs(context: str, spans: Sequence[Span]) -> Iterator[tuple[Piece, ...]]:
    start = 0
    for paragraph in context.split(PARAGRAPH_BREAK):
        end = start + len(paragraph)
        own = [  # a span across a paragraph break is shown in both
            span._replace(start=max(span.start, start) - start, end=min(span.end, end) - start)
            for span in spans
            if span.start < end and span.end > start
        ]
        yield tuple(pieces(paragraph, own))
        start = end + len(PARAGRAPH_BREAK)


def _card(number: int, name: str, background: FrozenBackground | None) -> Card:
    letter = letter_of(number)
    if background is None:
        return Card(letter, name)
    text = display_text(background.text)
    return Card(letter, name, background.title, text, background.url, background.licence)
