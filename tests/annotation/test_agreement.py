from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.agreement import Interval, fleiss_kappa, krippendorff_alpha, percent_agreement
from annotation.quality.pairs import cohen_kappa, mean_kappa, worker_agreement, worker_pairs
from annotation.quality.ratings import Ratings, Undefined


def table(*columns: str) -> Ratings:
    """One string per worker, one letter per item; "." where the worker did not judge the item."""
    cells = [(n, w, letter) for w, column in enumerate(columns) for n, letter in enumerate(column)]
    return Ratings.of((f"i{n:02}", f"w{w}", letter) for n, w, letter in cells if letter != ".")


# Krippendorff's own example with missing judgements ("Computing Krippendorff's alpha-reliability", 2011, section C).
WITH_MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_alpha_of_the_textbook_example_with_missing_judgements():
    alpha = krippendorff_alpha(table(*WITH_MISSING))

    assert alpha.value == pytest.approx(0.743, abs=0.0005)
    assert (alpha.items, alpha.judgements) == (11, 40)
    assert alpha.note == "1 of 12 items left out: they have one judgement."


def test_alpha_by_hand():
    # Two people, four items, one disagreement: coincidences aa 4, bb 2, ab and ba 1; a 5 times, b 3 times.
    assert krippendorff_alpha(table("aaab", "aabb")).value == pytest.approx(1 - 7 * 2 / (2 * 5 * 3))


def test_fleiss_of_the_textbook_example():
    # Fleiss' table of 14 raters, 10 subjects, 5 categories.
    counts = """0 0 0 0 14/0 2 6 4 2/0 0 3 5 6/0 3 9 2 0/2 2 8 1 1/7 7 0 0 0/3 2 6 3 0/2 5 3 2 2/6 5 2 1 0/0 2 2 3 7"""
    rows = []
    for n, line in enumerate(counts.split("/")):
        labels = "".join("abcde"[k] * int(count) for k, count in enumerate(line.split()))
        rows += [(str(n), str(w), label) for w, label in enumerate(labels)]

    assert fleiss_kappa(Ratings.of(rows)).value == pytest.approx(0.210, abs=0.0005)


def test_fleiss_takes_the_items_with_the_usual_number_of_judgements_and_says_so():
    whole = table("abba", "abab", "abbb")
    with_more = table("abbaaa", "ababba", "abbb.b", ".....b")

    assert fleiss_kappa(with_more).value == fleiss_kappa(whole).value
    assert fleiss_kappa(with_more).note == "2 of 6 items left out: they have other than 3 judgements."


def grids(workers: int) -> st.SearchStrategy[list[list[str]]]:
    rows = st.lists(st.sampled_from("abc"), min_size=workers, max_size=workers)
    return st.lists(rows, min_size=2, max_size=12)


@pytest.mark.slow
@given(st.integers(2, 4).flatmap(grids))
def test_fleiss_is_statsmodels_and_cohen_is_scikit_learns(grid: list[list[str]]):
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats import inter_rater

    ratings = table(*("".join(column) for column in zip(*grid, strict=True)))
    ours = fleiss_kappa(ratings, replicates=2).value
    counts, _ = inter_rater.aggregate_raters(np.array([[ord(letter) for letter in row] for row in grid]))

    if isinstance(ours, Undefined):
        assert len({letter for row in grid for letter in row}) == 1
    else:
        assert ours == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-9)
    for pair in worker_pairs(ratings):
        first, second = ([row[int(name[1:])] for row in grid] for name in (pair.first, pair.second))
        if isinstance(pair.kappa, Undefined):
            assert len({*first, *second}) == 1
        else:
            assert pair.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)
            assert pair.kappa == cohen_kappa(first, second)


ROWS = st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("uvw"), st.sampled_from("abc")), max_size=14)


@given(ROWS)
def test_any_table_gives_a_finite_number_or_a_reason(rows):
    ratings = Ratings.of(rows)
    for measure in (krippendorff_alpha, fleiss_kappa, percent_agreement):
        agreement = measure(ratings, replicates=20)
        assert isinstance(agreement.value, Undefined) or (
            math.isfinite(agreement.value) and agreement.value <= 1 + 1e-12
        )
        if isinstance(agreement.interval, Interval):
            assert agreement.interval.low <= agreement.interval.high
        else:
            assert agreement.interval.reason.endswith(".")
    for worker in worker_agreement(ratings).values():
        assert isinstance(worker.share, Undefined) or 0 <= worker.share <= 1


@given(ROWS, st.permutations("abc"))
def test_names_and_order_do_not_count(rows, renamed):
    names = dict(zip("abc", renamed, strict=True))
    once = [(item, worker, label) for (item, worker), label in {row[:2]: row[2] for row in rows}.items()]
    others = [(f"x{item}", worker.upper(), names[label]) for item, worker, label in reversed(once)]
    first, second = (krippendorff_alpha(Ratings.of(table), replicates=2).value for table in (once, others))

    assert first == second if isinstance(first, Undefined) else first == pytest.approx(second)


def test_what_cannot_be_computed_says_why():
    assert krippendorff_alpha(Ratings.of([])).value == Undefined(
        "No item has two judgements, so there is nothing to compare."
    )
    assert isinstance(krippendorff_alpha(table("aa", "..")).value, Undefined)
    assert "same label" in krippendorff_alpha(table("aaa", "aaa")).value.reason
    assert "two items" in krippendorff_alpha(table("a", "b")).interval.reason
    assert isinstance(mean_kappa(()), Undefined)
    assert "Nobody else" in worker_agreement(table("ab.", "..a"))["w0"].share.reason


def test_the_same_seed_gives_the_same_interval_and_it_holds_the_value():
    ratings = table("abcabcabcaab", "abcabbabcaba", "abcaccabcaab")
    first, again, other = (krippendorff_alpha(ratings, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.interval != other.interval
    assert first.interval.low < first.value < first.interval.high


def test_a_worker_who_contradicts_everyone_stands_out():
    agreement = worker_agreement(table("aabbab", "aabbab", "bbaaba"))

    assert agreement["w0"].share == 0.5
    assert (agreement["w2"].share, agreement["w2"].kappa) == (0.0, -1.0)


def test_two_people_must_have_labelled_the_same_items():
    with pytest.raises(ValueError, match="the same items"):
        cohen_kappa(["a"], ["a", "b"])
