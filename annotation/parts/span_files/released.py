"""The marked texts of a release, as every file of marks writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from annotation.parts.span_attributes import SpanAttribute
from annotation.parts.span_marks import MarkedSpan, spans_of
from annotation.parts.span_tokens import Token, tokens_of
from annotation.releasing.exports.base import ExportSource
from annotation.releasing.facts import ReleaseRow

ItemTexts: TypeAlias = Callable[[ReleaseRow], Mapping[str, str]]  # the texts of a row's item, by name
CONSENSUS, REVIEWERS = "consensus", "reviewers"


@dataclass(frozen=True)
class ReleasedText:
    """A text with its marks; None where the release says nothing about it, because nobody answered."""

    id: str  # the item's key, with the part where the task has several parts of spans
    group: str
    part: str
    column: str  # the name of the text
    text: str
    unit: str
    spans: Sequence[MarkedSpan] | None
    origin: str
    row: ReleaseRow
    attributes: Sequence[SpanAttribute] = ()  # what is asked about each mark

    @property
    def tokens(self) -> Sequence[Token]:
        """The pieces at which marks can begin and end, so that none begins or ends inside a token."""
        return tokens_of(self.text, self.unit)


@dataclass(frozen=True)
class SpanFormat:
    """What the formats have in common. `uses` are the task's parts of spans."""

    uses: Sequence[Any]
    texts: ItemTexts

    def released(self, source: ExportSource) -> Iterator[ReleasedText]:
        """Yield each text of the release, part by part."""
        for row in source.rows_with_progress():
            texts = self.texts(row)
            for use in self.uses:
                name = row["key"] if len(self.uses) == 1 else f"{row['key']}.{use.name}"
                spans, origin = _spans(row, use.name)
                text = texts.get(use.text, "")
                yield ReleasedText(
                    name, row["group"], use.name, use.text, text, use.unit, spans, origin, row, use.attributes
                )

    def answered(self, source: ExportSource) -> Iterator[tuple[ReleasedText, Sequence[MarkedSpan]]]:
        """Yield each text about which the release says something, with its marks."""
        return ((own, own.spans) for own in self.released(source) if own.spans is not None)

    @property
    def labels(self) -> list[str]:
        """The ids of the labels of all parts."""
        return [*dict.fromkeys(own.id for use in self.uses for own in use.labels)]

    @property
    def choices(self) -> dict[str, list[str]]:
        """The ids of the options from which people choose about marks, of all parts."""
        asked: dict[str, dict[str, None]] = {}
        for use in self.uses:
            for own in use.attributes:
                if own.options:
                    asked.setdefault(own.name, {}).update(dict.fromkeys(option.id for option in own.options))
        return {name: [*ids] for name, ids in asked.items()}


def _spans(row: ReleaseRow, part: str) -> tuple[Sequence[MarkedSpan] | None, str]:
    """Return the marks of a part: the reviewers' own answer to the task, or what people marked together."""
    if row.get("final") is not None:
        marked = row["final"].get(part)
        return (None if marked is None else spans_of(marked)), REVIEWERS
    agreed = row["consensus"].get(part)
    return (None if agreed is None else spans_of(agreed["spans"])), CONSENSUS
