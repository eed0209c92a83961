"""Drawing: uniform, seeded, one of an overlap group, none that was taken."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.sampling import Drawable, SampleFilters, draw
from kernel.errors import InvalidInput

candidates = st.lists(
    st.builds(
        Drawable,
        key=st.text("abcdef", min_size=1, max_size=4),
        group=st.sampled_from("uvwxyz"),
        type=st.sampled_from(["person", "location"]),
        size=st.integers(2, 6),
    ),
    unique_by=lambda candidate: candidate.key,
)


@given(candidates, st.integers(0, 8), st.integers(), st.randoms())
def test_the_same_seed_draws_the_same_whatever_the_order(given_candidates, n, seed, random):
    shuffled = random.sample(given_candidates, len(given_candidates))

    assert draw(given_candidates, n, seed=seed) == draw(shuffled, n, seed=seed)


@given(candidates, st.integers(0, 8), st.integers())
def test_one_of_a_group_is_drawn_and_a_larger_draw_goes_on(given_candidates, n, seed):
    drawn, more = draw(given_candidates, n, seed=seed), draw(given_candidates, n + 1, seed=seed)

    groups = [candidate.group for candidate in drawn.chosen]
    assert len(set(groups)) == len(groups) == min(n, drawn.most)
    assert drawn.most == len({candidate.group for candidate in given_candidates})
    assert more.chosen[: len(drawn.chosen)] == drawn.chosen
    assert sum(drawn.available.values()) == len(given_candidates)


@given(candidates, st.integers(1, 4))
def test_what_was_drawn_is_never_drawn_again_nor_its_group(given_candidates, n):
    first = draw(given_candidates, n, seed=1).chosen
    keys, groups = {candidate.key for candidate in first}, {candidate.group for candidate in first}

    second = draw(given_candidates, 100, seed=2, taken_keys=keys, taken_groups=groups).chosen

    assert not groups & {candidate.group for candidate in second}
    assert not keys & {candidate.key for candidate in second}


def test_an_instance_that_was_sampled_stays_out_even_in_a_new_group():
    candidate = Drawable("k", "new", "person", 2)

    assert not draw([candidate], 1, seed=0, taken_keys={"k"}).chosen


def test_every_instance_is_as_likely_as_any_other():
    pool = [Drawable(f"{number}", f"{number}", "person", 2) for number in range(10)]

    counts = Counter(candidate.key for seed in range(2_000) for candidate in draw(pool, 3, seed=seed).chosen)

    assert len(counts) == 10
    assert all(500 < number < 700 for number in counts.values())  # 600 expected, 20 the deviation


def test_asking_for_too_many_says_how_many_are_left():
    pool = [Drawable("a", "g", "person", 2), Drawable("b", "g", "person", 2), Drawable("c", "h", "person", 3)]

    with pytest.raises(InvalidInput, match=r"n: 5 were asked for, but only 2 can be drawn"):
        draw(pool, 5, seed=0).check(5)
    with pytest.raises(InvalidInput, match="none is left to draw"):
        draw([], 1, seed=0).check(1)


@given(
    st.builds(
        SampleFilters,
        types=st.lists(st.sampled_from(["person", "location"]), unique=True).map(tuple),
        sizes=st.lists(st.integers(2, 6), unique=True).map(tuple),
        kinds=st.lists(st.sampled_from(["content", "abstract"]), unique=True).map(tuple),
        without_background=st.booleans(),
    )
)
def test_filters_come_back_from_json_as_they_were(filters):
    assert SampleFilters.from_json(filters.to_json()) == filters


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"types": ["animal"]}, "types"),
        ({"sizes": [7]}, "sizes"),
        ({"sizes": ["2"]}, "sizes"),
        ({"sizes": 2}, "sizes"),
        ({"kinds": ["headline"]}, "kinds"),
        ({"without_background": "no"}, "without_background"),
    ],
)
def test_filters_that_mean_nothing_are_refused(row, field):
    with pytest.raises(InvalidInput) as caught:
        SampleFilters.from_json(row)

    assert caught.value.field == field
