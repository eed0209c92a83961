"""Who may join a campaign, judged by what they did in others and what they were granted.

Other names (“first language”) may stand beside these four: they are told to people and panels, nobody can check them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernel.errors import InvalidInput
from kernel.values import counted, whole_number

HIGHEST_NUMBER = 1_000_000
CHECKED = ("min_answers", "took_part_in", "not_in", "grant")


@dataclass(frozen=True)
class Record:
    """What a person did elsewhere: answers in all other campaigns, and the campaigns they answered or saw tasks of."""

    answers: int = 0
    answered_in: frozenset[int] = frozenset()
    seen: frozenset[int] = frozenset()
    grants: frozenset[int] = frozenset()  # that they hold now


@dataclass(frozen=True)
class Qualifications:
    min_answers: int = 0  # in other campaigns, together
    took_part_in: tuple[int, ...] = ()  # at least one of these
    not_in: tuple[int, ...] = ()  # none of these
    grant: tuple[int, ...] = ()  # all of these

    @property
    def asks_nothing(self) -> bool:
        return not (self.min_answers or self.took_part_in or self.not_in or self.grant)

    def refusal(self, record: Record) -> str:
        """Return why somebody with this record cannot join, in a sentence for them; "" when they can."""
        if record.answers < self.min_answers:
            return (
                f"This work is for people who have given at least {counted(self.min_answers, 'answer')} in earlier "
                f"campaigns. You have given {record.answers:,} so far."
            )
        if self.took_part_in and not record.answered_in & set(self.took_part_in):
            return "This work goes on from an earlier campaign and is for the people who took part in that one."
        if record.seen & set(self.not_in):
            return "You have taken part in a campaign about the same texts, so this one is for other people. Thank you!"
        if not record.grants.issuperset(self.grant):
            return (
                "This work is for people whom the team has prepared and chosen for it. If you think that you are one "
                "of them, write to the person who sent you the link."
            )
        return ""


def qualifications(requirements: Mapping[str, Any]) -> Qualifications:
    """Return what can be checked of a campaign's qualifications; raises InvalidInput that names the field."""
    least = _numbers(requirements, "min_answers")
    if len(least) > 1:
        raise InvalidInput("must be one number", field="qualifications.min_answers")
    return Qualifications(
        sum(least),
        _numbers(requirements, "took_part_in"),
        _numbers(requirements, "not_in"),
        _numbers(requirements, "grant"),
    )


def unchecked(requirements: Mapping[str, Any]) -> dict[str, Any]:
    """Return the requirements that cannot be checked: newcomers read them."""
    return {name: value for name, value in requirements.items() if name not in CHECKED}


def _numbers(requirements: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Return a number, a list of numbers, or a text with commas between them, as numbers."""
    value = requirements.get(name, [])
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    numbers: list[Any] = [whole_number(part.strip()) if isinstance(part, str) else part for part in parts]
    if not all(type(number) is int and 0 <= number <= HIGHEST_NUMBER for number in numbers):
        raise InvalidInput(f"must be numbers between 0 and {HIGHEST_NUMBER:,}", field=f"qualifications.{name}")
    return tuple(numbers)
