from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.gold import HitRate
from annotation.quality.worker_filters import FILTERS, Concern, Work, WorkerRecord, look_at_workers

PASSAGE = "The old northern ports of Norland were closed for a week in winter."


def work(n: int, **changes) -> Work:
    return Work(
        **{"phrases": (f"things of kind{n}",), "context": PASSAGE, "active_seconds": 60.0, "agrees": 0.5, **changes}
    )


def record(worker: str, pieces: int = 8, gold: HitRate | None = None, **changes) -> WorkerRecord:
    return WorkerRecord(worker, tuple(work(n, **changes) for n in range(pieces)), gold)


GOOD = [record("ada"), record("ben"), record("cleo")]


def verdicts(dan: WorkerRecord, **thresholds):
    return [v for v in look_at_workers([*GOOD, dan], thresholds=thresholds) if v.worker == "dan"]


def test_ordinary_work_meets_no_concern():
    assert look_at_workers(GOOD) == ()


@pytest.mark.parametrize(
    ("dan", "name", "level", "evidence"),
    [
        (record("dan", 4), "few_assignments", Concern.WEAK, "Did 4 of at least 5 assignments."),
        (
            record("dan", active_seconds=6.0), "too_fast", Concern.STRONG,
            "Takes 10% of the usual time for a passage of the same length, over 8 assignments.",
        ),
        (
            record("dan", gold=HitRate(0, 6)), "failed_gold", Concern.STRONG,
            "Hit 0 of 6 known instances; at least 50% are expected.",
        ),
        (
            record("dan", gold=HitRate(1, 3)), "failed_gold", Concern.WEAK,
            "Hit 1 of 3 known instances; at least 50% are expected.",
        ),
        (
            record("dan", phrases=("ports",)), "always_the_same", Concern.STRONG,
            "Wrote “ports” in 8 of 8 answered assignments.",
        ),
        (
            record("dan", agrees=0.0), "disagrees_with_everyone", Concern.STRONG,
            "Agrees with 0% of the others' answers on 8 instances; 50% is usual.",
        ),
        (
            record("dan", phrases=()), "always_impossible", Concern.STRONG,
            "Found no phrase in 8 of 8 assignments; 0% is usual among the others.",
        ),
    ],
)  # fmt: skip
def test_each_filter_says_what_it_saw(dan: WorkerRecord, name: str, level: Concern, evidence: str):
    assert [(v.filter, v.level, v.evidence) for v in verdicts(dan)] == [(name, level, evidence)]


def test_somebody_who_never_finds_a_phrase_is_seen_while_nobody_else_has_answered():
    (verdict,) = look_at_workers([record("dan", phrases=())])

    assert (verdict.filter, verdict.level) == ("always_impossible", Concern.WEAK)
    assert verdict.evidence == "Found no phrase in 8 of 8 assignments; nobody else has answered."


def test_where_nobody_finds_a_phrase_nobody_is_pointed_out():
    assert not look_at_workers([record("dan", phrases=()), record("cleo", phrases=())])


def test_phrases_copied_from_the_passage_are_pointed_out():
    copies = ["old northern ports", "northern ports of Norland", "ports of Norland", "a week in winter"]
    dan = WorkerRecord("dan", tuple(work(n, phrases=(copies[n % 4],)) for n in range(8)))

    (verdict,) = verdicts(dan)

    assert (verdict.filter, verdict.level) == ("copies_the_context", Concern.WEAK)
    assert verdict.numbers == {"copied": 8, "phrases": 8}


def test_the_time_is_measured_by_the_length_of_the_passage():
    dan = WorkerRecord("dan", tuple(work(n, context="Short text.", active_seconds=10.0) for n in range(8)))

    assert verdicts(dan) == []


def test_without_consent_to_measuring_nobody_is_called_too_fast():
    assert verdicts(record("dan", active_seconds=None)) == []


def test_where_everybody_finds_nothing_nobody_stands_out():
    assert look_at_workers([record(name, phrases=(), agrees=1.0) for name in ("ada", "ben")]) == ()


def test_thresholds_are_data():
    assert verdicts(record("dan", 4), few_assignments={"least": 3}) == []
    assert [v.filter for v in verdicts(record("dan", active_seconds=30.0), too_fast={"share": 0.9})] == ["too_fast"]


def test_strong_concerns_stand_first():
    found = look_at_workers([*GOOD, record("aaron", 4), record("dan", phrases=("ports",))])

    assert [(v.worker, v.level) for v in found] == [("dan", Concern.STRONG), ("aaron", Concern.WEAK)]


PIECES = st.builds(
    Work,
    phrases=st.lists(st.text(max_size=12), max_size=2).map(tuple),
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
def test_any_records_get_verdicts_with_a_sentence_and_their_numbers(records):
    for verdict in look_at_workers(records):
        assert verdict.evidence.endswith(".")
        assert verdict.numbers
        assert verdict.filter in {one.name for one in FILTERS}
