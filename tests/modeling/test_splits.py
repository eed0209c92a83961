from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import InvalidInput
from modeling.items import Item
from modeling.split_statistics import part_items, split_statistics
from modeling.splits import RULES, SplitValue, make_folds, make_split, split_from_json
from tests.modeling.values import make_item, refusal, synthetic_items
from tests.properties import at_most


def numbered(count: int) -> list[Item]:
    return [make_item(f"{number:05}", entities=(f"A{number}", f"B{number}")) for number in range(count)]


@st.composite
def tangled(draw: st.DrawFn) -> list[Item]:
    """Items that share groups, articles and entities here and there."""
    count = draw(st.integers(12, 60))
    place = st.integers(0, count)
    return [
        make_item(
            f"{number:05}",
            group=f"g{draw(place)}",
            article_id=f"a{draw(place)}",
            entities=(f"E{draw(place)}", f"F{draw(place)}"),
        )
        for number in range(count)
    ]


def test_the_papers_1718_instances_give_858_430_430():
    split = make_split(numbered(1_718), rule="paper", seed=2345)

    assert [len(split.parts[part]) for part in ("train", "valid", "test")] == [858, 430, 430]


def test_five_folds_of_the_papers_instances_have_257_and_a_test_part_of_433():
    folds = make_folds(numbered(1_718), 5, rule="paper", seed=1)

    assert {len(fold.parts["valid"]) for fold in folds} == {257}
    assert {fold.parts["test"] for fold in folds} == {folds[0].parts["test"]}
    assert len(folds[0].parts["test"]) == 433
    held = [key for fold in folds for key in fold.parts["valid"]]
    assert len(set(held)) == len(held) == 1_718 - 433
    for fold in folds:
        assert not set(fold.parts["train"]) & {*fold.parts["valid"], *fold.parts["test"]}


@pytest.mark.parametrize("rule", RULES)
def test_every_instance_stands_once_and_the_order_of_the_release_does_not_matter(rule: str):
    items = list(synthetic_items())
    split = make_split(items, rule=rule, seed=3)
    random.Random(0).shuffle(items)

    assert make_split(items, rule=rule, seed=3) == split
    assert make_split(items, rule=rule, seed=4) != split
    keys = [key for part in split.parts.values() for key in part]
    assert sorted([*keys, *split.set_aside]) == sorted(item.key for item in items)


@at_most(60)
@given(tangled(), st.integers(0, 5))
def test_grouped_parts_share_no_group_tuple_or_article(items: list[Item], seed: int):
    def splits() -> list[SplitValue]:
        return [make_split(items, rule="grouped", seed=seed), *make_folds(items, 2, rule="grouped", seed=seed)]

    if message := refusal(splits):
        assert "too many instances are connected" in message
        return
    for split in splits():
        parts = part_items(items, split)
        for share in ("group", "tuple_key", "article_id"):
            sets = [{getattr(item, share) for item in held} for held in parts.values()]
            assert sum(map(len, sets)) == len(set().union(*sets)), share


@at_most(60)
@given(tangled(), st.integers(0, 5))
def test_no_entity_of_an_unseen_test_part_stands_elsewhere(items: list[Item], seed: int):
    if message := refusal(lambda: make_split(items, rule="unseen", seed=seed)):
        assert "too many instances are connected" in message
        return
    split = make_split(items, rule="unseen", seed=seed)
    parts = part_items(items, split)
    tested = {name for item in parts["test"] for name in item.entities}
    assert not tested & {name for part in ("train", "valid") for item in parts[part] for name in item.entities}
    assert split_statistics(items, split)["test"].unseen == len(parts["test"])


@at_most(60)
@given(tangled(), st.integers(0, 5))
def test_an_unseen_split_keeps_passages_and_articles_apart_too(items: list[Item], seed: int):
    if refusal(lambda: make_split(items, rule="unseen", seed=seed)):
        return
    parts = part_items(items, make_split(items, rule="unseen", seed=seed))
    for share in ("group", "article_id", "tuple_key"):
        sets = [{getattr(item, share) for item in held} for held in parts.values()]
        assert sum(map(len, sets)) == len(set().union(*sets)), share


def test_two_passages_of_one_article_with_other_entities_stay_together_in_an_unseen_split():
    items = [
        make_item(
            f"{number:03}", group=f"g{number}", article_id=f"a{number // 2}", entities=(f"E{number}", f"F{number}")
        )
        for number in range(80)
    ]

    for seed in range(5):
        part_of = make_split(items, rule="unseen", seed=seed).part_of()
        assert all(part_of[f"{number:03}"] == part_of[f"{number + 1:03}"] for number in range(0, 80, 2))


def test_a_synthetic_release_splits_near_two_to_one_to_one_by_every_rule():
    items = synthetic_items(400)
    for rule in RULES:
        split = make_split(items, rule=rule, seed=0)
        assert abs(len(split.parts["test"]) - 100) <= 10, rule
        assert abs(len(split.parts["valid"]) - 100) <= 20, rule


def test_a_split_comes_back_from_its_json_with_its_hash():
    split = make_folds(synthetic_items(), 3, seed=9)[1]

    again = split_from_json(split.to_json())

    assert again == split
    assert again.content_hash() == split.content_hash()
    assert SplitValue("paper", 1, split.parts).content_hash() != split.content_hash()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_split(numbered(3), seed=0), "at least four"),
        (lambda: make_split(numbered(9), rule="by mood", seed=0), "known: paper, grouped, unseen"),
        (lambda: make_folds(numbered(9), 1, seed=0), "two or more"),
        (lambda: make_folds(numbered(26), 500, seed=0), "26 instances are too few for 500 folds: choose 20 or fewer"),
        (lambda: make_split([make_item(str(n)) for n in range(9)], rule="grouped", seed=0), "too many instances"),
        (lambda: part_items(numbered(4), make_split(numbered(9), seed=0)), "not in these items"),
    ],
)
def test_what_cannot_be_split_gets_a_sentence(call, message: str):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_the_statistics_count_types_sizes_golds_and_what_training_has_not_seen():
    items = [
        make_item("a", golds=("painters", "artists")),
        make_item("b", entities=("Ida Lind", "Ada Sten", "Eva Holm"), backgrounds=("", "", "")),
        make_item("c", entities=("Karl Berg", "Nils Dahl")),
    ]

    statistics = split_statistics(items, SplitValue("paper", 0, {"train": ("a",), "valid": ("b",), "test": ("c",)}))

    assert (statistics["train"].golds_per_instance, statistics["train"].by_golds) == (2.0, {2: 1})
    assert (statistics["valid"].by_size, statistics["valid"].unseen) == ({3: 1}, 0)
    assert (statistics["test"].by_type, statistics["test"].unseen) == ({"person": 1}, 1)
