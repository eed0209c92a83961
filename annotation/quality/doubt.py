"""How much a person should look at a task's answers: disagreement, what rules and filters saw, what was reported.

Each reason is a chance between 0 and 1 that something is wrong; together they are the chance that at least one is
right, so a further reason never lowers the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from annotation.quality.free_text import token_f1
from annotation.task_types.aggregation.cleaning.variants import variant_key

DISAGREEMENT = 0.6  # when nobody agrees with anybody
OFFENCE, NOTE = 0.4, 0.15  # when every answer was discarded by a rule, or noted
STRONG, WEAK = 0.4, 0.1  # when every worker has a strong, or only a weak, concern
REPORT = 0.5
ALONE = 0.3  # nobody to compare with


@dataclass(frozen=True)
class Answer:
    """One person's cleaned answer (no phrase: "not aggregatable"), what rules said of it and filters of the person."""

    phrases: tuple[str, ...] = ()
    offences: int = 0  # phrases a rule discarded
    notes: int = 0  # things a rule only points out
    strong: int = 0  # worker filters that speak strongly
    weak: int = 0


@dataclass(frozen=True)
class Doubt:
    """0 (nothing to see) to 1; the reasons, the weightiest first; whether all agree and nothing but weak evidence
    about a worker speaks against them."""

    score: float
    reasons: tuple[str, ...]
    is_unanimous: bool


def doubt_of(answers: Sequence[Answer], *, reports: int = 0) -> Doubt:
    """Return how doubtful a task is whose counted answers these are, in any order."""
    if not answers:
        return Doubt(0.0, ("No answer counts.",), is_unanimous=False)
    found = [reason for reason in _reasons(answers, reports) if reason[0] > 0]
    found.sort(key=lambda reason: -reason[0])
    left = 1.0
    for weight, _ in found:
        left *= 1 - weight
    is_clean = not reports and not any(one.offences or one.notes or one.strong for one in answers)
    is_unanimous = len(answers) > 1 and is_clean and _all_agree(answers)
    return Doubt(round(1 - left, 6), tuple(text for _, text in found), is_unanimous)


def _reasons(answers: Sequence[Answer], reports: int) -> list[tuple[float, str]]:
    n = len(answers)
    apart = 1 - _closeness(answers)
    offending, noted = (sum(bool(count) for count in counts) for counts in _columns(answers)[:2])
    strong, weak = (sum(bool(count) for count in counts) for counts in _columns(answers)[2:])
    return [
        (REPORT if reports else 0.0, f"{_many(reports, 'problem')} with the text {_was(reports)} reported."),
        (ALONE if n == 1 else DISAGREEMENT * apart, _told_apart(answers)),
        (OFFENCE * offending / n, f"A rule discards something in {offending} of {_many(n, 'answer')}."),
        (NOTE * noted / n, f"A rule points at something in {noted} of {_many(n, 'answer')}."),
        (STRONG * strong / n, f"There is strong evidence against {_many(strong, 'worker')}."),
        (WEAK * weak / n, f"There is weak evidence against {_many(weak, 'worker')}."),
    ]


def _columns(answers: Sequence[Answer]) -> tuple[list[int], list[int], list[int], list[int]]:
    return (
        [answer.offences for answer in answers],
        [answer.notes for answer in answers],
        [answer.strong for answer in answers],
        [0 if answer.strong else answer.weak for answer in answers],
    )


def _closeness(answers: Sequence[Answer]) -> float:
    """Return the mean over pairs of people of how close their closest phrases are; 1 when only one person answered."""
    pairs = [_close(a, b) for a, b in combinations(answers, 2)]
    return sum(pairs) / len(pairs) if pairs else 1.0


def _close(left: Answer, right: Answer) -> float:
    if not left.phrases or not right.phrases:
        return float(not left.phrases and not right.phrases)
    if _keys(left) & _keys(right):
        return 1.0
    return max(token_f1(a, b) for a, b in product(left.phrases, right.phrases))


def _keys(answer: Answer) -> frozenset[str]:
    return frozenset(map(variant_key, answer.phrases))


def _all_agree(answers: Sequence[Answer]) -> bool:
    """Tell whether every two people share a phrase, or all found none."""
    return all(_close(a, b) == 1 for a, b in combinations(answers, 2))


def _told_apart(answers: Sequence[Answer]) -> str:
    if len(answers) == 1:
        return "Only one person answered."
    none = [answer for answer in answers if not answer.phrases]
    if 0 < len(none) < len(answers):
        ruled = sum(answer.offences > 0 for answer in none)
        found_none = [f"{len(none) - ruled} of {len(answers)} found no phrase."] if len(none) > ruled else []
        return " ".join([*found_none, *([f"A rule discards what {ruled} of {len(answers)} wrote."] if ruled else [])])
    return "People gave different phrases."


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
