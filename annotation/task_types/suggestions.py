"""What became of answers that items suggest, counted over a campaign or a release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from annotation.task_types.cleaned import AnswerOutcome
from kernel.values import Json

Changes: TypeAlias = Mapping[str, Mapping[str, int]]  # by part: how much was suggested, kept, changed, deleted, added
FIGURES = ("suggested", "kept", "changed", "deleted", "added")
ANSWERS = "answers"


class SuggestionCounts:
    """Adds up changes over answers."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, changes: Changes) -> None:
        for part, counts in changes.items():
            self.counts[part].update({**counts, ANSWERS: 1})

    def to_json(self) -> list[Any]:
        """Return the sums of each part; [] if nothing was suggested."""
        return [{"part": part, **own} for part, own in self.counts.items()]


class SuggestionFigures:
    """Counts over the rows of a release how its annotators changed what their items suggest."""

    def __init__(self, changes: Callable[[Mapping[str, Any], Mapping[str, Any]], Changes]) -> None:
        self.changes, self.counts = changes, SuggestionCounts()

    def add_row(self, row: Mapping[str, Any]) -> None:
        for annotation in row["annotations"]:
            if annotation["outcome"] == AnswerOutcome.ANSWERED:
                self.counts.add(self.changes(row, annotation["answer"]))

    def to_json(self) -> dict[str, Json]:
        counts = self.counts.to_json()
        return {"suggestions": counts} if counts else {}


def suggestion_lines(statistics: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield lines of a table of figures: a label, and the figure of each release."""
    by_part = [{own["part"]: own for own in stored.get("suggestions", ())} for stored in statistics]
    for part in dict.fromkeys(part for parts in by_part for part in parts):
        for name in FIGURES:
            figures = tuple(f"{parts[part][name]:,}" if part in parts else "–" for parts in by_part)
            yield f"Marks of “{part}”: {name}", figures
