"""Filters for answers that are given without looking: the same in every row, or the same each time."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.quality.chance import at_least_by_chance
from annotation.quality.habits import HabitCounts, HabitKind, Subject, count_habits
from annotation.quality.worker_filters import (
    Evidence,
    Strength,
    Thresholds,
    Usual,
    WorkerFilter,
    WorkerRecord,
    strength_of,
)

MOST_IN_A_QUOTE = 60  # characters


@dataclass(frozen=True)
class Repeated:
    """What somebody gives most often in one part, compared with the others."""

    subject: Subject
    what: str
    times: int
    answers: int
    others: float | None  # share of the others' answers; None: there are none
    p: float


def straight_line(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare how often somebody says the same in every row with the others."""
    return _strongest(record, usual, at, (HabitKind.STRAIGHT,))


def always_the_same_option(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Look for an answer, or a place on the page, that somebody chooses nearly always and the others do not."""
    return _strongest(record, usual, at, (HabitKind.ANSWER, HabitKind.POSITION))


def marks_nothing(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare how often somebody marks nothing with the others, in texts in which most others marked something."""
    return _strongest(record, usual, at, (HabitKind.UNMARKED,))


def marks_everything(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare how often somebody marks nearly the whole text with the others."""
    return _strongest(record, usual, at, (HabitKind.WHOLE,))


def _strongest(record: WorkerRecord, usual: Usual, at: Thresholds, kinds: tuple[HabitKind, ...]) -> Evidence | None:
    own = count_habits(piece.patterns for piece in record.work)
    subjects = [subject for subject in own.answers if subject[1] in kinds]
    tests = sum(len(usual.habits.seen[subject]) for subject in subjects)
    striking = [
        repeated
        for subject in subjects
        if (repeated := _most_frequent(subject, own, usual.habits, tests))
        and repeated.answers >= at["least"]
        and repeated.times / repeated.answers >= at["share"]
    ]
    return _evidence(min(striking, key=lambda repeated: repeated.p)) if striking else None


def _most_frequent(subject: Subject, own: HabitCounts, everybody: HabitCounts, tests: int) -> Repeated | None:
    """Return what somebody gives most often; p is multiplied by the number of things that could have been it."""
    if not own.seen[subject]:
        return None
    what, times = own.seen[subject].most_common(1)[0]
    answers, all_answers = own.answers[subject], everybody.answers[subject]
    all_times, others = everybody.seen[subject][what], all_answers - answers
    p = min(1.0, tests * at_least_by_chance(times, answers, all_times, all_answers))
    return Repeated(subject, what, times, answers, (all_times - times) / others if others else None, p)


def _evidence(repeated: Repeated) -> Evidence | None:
    evidence = f"{_in_words(repeated)} in {repeated.times} of {repeated.answers} answers"
    share = repeated.times / repeated.answers
    numbers: dict[str, float] = {"times": repeated.times, "answers": repeated.answers, "share": share}
    if repeated.others is None:
        return Strength.WEAK, f"{evidence}; nobody else has answered.", numbers
    strength = strength_of(repeated.p)
    numbers |= {"usual": repeated.others, "p": repeated.p}
    return (strength, f"{evidence}; the others in {repeated.others:.0%} of theirs.", numbers) if strength else None


def _in_words(repeated: Repeated) -> str:
    part, kind = repeated.subject
    if kind == HabitKind.STRAIGHT:
        return f"Gave the same answer in every row of “{part}”"
    if kind == HabitKind.UNMARKED:
        return f"Marked nothing for “{part}”, where most others did,"
    if kind == HabitKind.WHOLE:
        return f"Marked nearly the whole text for “{part}”"
    if kind == HabitKind.POSITION:
        return f"Chose what stood at position {repeated.what} for “{part}”"
    words = " ".join(repeated.what.split())
    return f"Gave “{words if len(words) <= MOST_IN_A_QUOTE else f'{words[: MOST_IN_A_QUOTE - 1]}…'}” for “{part}”"


STRAIGHT_LINE = WorkerFilter(
    "straight_line", "nearly always gives the same answer in every row", straight_line, {"share": 0.8, "least": 5},
    "{share:.0%} of {least:g} answers or more",
)  # fmt: skip
ALWAYS_THE_SAME_OPTION = WorkerFilter(
    "always_the_same_option", "nearly always gives the same answer, or chooses the same place on the page",
    always_the_same_option, {"share": 0.8, "least": 5}, "{share:.0%} of {least:g} answers or more",
)  # fmt: skip
MARKS_NOTHING = WorkerFilter(
    "marks_nothing", "marks nothing where most others do", marks_nothing, {"share": 0.5, "least": 5},
    "{share:.0%} of {least:g} such answers or more",
)  # fmt: skip
MARKS_EVERYTHING = WorkerFilter(
    "marks_everything", "marks nearly the whole text", marks_everything, {"share": 0.5, "least": 5},
    "{share:.0%} of {least:g} answers or more",
)  # fmt: skip
