from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from annotation.quality import worker_filters
from annotation.quality.agreement import HitRate
from annotation.quality.chance import at_least_by_chance
from annotation.quality.worker_filters import Concern, Strength, Work, WorkerRecord, shares_agreeing
from annotation.task_types import TASK_TYPES
from tests.annotation.graded import STARS_TYPE, stars

FILTERS = TASK_TYPES["aggregation"].worker_filters

PASSAGE = "The old northern ports of Norland were closed for a week in winter."


def work(n: int, **changes) -> Work:
    return Work(
        **{"units": (f"things of kind{n}",), "context": PASSAGE, "active_seconds": 60.0, "agrees": 0.5, **changes}
    )


def record(worker: str, pieces: int = 8, gold: HitRate | None = None, **changes) -> WorkerRecord:
    return WorkerRecord(worker, tuple(work(n, **changes) for n in range(pieces)), gold)


GOOD = [record("ada"), record("ben"), record("cleo")]


def look_at_workers(records: list[WorkerRecord], **thresholds: dict[str, float]) -> tuple[Concern, ...]:
    return worker_filters.look_at_workers(records, FILTERS, thresholds)


def concerns(dan: WorkerRecord, **thresholds):
    return [c for c in look_at_workers([*GOOD, dan], **thresholds) if c.worker == "dan"]


def test_ordinary_work_meets_no_concern():
    assert look_at_workers(GOOD) == ()


@pytest.mark.parametrize(
    ("dan", "name", "level", "evidence"),
    [
        (record("dan", 4), "few_assignments", Strength.WEAK, "Gave 4 answers; at least 5 are expected."),
        (
            record("dan", active_seconds=6.0), "too_fast", Strength.STRONG,
            "Takes 10% of the median time for a passage of the same length, over 8 answers.",
        ),
        (
            record("dan", gold=HitRate(0, 6)), "failed_gold", Strength.STRONG,
            "Got 0 of 6 check tasks right; at least 50% are expected.",
        ),
        (
            record("dan", gold=HitRate(1, 3)), "failed_gold", Strength.WEAK,
            "Got 1 of 3 check tasks right; at least 50% are expected.",
        ),
        (
            record("dan", units=("ports",)), "always_the_same", Strength.STRONG,
            "Wrote “ports” in 8 of 8 answers with a phrase.",
        ),
        (
            record("dan", agrees=0.0), "disagrees_with_everyone", Strength.STRONG,
            "Agrees with 0% of the others' answers on 8 instances; the median is 50%.",
        ),
        (
            record("dan", units=()), "always_impossible", Strength.STRONG,
            "Gave no phrase in 8 of 8 answers; the others in 0% of theirs.",
        ),
    ],
)  # fmt: skip
def test_each_filter_says_what_it_saw(dan: WorkerRecord, name: str, level: Strength, evidence: str):
    assert [(v.filter, v.level, v.evidence) for v in concerns(dan)] == [(name, level, evidence)]


def without_phrases(worker: str, empty: int, pieces: int) -> WorkerRecord:
    return WorkerRecord(worker, tuple(work(n, units=() if n < empty else ("ports",)) for n in range(pieces)))


def test_a_share_that_is_usual_among_the_others_is_no_concern():
    others = [without_phrases("ada", 49, 50), without_phrases("ben", 49, 50)]

    seen = look_at_workers([*others, without_phrases("dan", 18, 18)])

    assert [c for c in seen if c.filter == "always_impossible"] == []


@pytest.mark.parametrize(
    ("empty", "level", "p"),
    [(1, Strength.STRONG, "0.0000"), (10, Strength.WEAK, "0.0042"), (15, Strength.WEAK, "0.0466"), (16, None, "")],
)
def test_the_strength_of_a_concern_comes_from_how_unlikely_it_is_among_the_others(empty: int, level, p: str):
    records = [without_phrases("ada", empty, 24), without_phrases("dan", 8, 8)]  # p = C(empty + 8, 8) / C(32, 8)

    seen = [c for c in look_at_workers(records) if c.filter == "always_impossible"]

    assert [(c.worker, c.level, f"{c.numbers['p']:.4f}") for c in seen] == ([("dan", level, p)] if level else [])


def paced(worker: str, fast: int, pieces: int) -> WorkerRecord:
    return WorkerRecord(worker, tuple(work(n, active_seconds=6.0 if n < fast else 60.0) for n in range(pieces)))


@pytest.mark.parametrize(("fast", "level"), [(0, Strength.STRONG), (2, Strength.WEAK), (10, None)])
def test_being_fast_is_a_strong_concern_only_where_the_others_are_hardly_ever_so_fast(fast: int, level):
    seen = look_at_workers([paced("ada", fast, 24), paced("dan", 3, 3)], few_assignments={"least": 0})

    assert [(c.worker, c.filter, c.level) for c in seen] == ([("dan", "too_fast", level)] if level else [])


def agreeing(worker: str, alone: int, pieces: int) -> WorkerRecord:
    return WorkerRecord(worker, tuple(work(n, agrees=0.0 if n < alone else 0.5) for n in range(pieces)))


@pytest.mark.parametrize(("alone", "level"), [(0, Strength.STRONG), (7, Strength.WEAK), (18, None)])
def test_disagreeing_is_a_strong_concern_only_where_the_others_hardly_ever_disagree(alone: int, level):
    seen = look_at_workers([agreeing("ada", alone, 24), agreeing("ben", 0, 1), agreeing("dan", 5, 5)])

    concerns = [(c.worker, c.level) for c in seen if c.filter == "disagrees_with_everyone"]
    assert concerns == ([("dan", level)] if level else [])


@given(st.data())
def test_the_chance_of_so_many_hits_is_that_of_fishers_exact_test(data):
    total = data.draw(st.integers(1, 3000))
    drawn, all_hits = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    hits = data.draw(st.integers(0, drawn))

    expected = hypergeom.sf(hits - 1, total, all_hits, drawn)

    assert at_least_by_chance(hits, drawn, all_hits, total) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_somebody_who_never_finds_a_phrase_is_seen_while_nobody_else_has_answered():
    (concern,) = look_at_workers([record("dan", units=())])

    assert (concern.filter, concern.level) == ("always_impossible", Strength.WEAK)
    assert concern.evidence == "Gave no phrase in 8 of 8 answers; nobody else has answered."


def test_where_nobody_finds_a_phrase_nobody_is_pointed_out():
    assert not look_at_workers([record("dan", units=()), record("cleo", units=())])


def test_phrases_copied_from_the_passage_are_pointed_out():
    copies = ["old northern ports", "northern ports of Norland", "ports of Norland", "a week in winter"]
    dan = WorkerRecord("dan", tuple(work(n, units=(copies[n % 4],)) for n in range(8)))

    (concern,) = concerns(dan)

    assert (concern.filter, concern.level) == ("copies_the_context", Strength.WEAK)
    assert concern.numbers == {"copied": 8, "phrases": 8}


def test_the_time_is_measured_by_the_length_of_the_passage():
    dan = WorkerRecord("dan", tuple(work(n, context="Short text.", active_seconds=10.0) for n in range(8)))

    assert concerns(dan) == []


def test_without_consent_to_measuring_nobody_is_called_too_fast():
    assert concerns(record("dan", active_seconds=None)) == []


def test_where_everybody_finds_nothing_nobody_stands_out():
    assert look_at_workers([record(name, units=(), agrees=1.0) for name in ("ada", "ben")]) == ()


def test_thresholds_are_data():
    assert concerns(record("dan", 4), few_assignments={"least": 3}) == []
    assert [v.filter for v in concerns(record("dan", active_seconds=30.0), too_fast={"share": 0.9})] == ["too_fast"]


def test_each_answer_has_its_share_of_others_that_say_the_same():
    def closeness(left: str, right: str) -> float:
        return 1.0 if left == right else 0.9

    assert shares_agreeing(["a", "b", "a"], closeness) == [0.5, 0.0, 0.5]
    assert shares_agreeing(["a"], closeness) == [None]
    assert shares_agreeing(["a", "b", "a"], closeness, 0.9) == [1.0, 1.0, 1.0]


def test_somebody_who_is_always_one_star_away_from_the_others_gets_no_warning_where_that_counts_as_the_same():
    def concerns_about(dan: int) -> list[str]:
        answers = [stars(4), stars(4), stars(4), stars(dan)]
        shares = shares_agreeing(answers, STARS_TYPE.closeness, STARS_TYPE.thresholds.same)
        records = [
            WorkerRecord(name, tuple(Work((), agrees=share) for _ in range(20)))
            for name, share in zip(("ada", "ben", "cleo", "dan"), shares, strict=True)
        ]
        return [concern.evidence for concern in worker_filters.look_at_workers(records, STARS_TYPE.worker_filters)]

    assert concerns_about(3) == []
    assert concerns_about(2) == ["Agrees with 0% of the others' answers on 20 instances; the median is 67%."]


def test_the_interval_of_a_hit_rate_is_honest_for_few_answers():
    right, wrong = HitRate(2, 2).interval, HitRate(0, 1).interval

    assert right.low == pytest.approx(0.342, abs=0.001)  # Wilson, 2 of 2
    assert (right.high, wrong.low) == (1.0, 0.0)


def test_strong_concerns_stand_first():
    all_concerns = look_at_workers([*GOOD, record("aaron", 4), record("dan", units=("ports",))])

    assert [(v.worker, v.level) for v in all_concerns] == [("dan", Strength.STRONG), ("aaron", Strength.WEAK)]


PIECES = st.builds(
    Work,
    units=st.lists(st.text(max_size=12), max_size=2).map(tuple),
    context=st.text(max_size=20),
    active_seconds=st.none() | st.floats(0, 1e6),
    agrees=st.none() | st.floats(0, 1),
)
RECORDS = st.builds(
    WorkerRecord,
    worker=st.text(max_size=3),
    work=st.lists(PIECES, max_size=9).map(tuple),
    gold=st.none() | st.builds(HitRate, hits=st.integers(0, 3), answered=st.integers(3, 9)),
)


@given(st.lists(RECORDS, max_size=5))
def test_any_records_get_concerns_with_a_sentence_and_their_numbers(records):
    for concern in look_at_workers(records):
        assert concern.evidence.endswith(".")
        assert concern.numbers
        assert concern.filter in {filter_.name for filter_ in FILTERS}
