"""What a campaign costs and what it pays by the hour, in exact decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Price:
    """What all answers of a campaign come to, hidden gold included, before a platform's fees."""

    answers: int  # that count as data
    gold: int  # answers to hidden gold, paid like any other; about as many
    reward: Decimal

    @property
    def total(self) -> Decimal:
        return money((self.answers + self.gold) * self.reward)


def price_of(*, tasks: int, redundancy: int, reward: Decimal, gold_every: int = 0) -> Price:
    """Return the price of asking `redundancy` people about each task; one turn in `gold_every` is gold."""
    answers = tasks * redundancy
    gold = -(-answers // (gold_every - 1)) if gold_every > 1 else 0
    return Price(answers, gold, reward)


def hourly_wage(reward: Decimal, seconds: float | None) -> Decimal | None:
    """Return what an hour earns at so many seconds an answer; None where nothing is known."""
    if not seconds or seconds <= 0:
        return None
    return money(reward * 3600 / Decimal(str(seconds)))


def money(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)
