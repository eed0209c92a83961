from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.synthetic.release import GOLDS, SIZES, SYNTHETIC, TYPES, release_items, synthetic_release


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [*synthetic_release(seed=0)]


def test_a_synthetic_release_has_the_papers_shape(lines: list[str]):
    items = release_items(lines)

    assert len(items) == 1_718
    assert Counter(item.entity_type for item in items) == TYPES
    assert Counter(len(item.entities) for item in items) == SIZES
    assert Counter(len(item.golds) for item in items) == GOLDS


def test_few_answers_are_frequent_and_most_stand_once(lines: list[str]):
    counts = Counter(gold.phrase for item in release_items(lines) for gold in item.golds)

    assert 1_000 < len(counts) < 2_500
    assert sum(count == 1 for count in counts.values()) > len(counts) / 2
    assert counts.most_common(1)[0][1] > 100


def test_it_says_that_it_is_synthetic_and_its_mentions_are_where_it_says(lines: list[str]):
    for line in lines[:200]:
        row = json.loads(line)
        assert row["corpus"] == SYNTHETIC
        for mention in row["mentions"]:
            assert row["context"][mention["start"] : mention["end"]] == row["entities"][mention["entity"]]


def test_a_seed_gives_one_release_and_another_seed_another():
    assert [*synthetic_release(30, seed=1)] == [*synthetic_release(30, seed=1)]
    assert [*synthetic_release(30, seed=1)] != [*synthetic_release(30, seed=2)]
