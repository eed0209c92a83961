"""What a person does next in a campaign, before and between tasks."""

from __future__ import annotations

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


def is_gold_turn(turn: int, *, every: int, seed: int, person: int) -> bool:
    """Tell whether a person's `turn` (from 0) is where gold is hidden: once in each stretch of `every`, seeded."""
    if every <= 0:
        return False
    stretch = turn // every
    # A cheap mix, the same in every process and on every machine; nobody may guess the place from the last one.
    mixed = (seed * 1_000_003 + person * 7_919 + stretch * 104_729 + 12_345) * 2_654_435_761
    return turn % every == (mixed >> 16) % every
