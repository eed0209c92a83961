"""Money in whole cents, and what the marketplace adds to a reward."""

from __future__ import annotations

from marketplace.errors import parameter

MANY = 10  # assignments of one HIT from which the higher fee holds
MOST_CENTS = 10**9


def cents_of(amount: str) -> int:
    """Return the cents of an amount such as "0.50" that fits the protocol's pattern."""
    whole, _, rest = amount.partition(".")
    cents = int(whole[:12]) * 100 + int(rest.ljust(2, "0"))
    if len(whole) > 12 or cents > MOST_CENTS:
        raise parameter(f"The amount {amount[:40]} is larger than {amount_of(MOST_CENTS)}.")
    return cents


def amount_of(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def reward_fee(cents: int, *, assignments: int, needs_masters: bool = False) -> int:
    """Return the fee on one assignment: 20 %, 40 % if the HIT has 10 or more, 5 % more for Masters; at least 1 cent."""
    percent = (40 if assignments >= MANY else 20) + (5 if needs_masters else 0)
    return _share(cents, percent)


def bonus_fee(cents: int) -> int:
    """Return the fee on a bonus: 20 %, at least 1 cent."""
    return _share(cents, 20)


def _share(cents: int, percent: int) -> int:
    return max(1, (cents * percent + 50) // 100)
