"""What a campaign costs and what it pays by the hour, in exact decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, ROUND_UP, Decimal, InvalidOperation

from kernel import values

CENT = Decimal("0.01")
# The currencies people are paid in today: no funds, metals or test codes.
ISO_4217 = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF
SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU
UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES = frozenset(ISO_4217.split())


@dataclass(frozen=True)
class Price:
    """What all answers of a campaign come to, hidden gold included, before a platform's fees."""

    answers: int  # that count as data
    gold: int  # answers to hidden gold, paid like any other; about as many
    reward: Decimal

    @property
    def total(self) -> Decimal:
        return money((self.answers + self.gold) * self.reward)


def price_of(
    *,
    tasks: int,
    answers: int,
    reward: Decimal,
    gold_every: int = 0,
    gold_tasks: int | None = None,
    per_person: int = 0,
    gold_places: int | None = None,
) -> Price:
    """Return the price of this number of answers to these tasks, hidden gold included.

    Gold is hidden in one turn of `gold_every`; `gold_tasks` is how many gold tasks there are (None: not chosen yet).
    Nobody meets a gold task twice, so few gold tasks give few gold answers. As many people are assumed as are needed if
    each answers all they may (`per_person`; 0: every task). A marketplace offers its gold apart, to `gold_places`.
    """
    if gold_places is not None:
        return Price(answers, gold_places, reward)
    hidden = _rounded_up(answers, gold_every - 1) if gold_every > 1 else 0
    if gold_tasks is not None and tasks:
        people = _rounded_up(answers, min(per_person or tasks, tasks))
        hidden = min(hidden, gold_tasks * people)
    return Price(answers, hidden, reward)


def _rounded_up(number: int, by: int) -> int:
    return -(-number // by)


@dataclass(frozen=True)
class Study:
    """How a study is set up at a provider: each place is one visit of one person."""

    places: int
    answers: int  # in one visit, hidden gold included
    reward: Decimal  # for one visit
    seconds: int  # that one visit should take, at the estimate for one answer


def study_of(price: Price, *, tasks: int, redundancy: int, per_person: int, estimated_s: int) -> Study | None:
    """Return places and reward per visit; None where a visit has no length because one person may answer everything."""
    answers = min(per_person, tasks)
    if not answers:
        return None
    wanted = price.answers + price.gold
    places = max(redundancy, -(-wanted // answers))  # a task needs different people
    return Study(places, answers, money(answers * price.reward), answers * estimated_s)


def hourly_wage(reward: Decimal, seconds: float | None) -> Decimal | None:
    """Return what an hour earns at this pay for this number of seconds; None where nothing is known."""
    if not seconds or seconds <= 0:
        return None
    return money(reward * 3600 / Decimal(str(seconds)))


def missing_cents(earned: Decimal, active_ms: int, floor: Decimal) -> int:
    """Return the cents, rounded up, by which pay for this time is below a given hourly pay; 0 if it reaches it."""
    short = floor * active_ms / 36_000 - earned * 100
    return max(0, int(short.to_integral_value(rounding=ROUND_CEILING)))


@dataclass(frozen=True)
class Floor:
    """The hourly pay below which an installation warns before people are asked."""

    amount: Decimal
    currency: str

    def fair(self, estimated_s: float) -> Decimal:
        """Return the least reward that reaches the floor, if an answer takes so long."""
        return (self.amount * Decimal(str(estimated_s)) / 3600).quantize(CENT, rounding=ROUND_UP)

    def warning(self, reward: Decimal, currency: str, estimated_s: float) -> str:
        """Return a sentence when the estimated hourly pay is below the floor or cannot be compared with it, else ""."""
        wage = hourly_wage(reward, estimated_s)
        if not self.amount or not reward or wage is None:
            return ""
        floor = f"{values.money(self.amount, self.currency)} an hour"
        if currency != self.currency:
            return f"The target of this installation, {floor}, cannot be compared with {currency}: check it yourself."
        if wage >= self.amount:
            return ""
        return (
            f"{values.money(wage, currency)} an hour is below the target of this installation, {floor}: "
            f"pay at least {values.money(self.fair(estimated_s), currency)} an answer, or ask for less work."
        )


def read_floor(text: str) -> Floor:
    """Return the floor written as "9 USD"; raise ValueError when it is not one. "0 USD" means none."""
    amount, _, currency = text.partition(" ")
    try:
        floor = Floor(Decimal(amount), currency.strip())
    except InvalidOperation:
        raise ValueError(text) from None
    if floor.currency not in CURRENCIES or not floor.amount.is_finite() or not 0 <= floor.amount <= 10_000:
        raise ValueError(text)
    return floor


def money(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP) + 0  # adding 0 turns -0.00 into 0.00
