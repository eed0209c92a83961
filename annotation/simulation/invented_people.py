"""Simulated people: how well, how fast and how faithfully each works. Seeded: the same seed, the same people."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from enum import StrEnum


class Habit(StrEnum):
    """How a person finds an answer. All but the first are there for the worker filters to find."""

    CAREFUL = "careful"
    COPIES = "copies"  # words of the passage
    SAME = "same"  # one answer for everything
    REFUSES = "refuses"  # says each time that nothing fits


@dataclass(frozen=True)
class InventedPerson:
    """Chances are for one task, from 0 to 1."""

    number: int
    habit: Habit
    skill: float  # chance of an answer that fits
    seconds: float  # that a usual answer takes
    misses: float  # chance of finding nothing although something fits
    typo: float
    second: float  # chance of a second answer, if the type takes one
    draft: float  # saves a half-written answer first
    reload: float
    double_submit: float
    give_back: float
    drop_out: float  # leaves for good, the task in hand

    def steady(self) -> InventedPerson:
        """Return the same person without the slips that leave a task undone."""
        return replace(self, give_back=0.0, drop_out=0.0)


def crowd(size: int, seed: int) -> tuple[InventedPerson, ...]:
    """Return `size` people; about one in eight does not follow the instructions."""
    rng = random.Random(seed)  # noqa: S311 - a rehearsal, not a secret
    return tuple(_person(number, rng) for number in range(size))


def _person(number: int, rng: random.Random) -> InventedPerson:
    habit = rng.choices([*Habit], weights=(14, 1, 0.5, 0.5))[0]
    is_careful = habit == Habit.CAREFUL
    return InventedPerson(
        number=number,
        habit=habit,
        skill=rng.uniform(0.6, 0.98) if is_careful else 0.2,
        seconds=rng.uniform(25, 90) if is_careful else rng.uniform(5, 15),
        misses=rng.uniform(0, 0.08),
        typo=rng.uniform(0, 0.08),
        second=rng.uniform(0.05, 0.5) if is_careful else 0.0,
        draft=rng.uniform(0.05, 0.3),
        reload=rng.uniform(0, 0.15),
        double_submit=rng.uniform(0, 0.15),
        give_back=rng.uniform(0, 0.03),
        drop_out=rng.choice((0, 0, 0, 0.005)),
    )
