"""The rules of a task as a form asks for them: for each part a choice between rules, and the numbers of each.

Fields are called `consensus.PART` (the rule), `consensus.PART.RULE.NUMBER` and `consensus.PART.least_answers`.
`rules_of` names the parts that the form was drawn for: what is left of a form for another task is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.task_types.consensus_rules import FIELD, LEAST, LEAST_ANSWERS, Offers, RuleNumber, RuleOffer
from kernel.errors import InvalidInput

THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")

RULES_OF = "rules_of"
NO_PROBLEM = InvalidInput("")


@dataclass(frozen=True)
class AskedNumber:
    """A number in the form, as it was typed."""

    field: str
    number: RuleNumber
    text: str
    problem: str


@dataclass(frozen=True)
class AskedRule:
    """A rule in the form."""

    offer: RuleOffer
    is_chosen: bool
    numbers: Sequence[AskedNumber]


@dataclass(frozen=True)
class AskedRules:
    """The choice between the rules of a part."""

    field: str
    ask: str
    rules: Sequence[AskedRule]
    least: AskedNumber
    problem: str

    @property
    def is_usual(self) -> bool:
        numbers = [self.least, *(number for rule in self.rules[:1] for number in rule.numbers)]
        return self.rules[0].is_chosen and all(own.text == f"{own.number.default:g}" for own in numbers)


def rules_id(offers: Offers) -> str:
    """Return what the rules on a form are about: left-over choices of another task are not taken."""
    return " ".join(f"{part}:{','.join(offer.name for offer in own)}" for part, own in offers.items())


def sent_rules(offers: Offers, sent: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return what a form sent, as `read_rules` takes it."""
    if sent.get(RULES_OF, rules_id(offers)) != rules_id(offers):
        return {}
    chosen: dict[str, dict[str, Any]] = {}
    for field in sent:
        prefix, _, rest = field.partition(".")
        if prefix == FIELD and rest:
            part = rest.partition(".")[0]
            chosen.setdefault(part, _sent_rule(offers.get(part, ()), part, sent))
    return chosen


def rule_fields(sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the fields of a form that choose rules, to be sent again."""
    return [(name, value) for name, value in sent.items() if name == RULES_OF or name.startswith(f"{FIELD}.")]


def _sent_rule(offers: Sequence[RuleOffer], part: str, sent: Mapping[str, str]) -> dict[str, Any]:
    place = f"{FIELD}.{part}"
    name = sent.get(place) or (offers[0].name if offers else "")
    offer = next((offer for offer in offers if offer.name == name), None)
    fields = {number: f"{place}.{name}.{number.name}" for number in offer.numbers} if offer else {}
    fields[LEAST] = f"{place}.{LEAST_ANSWERS}"
    texts = {number: sent.get(field, "").strip() for number, field in fields.items()}
    numbers = {own.name: as_number(text, is_whole=own.is_whole) for own, text in texts.items() if text}
    return {"rule": name, **numbers}


def as_number(text: str, *, is_whole: bool = False) -> float | str:
    """Return the number that somebody wrote; other words stay as they are.

    A comma separates thousands in a whole number, and is a decimal point in any other.
    """
    text = text.strip()
    if is_whole and THOUSANDS.fullmatch(text):
        return int(text.replace(",", ""))
    try:
        number = float(text if is_whole else text.replace(",", "."))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def asked_rules(
    offers: Offers, asks: Mapping[str, str], sent: Mapping[str, str], problem: InvalidInput | None = None
) -> list[AskedRules]:
    """Return the choices of a form as it was filled in. `asks` are the questions of the parts."""
    kept = sent if sent.get(RULES_OF, rules_id(offers)) == rules_id(offers) else {}
    return [_asked(part, own, asks.get(part, part), kept, problem or NO_PROBLEM) for part, own in offers.items()]


def _asked(
    part: str, offers: Sequence[RuleOffer], ask: str, sent: Mapping[str, str], problem: InvalidInput
) -> AskedRules:
    place = f"{FIELD}.{part}"
    chosen = sent.get(place, "")
    if chosen not in {offer.name for offer in offers}:
        chosen = offers[0].name

    def asked(number: RuleNumber, field: str, *, is_read: bool) -> AskedNumber:
        text = sent.get(field, f"{number.default:g}")
        is_wrong = is_read and problem.field == f"{place}.{number.name}"
        return AskedNumber(field, number, text, problem.sentence if is_wrong else "")

    rules = [
        AskedRule(
            offer,
            offer.name == chosen,
            [asked(own, f"{place}.{offer.name}.{own.name}", is_read=offer.name == chosen) for own in offer.numbers],
        )
        for offer in offers
    ]
    least = asked(LEAST, f"{place}.{LEAST_ANSWERS}", is_read=True)
    has_problem = problem.field in (place, f"{place}.rule")
    return AskedRules(place, ask, rules, least, problem.sentence if has_problem else "")
