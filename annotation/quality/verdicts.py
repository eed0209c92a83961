"""The outcome of all reviews of one annotation.

A review is never changed; an undo is another row. Each reviewer counts once, with their last decision that is not
undone. Remarks and flags decide nothing. Once enough reviewers have decided, either they agree or the annotation is
contested. Then one more decides: the majority wins, and in a tie the last decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kernel.values import canonical_json

DECISIONS = frozenset({"accept", "correct", "exclude"})
FLAG, CONTESTED, OPEN = "flag", "contested", ""


@dataclass(frozen=True)
class ReviewEntry:
    """One row of the history. `answer` is the reviewer's own answer, for a correction."""

    number: int
    reviewer: str
    verdict: str
    answer: Mapping[str, Any] | None = None
    undoes: int | None = None


@dataclass(frozen=True)
class Resolution:
    """The verdict: a decision, "flag", "contested", or "" while it waits; an answer only for a correction."""

    verdict: str
    corrected: Mapping[str, Any] | None = None
    decided: int = 0  # reviewers whose decision stands

    @property
    def is_settled(self) -> bool:
        return self.verdict in DECISIONS


def standing(history: Iterable[ReviewEntry]) -> tuple[ReviewEntry, ...]:
    """Return each reviewer's last decision or flag that is not undone, in order."""
    rows = sorted(history, key=lambda entry: entry.number)
    undone = {entry.undoes for entry in rows if entry.undoes is not None}
    last: dict[str, ReviewEntry] = {}
    for entry in rows:
        if entry.number not in undone and (entry.verdict in DECISIONS or entry.verdict == FLAG):
            last[entry.reviewer] = entry
    return tuple(sorted(last.values(), key=lambda entry: entry.number))


def resolve(history: Iterable[ReviewEntry], *, needed: int) -> Resolution:
    """Return the outcome when `needed` reviewers must decide (0 counts as 1: any reviewer decides)."""
    voices = standing(history)
    decisions = [entry for entry in voices if entry.verdict in DECISIONS]
    needed = max(1, needed)
    if len(decisions) < needed:
        is_flagged = any(entry.verdict == FLAG for entry in voices)
        return Resolution(FLAG if is_flagged else OPEN, decided=len(decisions))
    outcomes = [_outcome(entry) for entry in decisions]
    votes = Counter(outcomes)
    if len(decisions) == needed and len(votes) > 1:
        return Resolution(CONTESTED, decided=len(decisions))
    winner = next(
        entry
        for entry, outcome in zip(reversed(decisions), reversed(outcomes), strict=True)
        if votes[outcome] == max(votes.values())
    )
    return Resolution(winner.verdict, winner.answer if winner.verdict == "correct" else None, len(decisions))


def _outcome(entry: ReviewEntry) -> tuple[str, str]:
    """Return what makes two decisions the same: the verdict and, for a correction, the answer."""
    return entry.verdict, canonical_json(dict(entry.answer or {})) if entry.verdict == "correct" else ""
