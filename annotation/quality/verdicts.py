"""What the reviews of one annotation come to.

A review is never changed; an undo is a further row. Each reviewer counts once, with the last thing they said that is
not undone; a remark says nothing and a flag decides nothing. When as many as needed have decided, they are of one
mind or the annotation is contested; then one more decides: most voices win, and of equals the last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DECISIONS = frozenset({"accept", "correct", "exclude", "not_aggregatable"})
FLAG, CONTESTED, OPEN = "flag", "contested", ""


@dataclass(frozen=True)
class Said:
    """One row of the history: `reviewer` names a person, `phrases` are those of a correction."""

    number: int
    reviewer: str
    verdict: str
    phrases: tuple[str, ...] = ()
    undoes: int | None = None


@dataclass(frozen=True)
class Resolution:
    """The verdict: a decision, "flag", "contested", or "" while it waits; phrases only for a correction."""

    verdict: str
    phrases: tuple[str, ...] | None = None
    decided: int = 0  # reviewers whose decision stands

    @property
    def is_settled(self) -> bool:
        return self.verdict in DECISIONS


def standing(history: Iterable[Said]) -> tuple[Said, ...]:
    """Return what each reviewer last said and has not undone, in order; remarks are left out."""
    rows = sorted(history, key=lambda said: said.number)
    undone = {said.undoes for said in rows if said.undoes is not None}
    last: dict[str, Said] = {}
    for said in rows:
        if said.number not in undone and (said.verdict in DECISIONS or said.verdict == FLAG):
            last[said.reviewer] = said
    return tuple(sorted(last.values(), key=lambda said: said.number))


def resolve(history: Iterable[Said], *, needed: int) -> Resolution:
    """Return what the history comes to when `needed` reviewers must decide (0 counts as 1: who looks, decides)."""
    voices = standing(history)
    decisions = [said for said in voices if said.verdict in DECISIONS]
    needed = max(1, needed)
    if len(decisions) < needed:
        is_flagged = any(said.verdict == FLAG for said in voices)
        return Resolution(FLAG if is_flagged else OPEN, decided=len(decisions))
    outcomes = [_outcome(said) for said in decisions]
    if len(decisions) == needed and len(set(outcomes)) > 1:
        return Resolution(CONTESTED, decided=len(decisions))
    verdict, phrases = _winner(outcomes)
    return Resolution(verdict, phrases, len(decisions))


def _outcome(said: Said) -> tuple[str, tuple[str, ...] | None]:
    return said.verdict, said.phrases if said.verdict == "correct" else None


def _winner(outcomes: Sequence[tuple[str, tuple[str, ...] | None]]) -> tuple[str, tuple[str, ...] | None]:
    votes = Counter(outcomes)
    most = max(votes.values())
    return next(outcome for outcome in reversed(outcomes) if votes[outcome] == most)
