from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from tests.synthetic.hard import MONTHS, hard_dataset, season_of
from tests.synthetic.release import GOLDS, SIZES, SYNTHETIC, TYPES, release_items, synthetic_release
from tests.synthetic.words import ROLES


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


@pytest.fixture(scope="module")
def hard_tasks():
    dataset = hard_dataset(60, 20, 20, seed=3)
    return [task for part in dataset.parts.values() for task in part]


def test_no_entity_of_the_hard_tasks_returns(hard_tasks):
    names = [name for task in hard_tasks for name in task.item.entities]

    assert len(set(names)) == len(names)


def test_backgrounds_of_a_hard_task_leave_three_trades_and_the_month_one(hard_tasks):
    for task in hard_tasks:
        roles = ROLES[task.item.entity_type]
        named = [
            role for role in roles if all(re.search(rf"\b{role.singular}\b", text) for text in task.item.backgrounds)
        ]
        (season,) = [
            number
            for number, months in enumerate(MONTHS)
            if any(f"in {month}." in task.item.context for month in months)
        ]
        right = [role for role in named if season_of(role, task.item.entity_type) == season]

        assert len({season_of(role, task.item.entity_type) for role in named}) == len(named) == 3
        assert [role.plural in task.gold_phrases for role in right] == [True]
        assert all(role.plural not in task.gold_phrases for role in roles if role not in right)


def test_distractors_of_a_hard_task_are_of_its_season_too(hard_tasks):
    for task in hard_tasks:
        kind = task.item.entity_type
        offered = [role for role in ROLES[kind] if role.plural in task.phrases]
        (gold,) = [role for role in offered if role.plural in task.gold_phrases]

        assert (len(task.phrases), sum(task.labels)) == (24, 3)
        assert sum(season_of(role, kind) == season_of(gold, kind) for role in offered) >= 3


def test_hard_tasks_of_the_same_seed_are_the_same():
    assert hard_dataset(5, 2, 2, seed=1).content_hash() == hard_dataset(5, 2, 2, seed=1).content_hash()
    assert hard_dataset(5, 2, 2, seed=1).content_hash() != hard_dataset(5, 2, 2, seed=2).content_hash()
