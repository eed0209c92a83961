"""What invented people say about their marks."""

from __future__ import annotations

from random import Random

from annotation.parts.base import Prompt, says_the_usual
from annotation.parts.span_attributes import Attributes, Value
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.span_pages import invented_pages
from annotation.simulation.invented_people import InventedPerson


def invented_attributes(asked: Prompt, span: MarkedSpan, person: InventedPerson, rng: Random) -> Attributes:
    """Return what an invented person says about a mark: mostly the first option, and a text only where it is needed."""
    values: list[tuple[str, Value]] = []
    words = span.words(str(asked.texts.get(asked.options.text, "")))
    for own in asked.options.attributes:
        if own.is_asked(span.label) and own.has_pages:
            pages = invented_pages(words, own, says_the_usual(person, rng), rng)
            values += [(own.name, pages)] if pages else []
        elif own.is_asked(span.label) and own.options:
            chosen = own.options[0] if says_the_usual(person, rng) else rng.choice(own.options)
            values.append((own.name, chosen.id))
        elif own.is_asked(span.label) and own.required:
            values.append((own.name, span.label[: own.longest]))
    return tuple(values)
