"""How much a task's answers need a person's look: disagreement, objections of rules and filters, reported problems.

Each reason is the chance, between 0 and 1, that something is wrong. The score is the chance that at least one reason
is right, so a further reason never lowers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from annotation.quality.thresholds import is_same
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.comparing import AnswerWords, Comparable
from kernel.values import counted

DISAGREEMENT = 0.6  # when nobody agrees with anybody
OFFENCE, NOTE = 0.4, 0.15  # when rules discard something in every answer, or only note something
STRONG, WEAK = 0.4, 0.1  # when there is a strong, or only a weak, concern about every worker
REPORT = 0.5
ALONE = 0.3  # nobody to compare with


@dataclass(frozen=True)
class WeighedAnswer:
    """One person's cleaned answer, and how many concerns worker filters have about the person."""

    cleaned: CleanedAnswer
    strong: int = 0
    weak: int = 0

    @property
    def is_noted(self) -> bool:
        return any(not mark.discards and not mark.missing for mark in self.cleaned.all_marks)


@dataclass(frozen=True)
class Doubt:
    """How doubtful a task is."""

    score: float  # from 0, nothing to see, to 1
    reasons: tuple[str, ...]  # the weightiest first
    is_unanimous: bool  # all agree, and nothing but weak evidence about a worker speaks against them


def doubt_of(answers: Sequence[WeighedAnswer], type_: Comparable, *, reports: int = 0) -> Doubt:
    """Return how doubtful a task with these counted answers is; their order does not matter."""
    if not answers:
        return Doubt(0.0, ("No answer counts.",), is_unanimous=False)
    pairs = [type_.closeness(a.cleaned, b.cleaned) for a, b in combinations(answers, 2)]
    apart = 1 - (sum(pairs) / len(pairs) if pairs else 1.0)
    reasons = [reason for reason in _reasons(answers, reports, apart, type_.answer_words) if reason[0] > 0]
    reasons.sort(key=lambda reason: -reason[0])
    left = 1.0
    for weight, _ in reasons:
        left *= 1 - weight
    is_clean = not reports and not any(a.cleaned.is_offending or a.is_noted or a.strong for a in answers)
    is_unanimous = is_clean and bool(pairs) and all(is_same(close, type_.thresholds.same) for close in pairs)
    return Doubt(round(1 - left, 6), tuple(dict.fromkeys(sentence for _, sentence in reasons)), is_unanimous)


def needs_another(answers: Sequence[CleanedAnswer], type_: Comparable) -> bool:
    """Tell whether one more person should be asked: some say that nothing fits and some do not, or no two agree.

    An answer that rules rejected agrees with nobody.
    """
    nothing = [answer.says_nothing_fits for answer in answers]
    if any(nothing):
        return not all(nothing)
    pairs = combinations([answer for answer in answers if answer.is_answered], 2)
    return not any(is_same(type_.closeness(a, b), type_.thresholds.same) for a, b in pairs)


def _reasons(
    answers: Sequence[WeighedAnswer], reports: int, apart: float, words: AnswerWords
) -> list[tuple[float, str]]:
    n = len(answers)
    offending, noted = sum(a.cleaned.is_offending for a in answers), sum(a.is_noted for a in answers)
    strong = sum(bool(a.strong) for a in answers)
    weak = sum(bool(a.weak and not a.strong) for a in answers)
    reported = counted(reports, "problem with the text was", "problems with the text were")
    return [
        (REPORT if reports else 0.0, f"{reported} reported."),
        (ALONE if n == 1 else DISAGREEMENT * apart, _disagreement(answers, words)),
        (OFFENCE * offending / n, _objection(offending, n)),
        (NOTE * noted / n, f"Cleaning rules have a remark on {noted} of {counted(n, 'answer')}."),
        (STRONG * strong / n, f"Quality checks have a strong warning about {counted(strong, 'participant')}."),
        (WEAK * weak / n, f"Quality checks have a weak warning about {counted(weak, 'participant')}."),
    ]


def _objection(number: int, n: int) -> str:
    return f"Cleaning rules object to {number} of {counted(n, 'answer')}."


def _disagreement(answers: Sequence[WeighedAnswer], words: AnswerWords) -> str:
    n = len(answers)
    if n == 1:
        return "Only one person answered."
    empty = [answer for answer in answers if not answer.cleaned.is_answered]
    if not 0 < len(empty) < n:
        return f"People gave {words.different_units}."
    rejected = sum(answer.cleaned.is_offending for answer in empty)
    none = [f"{len(empty) - rejected} of {n} gave {words.no_unit}."] if len(empty) > rejected else []
    return " ".join([*none, *([_objection(rejected, n)] if rejected else [])])
