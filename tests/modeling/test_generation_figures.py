"""Figures of generated phrases: values by hand, and what holds for any phrases."""

from __future__ import annotations

import random
from dataclasses import astuple

import pytest

from modeling.generation_figures import figures, recall, rouge_1
from modeling.generations import Generation, Phrase

WORDS = ("the", "american", "politicians", "cities", "in", "Europe", "two", "old", "men")


def generation(golds: list[str], phrases: list[str], *, listing: tuple[str, ...] = ()) -> Generation:
    marked = [Phrase(text, -float(n), text in golds, text in listing) for n, text in enumerate(phrases)]
    return Generation("test", "key", tuple(golds), tuple(marked))


def random_phrase(draw: random.Random) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 4)))


def test_figures_by_hand():
    measured = figures(
        [
            generation(["politicians", "american politicians"], ["Politicians", "men", "Bush and Blair"],
                       listing=("Bush and Blair",)),
            generation(["cities", "european cities", "places"], ["the cities", "european cities", "places"]),
            generation(["old men"], ["men in old cities"]),
            generation(["actors"], []),
        ]
    )  # fmt: skip

    assert measured is not None
    assert measured.instances == 4
    assert measured.exact == 1 / 4
    assert measured.cleaned == 2 / 4  # "the cities" is "cities"
    assert measured.recall == pytest.approx((1 / 2 + 2 / 3 + 0 + 0) / 4)
    assert measured.rouge == pytest.approx((1 + 2 * 1 / (2 + 1) + 2 * 2 / (4 + 2) + 0) / 4)
    assert measured.listing == 1 / 7


@pytest.mark.parametrize(
    ("phrase", "gold", "value"),
    [
        ("american politicians", "politicians", 2 / 3),
        ("Cities!", "cities", 1.0),
        ("men", "women", 0.0),
        ("new new york", "new york new york", 2 * 3 / 7),
        ("", "", 0.0),
    ],
)
def test_rouge_1_by_hand(phrase, gold, value):
    assert rouge_1(phrase, gold) == pytest.approx(value)


@pytest.mark.parametrize("seed", range(50))
def test_what_holds_for_any_phrases(seed):
    draw = random.Random(seed)
    rows = [
        generation([random_phrase(draw) for _ in range(draw.randint(1, 4))],
                   [random_phrase(draw) for _ in range(draw.randint(0, 12))])
        for _ in range(draw.randint(1, 6))
    ]  # fmt: skip

    measured = figures(rows)

    assert measured is not None
    assert all(0 <= value <= 1 for value in astuple(measured)[1:])
    assert measured.exact <= measured.cleaned <= 1
    assert measured.exact <= measured.rouge
    assert figures(rows * 2) == type(measured)(2 * len(rows), *(pytest.approx(v) for v in astuple(measured)[1:]))
    first = rows[0]
    assert recall(first) == pytest.approx(
        sum(gold.lower() in [phrase.text.lower() for phrase in first.phrases[:10]] for gold in {*first.golds})
        / len({*first.golds})
    )  # every word here has one spelling, so equal golds are equal whatever their case
    a, b = random_phrase(draw), random_phrase(draw)
    assert rouge_1(a, b) == rouge_1(b, a)
    assert rouge_1(a, a) == 1.0


def test_golds_as_phrases_are_perfect():
    rows = [generation(["politicians", "men"], ["men", "politicians"]), generation(["cities"], ["Cities"])]

    assert figures(rows) == type(figures(rows))(2, 1.0, 1.0, 1.0, 1.0, 0.0)


def test_nothing_has_no_figures():
    assert figures([]) is None
