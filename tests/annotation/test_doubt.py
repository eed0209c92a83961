"""How doubtful answers are: between 0 and 1, in any order, and never less for a further reason."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.doubt import Answer, doubt_of

words = st.sampled_from(["ports", "old ports", "french ports", "cities", "painters"])
small = st.integers(0, 2)
answers = st.builds(
    Answer,
    phrases=st.lists(words, max_size=2, unique=True).map(tuple),
    offences=small,
    notes=small,
    strong=small,
    weak=small,
)
several = st.lists(answers, max_size=5)


def test_people_who_agree_leave_no_doubt_and_can_be_accepted_at_once():
    found = doubt_of([Answer(("French ports",)), Answer(("french port",)), Answer(("ports", "french ports"))])

    assert found.score == 0
    assert found.is_unanimous
    assert found.reasons == ()


def test_that_nothing_fits_can_be_agreed_on_too():
    assert doubt_of([Answer(), Answer()]).is_unanimous
    assert not doubt_of([Answer(), Answer(("ports",))]).is_unanimous


def test_who_disagrees_more_is_doubted_more():
    same = doubt_of([Answer(("old ports",)), Answer(("old ports",))]).score
    near = doubt_of([Answer(("old ports",)), Answer(("french ports",))]).score
    apart = doubt_of([Answer(("old ports",)), Answer(("painters",))]).score

    assert same < near < apart


def test_one_answer_alone_is_doubtful_and_never_unanimous():
    found = doubt_of([Answer(("ports",))])

    assert found.reasons == ("Only one person answered.",)
    assert not found.is_unanimous


def test_rules_workers_and_reports_speak_in_sentences():
    found = doubt_of([Answer(("ports",), offences=1, strong=1), Answer(("ports",), notes=1)], reports=1)

    assert found.reasons[0] == "1 problem with the text was reported."
    assert "A rule discards something in 1 of 2 answers." in found.reasons
    assert "There is strong evidence against 1 worker." in found.reasons
    assert not found.is_unanimous


@given(several, st.integers(0, 3))
def test_the_score_is_a_chance_and_does_not_depend_on_the_order(given_: list[Answer], reports: int):
    found = doubt_of(given_, reports=reports)

    assert 0 <= found.score < 1
    assert abs(doubt_of(given_[::-1], reports=reports).score - found.score) < 1e-5


@given(st.lists(answers, min_size=1, max_size=5), st.integers(0, 3), st.sampled_from(["offences", "notes", "strong"]))
def test_a_further_reason_never_lowers_the_score(given_: list[Answer], reports: int, name: str):
    worse = [replace(given_[0], **{name: getattr(given_[0], name) + 1}), *given_[1:]]

    assert doubt_of(worse, reports=reports).score >= doubt_of(given_, reports=reports).score - 1e-6
    assert doubt_of(given_, reports=reports + 1).score >= doubt_of(given_, reports=reports).score - 1e-6


@given(several, st.integers(0, 1))
def test_what_can_be_accepted_at_once_has_at_most_weak_evidence_against_it(given_: list[Answer], reports: int):
    found = doubt_of(given_, reports=reports)

    if found.is_unanimous:
        assert all("weak evidence" in reason for reason in found.reasons)
        assert not reports


def test_weak_evidence_about_a_worker_does_not_keep_agreed_answers_from_being_accepted_at_once():
    assert doubt_of([Answer(("ports",), weak=1), Answer(("ports",))]).is_unanimous
    assert not doubt_of([Answer(("ports",), strong=1), Answer(("ports",))]).is_unanimous
