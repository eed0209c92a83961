"""Confirm each span: people see one mark of a text at a time and say whether it is right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from annotation.parts.span_marks import MarkedSpan, spans_of
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.follow_ups import (
    AskedPiece,
    Columns,
    Confirmation,
    Context,
    GatheredPiece,
    Naming,
    NewItem,
    fitting,
)
from kernel.values import Json

MARKED, LABEL, START, END, IN_CONTEXT = "marked", "label", "start", "end", "in_context"
BEFORE, AFTER = "⟦", "⟧"  # around the mark, in a text that people read
AROUND = 2000  # characters of the text on either side of a mark


@dataclass(frozen=True)
class ConfirmSpans:
    """`text` is the item's text in which people marked, `labels` the words of each label."""

    part: str
    ask: str
    text: str
    labels: Mapping[str, str]
    fewest: int = 1
    label: str = "Confirm each span"
    confirmation: ClassVar[Confirmation | None] = Confirmation("is_right", "yes", pieces="marks", called="right")
    headings: ClassVar[Mapping[str, str]] = {"is_right": "Right"}

    @property
    def name(self) -> str:
        return f"confirm-{self.part}"

    @property
    def about(self) -> str:
        return f"For each piece that somebody marked (“{self.ask}”): is the mark right?"

    def pieces(self, answer: CleanedAnswer) -> Iterable[AskedPiece]:
        marks: Any = answer.answer.get(self.part) or ()
        return [AskedPiece(unit_of(span), "") for span in spans_of(marks)]

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        text = str(columns.get(self.text, ""))
        items = []
        for piece in sorted(pieces, key=lambda own: span_of(own.unit)):
            span = span_of(piece.unit)
            new: Columns = {
                MARKED: text[span.start : span.end],
                LABEL: self.labels.get(span.label, span.label),
                START: span.start,
                END: span.end,
                IN_CONTEXT: in_context(text, span),
            }
            named = {naming.of(name): value for name, value in new.items()}
            items.append(NewItem({**columns, **named}, (piece.unit,), piece.authors))
        return items

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        above: list[Json] = [{"text": name, "label": heading} for name, heading in context if name != self.text]
        return {
            "name": f"Confirm: {self.ask}"[:80],
            "items": "rows",
            "show": [
                *above,
                {"text": naming.of(IN_CONTEXT), "label": f"Text, with the mark between {BEFORE} and {AFTER}"},
                {"text": naming.of(MARKED), "label": "Marked words"},
                {"text": naming.of(LABEL), "label": "Marked as"},
            ],
            "parts": [
                {
                    "name": "is_right",
                    "kind": "choice",
                    "ask": "Is this mark right?",
                    "help": "It is right if its words and what they are marked as are both right.",
                    "options": [{"id": "yes", "label": "Yes", "key": "y"}, {"id": "no", "label": "No", "key": "n"}],
                }
            ],
            "skip": "I cannot tell",
            "instructions": {
                "summary": f"Other people were asked: “{self.ask}” You see one of their marks: is it right?",
                "details": f"- The mark stands between {BEFORE} and {AFTER} in the text.\n- A mark is right if it has "
                "all the words that belong to it and no others, and if what it is marked as fits.\n"
                "- Judge this mark alone, whatever else is in the text.",
                "examples": f"+ “{BEFORE}Mira Holt{AFTER} opened the harbour.”, marked as a person – yes\n"
                f"x “{BEFORE}Mira{AFTER} Holt opened the harbour.”, marked as a person – no, a word is missing",
            },
        }

    def without(self, answer: CleanedAnswer, units: Collection[str], why: str) -> CleanedAnswer:
        marks: Any = answer.answer.get(self.part)
        if not marks:
            return answer
        kept: list[Json] = [span.to_json() for span in spans_of(marks) if unit_of(span) not in units]
        return replace(answer, answer={**answer.answer, self.part: kept})

    def invent(self, item: Any, unit: str, person: InventedPerson, rng: Random) -> dict[str, Json] | None:
        return None


def unit_of(span: MarkedSpan) -> str:
    """Return a mark as people write it where there is no script."""
    return f"{span.start}-{span.end} # {span.label}"


def span_of(unit: str) -> MarkedSpan:
    place, _, label = unit.partition(" # ")
    start, _, end = place.partition("-")
    return MarkedSpan(int(start), int(end), label)


def in_context(text: str, span: MarkedSpan) -> str:
    """Return the mark with the text around it."""
    first, last = max(0, span.start - AROUND), min(len(text), span.end + AROUND)
    left = f"{'…' if first else ''}{text[first : span.start]}"
    right = f"{text[span.end : last]}{'…' if last < len(text) else ''}"
    return fitting(f"{left}{BEFORE}{text[span.start : span.end]}{AFTER}{right}")
