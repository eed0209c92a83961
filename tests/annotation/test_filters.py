from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.filters import Given, apply_filters
from annotation.task_types.aggregation.cleaning.paper import PAPER


def annotation(instance: str, worker: str, *answers: str, impossible: bool = False) -> Given:
    cleaned = PAPER.clean({}, {"phrases": list(answers), "impossible": impossible})
    return Given(f"{instance}-{worker}", instance, worker, cleaned)


def table() -> list[Given]:
    """Five instances by Ada, Ben and Cleo, a sixth that Dan, who did one only, rescues in vain."""
    given = [annotation(f"i{n}", worker, "ports") for n in range(4) for worker in ("ada", "ben", "cleo")]
    given += [annotation("i4", "ada", "bays"), annotation("i4", "ben", impossible=True)]
    given += [annotation("i4", "cleo", "bays and ports")]
    given += [annotation("i5", "ada", "capes"), annotation("i5", "ben", "NA"), annotation("i5", "dan", "capes")]
    return given


def test_the_counts_after_each_filter_add_up():
    filtered = apply_filters(table())

    assert [(c.after, c.workers, c.instances, c.answered, c.not_aggregatable) for c in filtered.counts] == [
        ("nothing", 4, 6, 16, 2),
        ("workers", 3, 6, 15, 2),
        ("answers", 3, 6, 14, 3),
        ("instances", 3, 4, 12, 0),
    ]


def published_shape() -> list[Given]:
    """Invented answers with the published counts: 2,100 instances, 21 workers with 37 annotations between them."""
    answered = [3] * 1219 + [2] * 26 + [3] * 26 + [2] * 447 + [1] * 279 + [1] * 12 + [0] * 91
    short = {*range(1219, 1245), *range(1971, 1983)}  # 38 instances that keep only two annotations
    few = [f"few{n}" for n in range(21) for _ in range(1 + (n >= 10) + (n >= 16))]
    given = []
    for instance, yes in enumerate(answered):
        for place in range(2 if instance in short else 3):
            worker = f"w{(instance * 3 + place) % 42}"
            given.append(annotation(f"i{instance}", worker, "ports" if place < yes else "NA"))
    for n, (instance, worker) in enumerate(zip(sorted(short), few, strict=False)):
        given.append(annotation(f"i{instance}", worker, "ports" if n < 30 else "NA"))
    return given


def test_the_published_counts_come_out_of_their_own_table():
    filtered = apply_filters(published_shape())

    start, workers, _, kept = filtered.counts
    assert (start.instances, start.workers, start.workers - workers.workers) == (2100, 63, 21)
    assert (start.answered - workers.answered, start.not_aggregatable - workers.not_aggregatable) == (30, 7)
    assert workers.answered + workers.not_aggregatable == 6262
    assert (kept.instances, kept.workers) == (1718, 42)
    assert workers.answered - kept.answered == sum(1 for d in filtered.discarded if d.reason.startswith("1 of"))
    assert sum(d.filter == "instances" for d in filtered.discarded) == 382


def test_everything_discarded_is_listed_with_its_reason():
    filtered = apply_filters(table())

    assert [(d.filter, d.instance, d.worker, d.answer, d.reason) for d in filtered.discarded] == [
        ("workers", "i5", "dan", None, "The worker did 1 task, fewer than 5."),
        ("answers", "i4", "cleo", "bays and ports", "not_conforming: Contains the word “and”."),
        ("instances", "i4", "", None, "1 of 3 annotations answered, fewer than 2."),
        ("instances", "i5", "", None, "1 of 2 annotations answered, fewer than 2."),
    ]


def test_a_kept_instance_keeps_its_not_aggregatable_annotation():
    given = [annotation("i", w, *a) for w, a in [("ada", ("ports",)), ("ben", ("bays",)), ("cleo", ())]]

    filtered = apply_filters(given, least_assignments=1)

    assert [a.worker for a in filtered.kept] == ["ada", "ben", "cleo"]


def test_thresholds_are_parameters():
    given = table()

    assert len(apply_filters(given, least_assignments=1, least_answered=0).kept) == len(given)
    assert apply_filters(given, least_assignments=99).kept == ()


ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz"), st.sampled_from(["ports", "and", "NA", ""])),
    unique_by=lambda row: row[:2],
    max_size=30,
)


@given(ROWS, st.integers(0, 6), st.integers(0, 3))
def test_every_annotation_is_kept_or_accounted_for(rows, least_assignments: int, least_answered: int):
    given = [annotation(*row) for row in rows]

    filtered = apply_filters(given, least_assignments=least_assignments, least_answered=least_answered)

    gone = {d.annotation for d in filtered.discarded if d.filter == "workers"}
    dropped = {d.instance for d in filtered.discarded if d.filter == "instances"}
    assert all(a in filtered.kept or a.key in gone or a.instance in dropped for a in given)
    assert not any(a.key in gone or a.instance in dropped for a in filtered.kept)
