"""What a person does next in a campaign, before and between tasks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    CONSENT = "consent"
    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    QUIZ = "quiz"
    SCREENED_OUT = "screened_out"  # failed the quiz for good
    WORK = "work"
    FINISHED = "finished"  # has gone back to the provider
    WITHDRAWN = "withdrawn"


QUIZ_TRIES = 2


@dataclass(frozen=True)
class Progress:
    """How far a person has come, and what the campaign asks for."""

    has_withdrawn: bool
    has_consented: bool
    has_read: bool
    practised: int
    practice_asked: int
    quiz_tries: int
    quiz_passed: bool
    quiz_asked: bool
    has_finished: bool


def stage_of(progress: Progress) -> Stage:
    """Return the first thing that is still to be done."""
    if progress.has_withdrawn:
        return Stage.WITHDRAWN
    if not progress.has_consented:
        return Stage.CONSENT
    if not progress.has_read:
        return Stage.INSTRUCTIONS
    if progress.practised < progress.practice_asked:
        return Stage.PRACTICE
    if progress.quiz_asked and not progress.quiz_passed:
        return Stage.SCREENED_OUT if progress.quiz_tries >= QUIZ_TRIES else Stage.QUIZ
    return Stage.FINISHED if progress.has_finished else Stage.WORK


def is_gold_turn(turn: int, *, every: int, seed: int, person: int) -> bool:
    """Tell whether a person's `turn` (from 0) is where gold is hidden: once in each stretch of `every`, seeded."""
    if every <= 0:
        return False
    stretch = turn // every
    # A cheap mix, the same in every process and on every machine; nobody may guess the place from the last one.
    mixed = (seed * 1_000_003 + person * 7_919 + stretch * 104_729 + 12_345) * 2_654_435_761
    return turn % every == (mixed >> 16) % every
