"""Money is exact, and names that leave the application cannot be worked back."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pricing import Study, hourly_wage, money, price_of, read_floor, study_of
from annotation.pseudonyms import pseudonym


def test_a_price_is_tasks_by_people_by_reward():
    price = price_of(tasks=2100, answers=6300, reward=Decimal("0.15"))

    assert (price.answers, price.gold, price.total) == (6300, 0, Decimal("945.00"))


def test_hidden_gold_is_paid_too():
    price = price_of(tasks=100, answers=300, reward=Decimal("0.10"), gold_every=11)

    assert (price.gold, price.total) == (30, Decimal("33.00"))


@given(st.integers(0, 10**6), st.integers(1, 50), st.decimals(0, 100, places=2), st.integers(2, 1000))
def test_gold_takes_its_share_of_the_turns_and_never_less(tasks, redundancy, reward, every):
    price = price_of(tasks=tasks, answers=tasks * redundancy, reward=reward, gold_every=every)

    assert price.gold * (every - 1) >= price.answers
    assert (price.gold - 1) * (every - 1) < price.answers or not price.gold


@pytest.mark.parametrize(
    ("gold_tasks", "per_person", "gold"),
    [(0, 0, 0), (1, 0, 3), (2, 0, 6), (3, 0, 9), (50, 0, 9), (1, 18, 5), (1, 5, 9)],
)
def test_few_gold_tasks_give_few_gold_answers_because_nobody_meets_one_twice(gold_tasks, per_person, gold):
    plan = {"tasks": 29, "answers": 87, "reward": Decimal("0.10"), "per_person": per_person}

    assert price_of(**plan, gold_every=11, gold_tasks=gold_tasks).gold == gold


@pytest.mark.parametrize(("reward", "seconds", "wage"), [("0.15", 60, "9.00"), ("0.10", 90, "4.00"), ("0", 60, "0.00")])
def test_a_wage_is_what_an_hour_earns(reward, seconds, wage):
    assert hourly_wage(Decimal(reward), seconds) == Decimal(wage)


def test_without_a_time_there_is_no_wage():
    assert hourly_wage(Decimal(1), None) is None
    assert hourly_wage(Decimal(1), 0) is None


def test_a_person_has_one_name_in_a_campaign_and_another_in_the_next():
    names = {pseudonym("mturk A1", scope=scope, key=key) for scope in ("one", "two") for key in ("k", "l")}

    assert len(names) == 4
    assert pseudonym("mturk A1", scope="one", key="k") in names
    assert not any("A1" in name for name in names)


def study(**changes: int):
    plan = {"tasks": 100, "redundancy": 3, "per_person": 20} | changes
    price = price_of(tasks=plan["tasks"], answers=plan["tasks"] * plan["redundancy"], reward=Decimal("0.15"))
    return study_of(price, estimated_s=90, **plan)


def test_a_panel_is_told_places_reward_and_time_of_one_visit():
    assert study() == Study(places=15, answers=20, reward=Decimal("3.00"), seconds=1800)
    assert study(per_person=7).places == 43


def test_a_task_needs_different_people_so_there_are_never_fewer_places_than_that():
    assert study(tasks=4, per_person=50) == Study(places=3, answers=4, reward=Decimal("0.60"), seconds=360)


def test_without_a_limit_for_one_person_a_visit_has_no_reward_that_a_panel_could_be_told():
    assert study(per_person=0) is None


@pytest.mark.parametrize(
    ("reward", "seconds", "currency", "warned"),
    [("0.15", 60, "USD", ""), ("0.14", 60, "USD", "$8.40 an hour is below"), ("0", 60, "USD", "")],
)
def test_a_wage_below_the_floor_is_warned_of_with_what_would_be_enough(reward, seconds, currency, warned):
    warning = read_floor("9 USD").warning(Decimal(reward), currency, seconds)

    assert warned in warning
    assert bool(warning) == bool(warned)
    assert not warned or "pay at least $0.15 an answer" in warning


def test_a_floor_in_another_currency_is_not_compared_but_named():
    assert "cannot be compared with EUR" in read_floor("9 USD").warning(Decimal("0.01"), "EUR", 60)


@given(st.decimals("0.01", 10, places=2), st.integers(1, 3600))
def test_paying_what_a_warning_asks_for_ends_it(reward, seconds):
    floor = read_floor("9 USD")
    if warning := floor.warning(reward, "USD", seconds):
        enough = Decimal(warning.partition("at least $")[2].split()[0])

        assert not floor.warning(enough, "USD", seconds)


@pytest.mark.parametrize("text", ["9", "nine USD", "9 XXX", "-1 USD", "NaN USD", "USD 9"])
def test_a_floor_without_amount_or_currency_is_refused(text):
    with pytest.raises(ValueError, match=text):
        read_floor(text)


def test_less_than_nothing_by_a_rounding_error_is_nothing():
    assert str(money(Decimal("-0.0000001"))) == "0.00"
