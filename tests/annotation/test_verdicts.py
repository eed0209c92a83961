"""What reviews come to: one reviewer, two, a third when they disagree, and undo."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.verdicts import CONTESTED, DECISIONS, FLAG, OPEN, ReviewEntry, resolve, standing

people = st.sampled_from(["ada", "ben", "cleo", "dan"])
verdicts = st.sampled_from([*sorted(DECISIONS), FLAG, "comment"])
answers = st.sampled_from([{"phrases": ["ports"]}, {"phrases": ["cities", "ports"]}])


@st.composite
def histories(draw: Any) -> list[ReviewEntry]:
    """Any history: everybody says anything, and undoes some of what was said before."""
    history: list[ReviewEntry] = []
    for number in range(draw(st.integers(0, 8))):
        undone = {entry.undoes for entry in history}
        open_rows = [entry for entry in history if entry.verdict != "undo" and entry.number not in undone]
        if open_rows and draw(st.booleans()):
            taken_back = draw(st.sampled_from(open_rows))
            history.append(ReviewEntry(number, taken_back.reviewer, "undo", undoes=taken_back.number))
        else:
            verdict = draw(verdicts)
            history.append(ReviewEntry(number, draw(people), verdict, draw(answers) if verdict == "correct" else None))
    return history


def entries(*rows: tuple[str, str]) -> list[ReviewEntry]:
    return [ReviewEntry(number, reviewer, verdict) for number, (reviewer, verdict) in enumerate(rows)]


def test_one_decision_settles_where_one_is_needed():
    assert resolve(entries(("ada", "exclude")), needed=1).verdict == "exclude"
    assert resolve(entries(("ada", "exclude")), needed=0).verdict == "exclude"


def test_two_reviewers_of_one_mind_settle_and_one_alone_does_not():
    assert resolve(entries(("ada", "accept")), needed=2).verdict == OPEN
    assert resolve(entries(("ada", "accept"), ("ben", "accept")), needed=2).verdict == "accept"


def test_one_person_twice_is_not_two_reviewers():
    assert resolve(entries(("ada", "accept"), ("ada", "accept")), needed=2).verdict == OPEN


def test_two_reviewers_who_disagree_leave_it_to_a_third():
    rows = entries(("ada", "accept"), ("ben", "exclude"))

    assert resolve(rows, needed=2).verdict == CONTESTED
    assert resolve([*rows, ReviewEntry(9, "cleo", "accept")], needed=2).verdict == "accept"
    assert resolve([*rows, ReviewEntry(9, "cleo", "correct", {})], needed=2).verdict == "correct"


def test_two_corrections_agree_only_in_the_same_words():
    ports, cities = {"phrases": ["ports"]}, {"phrases": ["cities"]}
    first, second = ReviewEntry(0, "ada", "correct", ports), ReviewEntry(1, "ben", "correct", cities)

    assert resolve([first, second], needed=2).verdict == CONTESTED
    agreed = resolve([first, ReviewEntry(1, "ben", "correct", dict(ports))], needed=2)
    assert (agreed.verdict, agreed.corrected) == ("correct", ports)


def test_a_flag_asks_somebody_else_and_gives_way_to_a_decision():
    assert resolve(entries(("ada", FLAG)), needed=1).verdict == FLAG
    assert resolve(entries(("ada", FLAG), ("ben", "accept")), needed=1).verdict == "accept"
    assert resolve(entries(("ada", FLAG), ("ada", "accept")), needed=1).verdict == "accept"


@given(histories(), st.integers(0, 2))
def test_the_verdict_is_one_that_somebody_stands_by(history: list[ReviewEntry], needed: int):
    resolution = resolve(history, needed=needed)

    voices = standing(history)
    assert resolution.decided == sum(voice.verdict in DECISIONS for voice in voices)
    if resolution.is_settled:
        assert resolution.decided >= max(1, needed)
        assert resolution.verdict in {voice.verdict for voice in voices}
        assert (resolution.corrected is not None) == (resolution.verdict == "correct")


@given(histories(), st.integers(0, 2), people, verdicts)
def test_undoing_the_last_review_brings_back_what_was_before(
    history: list[ReviewEntry], needed: int, reviewer: str, verdict: str
):
    number = len(history)
    after = [*history, ReviewEntry(number, reviewer, verdict), ReviewEntry(number + 1, reviewer, "undo", undoes=number)]

    assert resolve(after, needed=needed) == resolve(history, needed=needed)


@given(histories(), st.integers(0, 2), people)
def test_a_remark_changes_nothing(history: list[ReviewEntry], needed: int, reviewer: str):
    after = [*history, ReviewEntry(len(history), reviewer, "comment")]

    assert resolve(after, needed=needed) == resolve(history, needed=needed)


@given(histories(), st.integers(0, 2), st.randoms())
def test_the_order_in_which_rows_are_read_does_not_matter(history: list[ReviewEntry], needed: int, random: object):
    shuffled = history[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert resolve(shuffled, needed=needed) == resolve(history, needed=needed)
