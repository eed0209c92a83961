"""The published dataset's filters, in their order: workers, answers, instances. Everything left out has its reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

from annotation.releasing.building import Builder, Built, CollectedAnswer
from annotation.releasing.recipe import make_recipe
from annotation.releasing.statistics import Statistics
from annotation.task_types.aggregation.cleaning.paper import PAPER
from annotation.task_types.aggregation.type import AGGREGATION
from tests.corpus.frozen_instances import make_frozen

Table = list[tuple[str, str, str]]  # (instance, worker, phrase); "": nothing fits


def release(table: Table, **options: Any) -> tuple[list[Built], dict[str, dict[str, Any]]]:
    """Return what is built of each instance, and the counts after each step."""
    done = Counter(worker for _, worker, _ in table)
    builder = Builder(make_recipe(AGGREGATION, ["A"], cleaning="paper", **options), AGGREGATION, PAPER, done, str)
    statistics, built = Statistics(AGGREGATION.release), []
    by_instance: dict[str, list[CollectedAnswer]] = {}
    for instance, worker, phrase in table:
        answer = {"phrases": [phrase] if phrase else [], "impossible": not phrase}
        by_instance.setdefault(instance, []).append(CollectedAnswer(worker, answer))
    for instance, answers in by_instance.items():
        built.append(builder.build(make_frozen(article_id=instance).to_json(), answers))
        statistics.add(built[-1])
    funnel: Any = statistics.to_json()["funnel"]
    return built, {row["step"]: row for row in funnel}


def small_table() -> Table:
    """Five instances by Ada, Ben and Cleo, and a sixth with an answer by Dan, who did one only."""
    table = [(f"i{number}", worker, "ports") for number in range(4) for worker in ("ada", "ben", "cleo")]
    table += [("i4", "ada", "bays"), ("i4", "ben", ""), ("i4", "cleo", "bays and ports")]
    return [*table, ("i5", "ada", "capes"), ("i5", "ben", "NA"), ("i5", "dan", "capes")]


def test_everything_left_out_is_listed_with_its_reason_and_the_counts_add_up():
    built, funnel = release(small_table())

    assert [(d.step, d.worker, d.answer, d.why) for instance in built for d in instance.discarded] == [
        ("answers", "cleo", "bays and ports", "not_conforming: Contains the word “and”."),
        ("instances", "", "", "1 of 3 annotations answered, fewer than 2."),
        ("workers", "dan", "capes", "The participant did 1 task, fewer than 5."),
        ("instances", "", "", "1 of 2 annotations answered, fewer than 2."),
    ]
    counts = {step: (row["annotators"], row["instances"], row["answered"]) for step, row in funnel.items()}
    assert (counts["collected"], counts["workers"]) == ((4, 6, 16), (3, 6, 15))
    assert (counts["answers"], counts["instances"]) == ((3, 6, 14), (3, 4, 12))
    assert [(row["rejected"], row["not_aggregatable"]) for row in (funnel["workers"], funnel["answers"])] == [
        (0, 2),
        (1, 2),
    ]


def published_shape() -> Table:
    """Invented answers with the published counts: 2,100 instances, 21 workers with 37 annotations between them."""
    answered = [3] * 1219 + [2] * 26 + [3] * 26 + [2] * 447 + [1] * 279 + [1] * 12 + [0] * 91
    short = {*range(1219, 1245), *range(1971, 1983)}  # 38 instances that keep only two annotations
    few = [f"few{n}" for n in range(21) for _ in range(1 + (n >= 10) + (n >= 16))]
    table = []
    for instance, yes in enumerate(answered):
        for place in range(2 if instance in short else 3):
            table.append((f"i{instance}", f"w{(instance * 3 + place) % 42}", "ports" if place < yes else "NA"))
    for n, (instance, worker) in enumerate(zip(sorted(short), few, strict=False)):
        table.append((f"i{instance}", worker, "ports" if n < 30 else "NA"))
    return table


def test_the_published_counts_come_out_of_their_own_table():
    built, funnel = release(published_shape())

    start, workers, kept = (funnel[step] for step in ("collected", "workers", "instances"))
    assert (start["instances"], start["annotators"], workers["annotators"]) == (2100, 63, 42)
    assert start["answered"] - workers["answered"] == 30
    assert start["not_aggregatable"] - workers["not_aggregatable"] == 7
    assert workers["answered"] + workers["not_aggregatable"] == 6262
    assert (kept["instances"], kept["annotators"]) == (1718, 42)
    assert sum(instance.row is None for instance in built) == 382


def test_a_kept_instance_keeps_an_annotation_that_found_nothing():
    built, _ = release([("i", "ada", "ports"), ("i", "ben", "bays"), ("i", "cleo", "")], least_assignments=1)

    assert built[0].row is not None
    assert [annotation["annotator"] for annotation in built[0].row["annotations"]] == ["ada", "ben", "cleo"]


def test_thresholds_are_parameters():
    _, loose = release(small_table(), least_assignments=1, least_answered=1)
    _, strict = release(small_table(), least_assignments=99)

    assert (loose["instances"]["instances"], strict["instances"]["instances"]) == (6, 0)


def test_rows_leave_out_what_names_came_from_and_the_statistics_count_it():
    done = {"ada": 9, "ben": 9}
    recipe = make_recipe(AGGREGATION, ["A"], cleaning="paper")
    builder, statistics = Builder(recipe, AGGREGATION, PAPER, done, str), Statistics(AGGREGATION.release)
    answers = [CollectedAnswer(worker, {"phrases": ["botanists"], "impossible": False}) for worker in done]
    items = [make_frozen(article_id=name, names_from=name) for name in ("tags", "recognition")]
    items += [make_frozen(article_id="before"), make_frozen(article_id="more", names_from="tags")]
    for item in items:
        built = builder.build(item.to_json(), answers)
        assert built.row is not None
        assert "names_from" not in built.row
        statistics.add(built)

    assert statistics.to_json()["names_from"] == {"recognition": 1, "tags": 2}
    assert "names_from" not in Statistics(AGGREGATION.release).to_json()
