"""Agreement by the scale of the labels: published examples, values worked by hand, other libraries, and properties."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.agreement import Agreement, Interval, krippendorff_alpha
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.series import Label, Scale, Series, measures
from tests.properties import at_most

NOMINAL, ORDINAL, INTERVAL, SET, TEXT = Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.SET, Scale.TEXT
MEASURED = [NOMINAL, ORDINAL, INTERVAL, SET, TEXT]
LETTERS = "abcd"

# The data of the README of the Python package `krippendorff`, with the values it prints: three people, 15 items.
PACKAGE = ("*****34121133*3", "1*213343*******", "**21344*21133*4")
PACKAGE_VALUES = {NOMINAL: 0.691, ORDINAL: 0.807, INTERVAL: 0.811}

# Krippendorff's own example ("Computing Krippendorff's alpha-reliability", 2011, sections C and D).
AUTHOR = ("123321412***", "1233224125*3", "*3332342251*", "12332441251*")
AUTHOR_VALUES = {NOMINAL: 0.7434, ORDINAL: 0.8154, INTERVAL: 0.8491}


def series_of(scale: Scale, rows: Sequence[tuple[str, str, Label]], order: Sequence[str] = "") -> Series:
    return Series("part", "item", scale, rows, order)


def digits(scale: Scale, *columns: str) -> Series:
    """One string per worker, one digit per item; "*" where the worker did not judge the item."""
    cells = [(f"i{n:02}", f"w{w}", digit) for w, line in enumerate(columns) for n, digit in enumerate(line)]
    rows = [(i, w, float(digit) if scale is INTERVAL else digit) for i, w, digit in cells if digit != "*"]
    return series_of(scale, rows, "12345" if scale is ORDINAL else "")


def as_rows(judgements: Sequence[tuple[str, str, str]], scale: Scale) -> list[tuple[str, str, Label]]:
    """Return the judgements with a label of the scale for each letter."""
    labels: dict[Scale, dict[str, Label]] = {
        INTERVAL: {letter: float(n) for n, letter in enumerate(LETTERS)},
        SET: {"a": frozenset(), "b": frozenset("x"), "c": frozenset("xy"), "d": frozenset("yz")},
    }
    return [(item, worker, labels.get(scale, {}).get(letter, letter)) for item, worker, letter in judgements]


def closeness(left: str, right: str) -> float:
    return 1 / (1 + abs(ord(left) - ord(right)))


def measured(scale: Scale, rows: Sequence[tuple[str, str, Label]], replicates: int = 5) -> dict[str, Agreement]:
    series = series_of(scale, rows, LETTERS if scale is ORDINAL else "")
    return {each.measure: each for each in measures(series, closeness=closeness, replicates=replicates)}


def value(series: Series, name: str) -> float | Undefined:
    (agreement,) = [each for each in measures(series, replicates=5) if each.measure.startswith(name)]
    return agreement.value


@pytest.mark.parametrize("scale", PACKAGE_VALUES)
def test_alpha_is_that_of_the_example_of_the_package(scale: Scale):
    assert value(digits(scale, *PACKAGE), "Krippendorff") == pytest.approx(PACKAGE_VALUES[scale], abs=0.0005)


@pytest.mark.parametrize("scale", AUTHOR_VALUES)
def test_alpha_is_that_of_its_authors_example(scale: Scale):
    assert value(digits(scale, *AUTHOR), "Krippendorff") == pytest.approx(AUTHOR_VALUES[scale], abs=0.00005)


def test_each_scale_has_its_measures_and_all_have_pairwise_agreement():
    names = {scale: [*measured(scale, as_rows([("i", "u", "a"), ("i", "v", "b")], scale))] for scale in MEASURED}

    assert names == {
        NOMINAL: ["Krippendorff's alpha", "Fleiss' kappa", "Cohen's kappa, mean over pairs", "pairwise agreement"],
        ORDINAL: [
            "Krippendorff's alpha, ordinal",
            "quadratic-weighted kappa, mean over pairs",
            "pairwise agreement",
        ],
        INTERVAL: ["Krippendorff's alpha, interval", "pairwise difference", "pairwise agreement"],
        SET: ["Krippendorff's alpha, sets (MASI)", "pairwise F1", "pairwise agreement"],
        TEXT: ["pairwise closeness", "pairwise agreement"],
    }


JUDGEMENTS = st.lists(
    st.tuples(st.sampled_from("pqrs"), st.sampled_from("uvw"), st.sampled_from(LETTERS)),
    max_size=14,
    unique_by=lambda row: row[:2],
)


def distance(scale: Scale, left: Label, right: Label, everything: Sequence[Label]) -> float:
    """Return the distance of two labels as the papers define it."""
    match scale, left, right:
        case Scale.ORDINAL, str(), str():
            low, high = sorted((left, right))
            between = sum(low <= str(label) <= high for label in everything)
            return (between - (everything.count(left) + everything.count(right)) / 2) ** 2
        case Scale.INTERVAL, float(), float():
            return (left - right) ** 2
        case Scale.SET, frozenset(), frozenset():
            if left == right:
                return 0
            monotone = 2 / 3 if left <= right or right <= left else 1 / 3
            return 1 - monotone * len(left & right) / len(left | right)
    return float(left != right)


def alpha_by_definition(scale: Scale, rows: Sequence[tuple[str, str, Label]]) -> float | None:
    """Return alpha as one minus observed by expected disagreement, over all ordered pairs; None where it is 0 by 0."""
    items = [[label for other, _, label in rows if other == item] for item in sorted({item for item, _, _ in rows})]
    items = [labels for labels in items if len(labels) > 1]
    everything = [label for labels in items for label in labels]
    observed = sum(
        distance(scale, *pair, everything) / (len(labels) - 1) for labels in items for pair in permutations(labels, 2)
    )
    expected = sum(distance(scale, *pair, everything) for pair in permutations(everything, 2))
    return 1 - (len(everything) - 1) * observed / expected if expected else None


@pytest.mark.parametrize("scale", [NOMINAL, ORDINAL, INTERVAL, SET])
@at_most(50)
@given(judgements=JUDGEMENTS)
def test_alpha_is_what_its_definition_says(scale: Scale, judgements: list[tuple[str, str, str]]):
    rows = as_rows(judgements, scale)
    alpha, expected = next(iter(measured(scale, rows).values())).value, alpha_by_definition(scale, rows)

    assert isinstance(alpha, Undefined) if expected is None else alpha == pytest.approx(expected, abs=1e-9)


@given(JUDGEMENTS)
def test_the_nominal_scale_has_the_alpha_of_labels(judgements: list[tuple[str, str, str]]):
    alpha = measured(NOMINAL, judgements)["Krippendorff's alpha"]

    assert alpha == krippendorff_alpha(Ratings.of(judgements), replicates=5)


@pytest.mark.parametrize("scale", MEASURED)
@at_most(50)
@given(judgements=JUDGEMENTS)
def test_every_value_is_within_its_bounds_or_has_a_reason(scale: Scale, judgements: list[tuple[str, str, str]]):
    for name, agreement in measured(scale, as_rows(judgements, scale)).items():
        highest = 3 if name == "pairwise difference" else 1 + 1e-9
        lowest = 0 if name.startswith("pairwise") else -1 if "Cohen" in name or "quadratic" in name else -math.inf
        if isinstance(agreement.value, Undefined):
            assert agreement.value.reason.endswith(".")
        else:
            assert math.isfinite(agreement.value)
            assert lowest - 1e-9 <= agreement.value <= highest
        if isinstance(agreement.interval, Interval):
            assert lowest - 1e-9 <= agreement.interval.low <= agreement.interval.high <= highest


@pytest.mark.parametrize("scale", MEASURED)
@at_most(50)
@given(judgements=JUDGEMENTS, names=st.permutations("uvw"), dice=st.randoms(use_true_random=False))
def test_names_of_workers_and_order_of_rows_do_not_count(scale: Scale, judgements, names, dice: random.Random):
    renamed = dict(zip("uvw", names, strict=True))
    others = [(item, renamed[worker], letter) for item, worker, letter in dice.sample(judgements, len(judgements))]
    first, second = (measured(scale, as_rows(rows, scale)) for rows in (judgements, others))

    for name, agreement in first.items():
        again = second[name].value
        assert agreement.value == (again if isinstance(again, Undefined) else pytest.approx(again, abs=1e-9))


@pytest.mark.parametrize("scale", MEASURED)
@at_most(50)
@given(letters=st.lists(st.sampled_from(LETTERS), min_size=2, max_size=6), workers=st.integers(2, 4))
def test_people_who_always_agree_have_alpha_1(scale: Scale, letters: list[str], workers: int):
    rows = [(f"i{n}", f"w{w}", letter) for n, letter in enumerate(letters) for w in range(workers)]
    for name, agreement in measured(scale, as_rows(rows, scale)).items():
        if len({*letters}) == 1 and not name.startswith("pairwise"):
            assert isinstance(agreement.value, Undefined)
        else:
            assert agreement.value == pytest.approx(0 if name == "pairwise difference" else 1)


@pytest.mark.parametrize("scale", MEASURED)
def test_an_item_with_one_judgement_is_left_out_with_a_note(scale: Scale):
    rows = as_rows([("i", "u", "a"), ("i", "v", "b"), ("j", "u", "a"), ("j", "v", "a"), ("k", "u", "c")], scale)
    agreement = next(iter(measured(scale, rows).values()))

    assert (agreement.items, agreement.judgements) == (2, 4)
    assert agreement.note == "1 of 3 items left out: they have one judgement."
    assert agreement.over == "the instances with two or more judgements"


@pytest.mark.parametrize("scale", MEASURED)
def test_nothing_to_compare_is_a_sentence(scale: Scale):
    for agreement in measured(scale, []).values():
        assert isinstance(agreement.value, Undefined)
        assert agreement.value.reason.endswith(".")


@pytest.mark.parametrize("scale", MEASURED)
def test_the_same_seed_gives_the_same_interval_and_it_holds_the_value(scale: Scale):
    judgements = [(f"i{n:02}", who, LETTERS[n % 3]) for n in range(15) for who in "uvw"]
    judgements += [(f"j{n}", who, LETTERS[(n + k) % 4]) for n in range(5) for k, who in enumerate("uvw")]
    first, again = (measured(scale, as_rows(judgements, scale), replicates=200) for _ in range(2))

    assert first == again
    for agreement in first.values():
        assert isinstance(agreement.interval, Interval)
        assert isinstance(agreement.value, float)
        assert agreement.interval.low <= agreement.value <= agreement.interval.high


def test_a_number_is_the_same_however_it_is_written():
    rows = [("i", "u", 0.0), ("i", "v", -0.0), ("j", "u", 2), ("j", "v", 2.0)]

    assert measured(INTERVAL, rows)["pairwise agreement"].value == 1


def test_texts_without_a_closeness_say_so_and_are_still_counted():
    close, same = measures(series_of(TEXT, [("i", "u", "a"), ("i", "v", "a")]), replicates=5)

    assert close.value == Undefined("There is no way to compute how close two of these texts are.")
    assert same.value == 1


@pytest.mark.parametrize(
    ("scale", "label"),
    [
        (NOMINAL, 1.0),
        (ORDINAL, "e"),
        (INTERVAL, "1"),
        (INTERVAL, math.nan),
        (INTERVAL, math.inf),
        (INTERVAL, 10**400),
        (ORDINAL, "ab"),
        (SET, "a b"),
        (TEXT, frozenset("a")),
    ],
)
def test_a_label_must_be_of_the_scale(scale: Scale, label: Label):
    with pytest.raises(ValueError, match=f"is no label of the {scale} scale"):
        series_of(scale, [("i", "u", label)], LETTERS if scale is ORDINAL else "")


def test_only_an_ordinal_scale_has_an_order_and_it_lists_each_label_once():
    for scale, order in ((ORDINAL, ""), (ORDINAL, "aa"), (NOMINAL, "ab")):
        with pytest.raises(ValueError, match="lists each of its labels once"):
            series_of(scale, [], order)


def test_partitions_are_reserved():
    with pytest.raises(NotImplementedError, match="cannot be measured yet"):
        measures(series_of(Scale.PARTITION, []))
