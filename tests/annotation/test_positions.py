from __future__ import annotations

import pytest

from annotation.quality.positions import effect_as_json, effect_in_words, effect_of_position


def choices(*times: int) -> list[tuple[str, str]]:
    """Return choices of which so many fell on each position, the letters in the order shown."""
    order = "abcdef"[: len(times)]
    return [(order, order[place]) for place, number in enumerate(times) for _ in range(number)]


def counted(effect) -> list[tuple[int, int, float]]:
    return [(own.position, own.chosen, own.expected) for own in effect.positions]


def test_two_positions_that_are_chosen_equally_often_show_no_effect():
    effect = effect_of_position(choices(61, 59))

    assert counted(effect) == [(1, 61, 60), (2, 59, 60)]
    assert effect.p == pytest.approx(0.8551, abs=1e-4)  # chi-square 2 / 60 with one degree of freedom
    assert effect_in_words(effect_as_json("better", effect)) == (
        "Position 1 was chosen in 61 of 120 answers (51%); 50% were expected; p = 0.86."
    )


def test_a_position_that_is_chosen_far_more_often_than_expected_has_a_small_p():
    effect = effect_of_position(choices(40, 25, 25))

    assert counted(effect) == [(1, 40, 30), (2, 25, 30), (3, 25, 30)]
    assert effect.p == pytest.approx(0.0821, abs=1e-4)  # exp(-2.5): chi-square 5 with two degrees of freedom
    assert "p < 0.001." in effect_in_words(effect_as_json("better", effect_of_position(choices(60, 15, 15))))


def test_the_order_counts_and_not_the_id():
    assert counted(effect_of_position([("ab", "a"), ("ba", "b"), ("ba", "a")])) == [(1, 2, 1.5), (2, 1, 1.5)]


def test_an_item_with_fewer_things_to_choose_from_is_expected_at_fewer_positions():
    effect = effect_of_position([*choices(6, 6), *choices(10, 10, 10)])

    assert counted(effect) == [(1, 16, 16), (2, 16, 16), (3, 10, 10)]
    assert effect.p == pytest.approx(1)


def test_few_answers_are_counted_and_not_tested():
    effect = effect_of_position(choices(5, 4))

    assert (effect.answers, effect.p) == (9, None)
    assert "too few answers for a test" in effect_in_words(effect_as_json("better", effect))
    assert effect_of_position(choices(5, 5)).p == pytest.approx(1)


def test_answers_that_chose_none_of_several_are_left_out():
    assert effect_of_position([(["a", "b"], ""), (["a", "b"], "tie"), (["a"], "a"), ([], "a")]).answers == 0
