"""Rules that bring the answers to one question together: what a part of a task offers, and what a recipe chose.

The first rule that a part offers is its usual one: it holds where a recipe names none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kernel.errors import InvalidInput
from kernel.values import Json

FIELD = "consensus"
LEAST_ANSWERS = "least_answers"
HIGHEST_COUNT = 1000
PROBABILITY_DIGITS = 4  # so that every machine stores the same ones: the last bits of a logarithm differ between them


@dataclass(frozen=True)
class RuleNumber:
    """A number that a rule asks for: a share or a probability, or a whole number."""

    name: str
    label: str
    default: float
    lowest: float = 0.0
    highest: float = 1.0
    is_whole: bool = False

    @property
    def limits(self) -> str:
        return f"{'a whole number' if self.is_whole else 'a number'} from {self.lowest:,g} to {self.highest:,g}"

    def in_words(self, value: float) -> str:
        return f"{value:,}" if self.is_whole else f"{100 * value:g}%"


LEAST = RuleNumber(LEAST_ANSWERS, "Minimum answers", 1, 1, HIGHEST_COUNT, is_whole=True)


@dataclass(frozen=True)
class ChosenRule:
    """A rule with its numbers. Fewer answers than `least_answers` have no consensus."""

    name: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    least_answers: int = 1

    def to_json(self) -> dict[str, Json]:
        return {"rule": self.name, **self.numbers, LEAST_ANSWERS: self.least_answers}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ChosenRule:
        numbers = {name: own for name, own in value.items() if name not in ("rule", LEAST_ANSWERS)}
        return cls(value["rule"], numbers, value[LEAST_ANSWERS])


@dataclass(frozen=True)
class RuleOffer:
    """A rule that a recipe may choose for a part."""

    name: str
    label: str  # in a list of rules
    says: str  # what it gives; braces hold its numbers
    numbers: Sequence[RuleNumber] = ()
    needs_all: bool = False  # it looks at the answers to all tasks of the release together
    help: str = ""

    @property
    def all_numbers(self) -> Sequence[RuleNumber]:
        return (*self.numbers, LEAST)

    def in_words(self, rule: ChosenRule) -> str:
        """Return what the rule gives, as the end of a sentence."""
        numbers = {number.name: number.in_words(rule.numbers[number.name]) for number in self.numbers}
        least = rule.least_answers
        return self.says.format(**numbers) + (f"; only where there are at least {least:,} answers" if least > 1 else "")

    @property
    def usual(self) -> ChosenRule:
        """The rule with the numbers that it has unless others are chosen."""
        return ChosenRule(self.name, {number.name: number.default for number in self.numbers})


@dataclass(frozen=True)
class Estimate:
    """What a rule that looks at all tasks finds for one of them: the likeliest label, and how likely it is."""

    label: str  # "": several labels are equally likely
    probability: float


Offers: TypeAlias = Mapping[str, Sequence[RuleOffer]]  # by part
Rules: TypeAlias = Mapping[str, ChosenRule]  # by part, without those that are as usual
Estimates: TypeAlias = Mapping[str, Mapping[str, Estimate]]  # of one task: by part, and in it by row ("": it has none)
NO_ESTIMATES: Mapping[str, Any] = {}


def offer_of(offers: Sequence[RuleOffer], rule: ChosenRule | None) -> RuleOffer:
    """Return the offer that a chosen rule comes from; of no rule the usual one."""
    return next((offer for offer in offers if rule and offer.name == rule.name), offers[0])


def needing_all(offers: Offers, rules: Rules) -> list[str]:
    """Return the parts whose rules look at all tasks together."""
    return [part for part, rule in rules.items() if offer_of(offers[part], rule).needs_all]


def rules_in_words(offers: Offers, rules: Rules) -> dict[str, str]:
    """Return for each part what its rule gives, as the end of a sentence."""
    chosen = {part: (offer_of(own, rules.get(part)), rules.get(part)) for part, own in offers.items()}
    return {part: offer.in_words(rule or offer.usual) for part, (offer, rule) in chosen.items()}


def stored_rules(recipe: Mapping[str, Any]) -> dict[str, ChosenRule]:
    """Return the rules that a stored recipe chose."""
    return {part: ChosenRule.from_json(value) for part, value in recipe.get(FIELD, {}).items()}


def read_rules(offers: Offers, chosen: Any) -> dict[str, ChosenRule]:
    """Return the rules that somebody chose, by part, such as {"tone": {"rule": "majority", "threshold": 0.6}}.

    Those that are as usual are left out. Raises InvalidInput that names the part and the field.
    """
    if not isinstance(chosen, Mapping):
        raise InvalidInput("must be an object with a rule for each part", field=FIELD)
    if chosen and not offers:
        raise InvalidInput("this task has no rules to choose between: leave it out", field=FIELD)
    rules = {}
    for part, value in chosen.items():
        if part not in offers:
            known = ", ".join(offers)
            raise InvalidInput(f"the task has no part “{_short(part)}”: its parts are {known}", field=FIELD)
        rule = _read_rule(offers[part], value, f"{FIELD}.{part}")
        if rule != offers[part][0].usual:
            rules[str(part)] = rule
    return dict(sorted(rules.items()))


def _read_rule(offers: Sequence[RuleOffer], value: Any, place: str) -> ChosenRule:
    if not isinstance(value, Mapping):
        raise InvalidInput("must be an object with “rule” and the numbers of the rule", field=place)
    name = value.get("rule", offers[0].name)
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None:
        known = ", ".join(offer.name for offer in offers)
        raise InvalidInput(f"there is no rule “{_short(name)}” for this part: choose {known}", field=f"{place}.rule")
    known_numbers = {number.name: number for number in offer.all_numbers}
    if unknown := [own for own in value if own != "rule" and own not in known_numbers]:
        known = " and ".join(known_numbers)
        why = f"the rule “{offer.name}” has no number “{_short(unknown[0])}”: it has {known}"
        raise InvalidInput(why, field=place)
    numbers = {
        number.name: _read_number(number, value.get(number.name, number.default), f"{place}.{number.name}")
        for number in offer.all_numbers
    }
    least = int(numbers.pop(LEAST_ANSWERS))
    return ChosenRule(offer.name, numbers, least)


def _read_number(number: RuleNumber, value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"“{_short(value)}” is not a number: give {number.limits}", field=place)
    if not number.lowest <= value <= number.highest or (number.is_whole and value != int(value)):
        raise InvalidInput(f"must be {number.limits}, and {_short(value)} is not", field=place)
    return int(value) if number.is_whole else float(value)


def _short(value: Any) -> str:
    return " ".join(str(value).split())[:40]
