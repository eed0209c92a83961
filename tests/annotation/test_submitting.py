"""Nothing written is lost, and nothing counts twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Participation, Task
from annotation.services import assigning, campaigns, submitting
from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import InvalidAnswer
from kernel.errors import WrongState
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db


def take(person: Participation) -> Assignment:
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    return turn


def test_a_submit_stores_the_answer_pays_and_hands_out_the_next_task():
    person = make_participation(make_campaign(reward=Decimal("0.12")))
    turn = take(person)
    signals = '{"active_ms": 900, "pastes": 1, "keys": -3, "other": 5}'

    done = submitting.submit(person.secret, turn.pk, {"phrase_1": " The  botanists ", "signals": signals})

    assert done.annotation.answer == {"phrases": ["The botanists"], "impossible": False, "reason": ""}
    assert (done.annotation.signals, done.annotation.active_ms) == ({"pastes": 1}, 900)
    assert done.turn.assignment not in (None, turn)
    person.refresh_from_db()
    assert (person.answered, person.earned) == (1, Decimal("0.12"))


def test_a_second_submit_changes_nothing_and_shows_the_first():
    person = make_participation(make_campaign())
    turn = take(person)
    first = submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"})

    second = submitting.submit(person.secret, turn.pk, {"phrase_1": "gardeners"})

    assert second.is_repeat
    assert second.annotation == first.annotation
    assert second.turn.assignment == first.turn.assignment
    assert Annotation.objects.get().answer["phrases"] == ["botanists"]


def test_a_refused_answer_leaves_the_task_in_hand():
    person = make_participation(make_campaign())
    turn = take(person)

    with pytest.raises(InvalidAnswer, match="points at them"):
        submitting.submit(person.secret, turn.pk, {"phrase_1": "they"})

    assert take(person) == turn


def test_a_doubtful_answer_is_taken_once_it_is_confirmed():
    person = make_participation(make_campaign())
    turn = take(person)
    with pytest.raises(InvalidAnswer) as refused:
        submitting.submit(person.secret, turn.pk, {"phrase_1": "the two people"})
    codes = " ".join(f"{objection.field}:{objection.remark.code}" for objection in refused.value.remarks)

    done = submitting.submit(person.secret, turn.pk, {"phrase_1": "the two people", "confirmed": codes})

    assert done.annotation.warnings == ["phrase_1:type"]


def test_that_nothing_fits_is_an_answer():
    person = make_participation(make_campaign())

    done = submitting.submit(person.secret, take(person).pk, {"impossible": "on", "reason": "unrelated"})

    assert done.annotation.answer == {"phrases": [], "impossible": True, "reason": "unrelated"}


def test_a_phrase_beside_the_ticked_box_is_kept_with_the_reason():
    person = make_participation(make_campaign())
    form = {"impossible": "on", "reason": "unrelated", "phrase_1": "the  gardeners", "phrase_2": ""}

    done = submitting.submit(person.secret, take(person).pk, form)

    assert done.annotation.answer == {"phrases": [], "impossible": True, "reason": "unrelated / the gardeners"}


def test_nobody_submits_for_somebody_else():
    campaign = make_campaign()
    turn = take(make_participation(campaign, "ada"))

    with pytest.raises(Assignment.DoesNotExist):
        submitting.submit(make_participation(campaign, "dan").secret, turn.pk, {"phrase_1": "botanists"})


def test_signals_are_not_stored_without_consent():
    campaign = make_campaign()
    person = make_participation(campaign)
    Participation.objects.filter(pk=person.pk).update(signals_agreed=False)

    done = submitting.submit(person.secret, take(person).pk, {"phrase_1": "botanists", "signals": '{"pastes": 1}'})

    assert (done.annotation.signals, done.annotation.active_ms) == (None, None)


def test_a_late_answer_counts_while_its_slot_is_free_and_is_kept_for_review_afterwards(monkeypatch: Any):
    campaign = make_campaign(size=1, redundancy=1, time_limit_s=60, reward=Decimal(1))
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    turn = take(ada)
    later = datetime.now(turn.taken_at.tzinfo) + timedelta(minutes=5)
    monkeypatch.setattr(assigning, "now", lambda: later)
    assigning.expire_turns()
    submitting.submit(ben.secret, take(ben).pk, {"phrase_1": "botanists"})

    done = submitting.submit(ada.secret, turn.pk, {"phrase_1": "gardeners"})

    assert done.is_late
    turn.refresh_from_db()
    assert (turn.status, turn.reward, turn.annotation.answer["phrases"]) == ("late", Decimal(0), ["gardeners"])
    assert Task.objects.get().answers == 1


def test_a_draft_is_kept_and_checked_while_it_is_written():
    person = make_participation(make_campaign())
    turn = take(person)

    draft = submitting.save_draft(person.secret, turn.pk, {"phrase_1": "they"})

    assert draft is not None
    assert [objection.remark.code for objection in draft.remarks] == ["pronoun"]
    assert take(person).draft == {"phrase_1": "they"}


def test_a_form_up_to_the_limit_is_stored_whole_and_a_larger_one_is_refused_aloud():
    person = make_participation(make_campaign())
    turn = take(person)
    whole = {"phrase_1": "botanists", "notes": "é" * 99_000, **{f"field_{number}": "x" for number in range(50)}}

    submitting.save_draft(person.secret, turn.pk, whole)
    with pytest.raises(InvalidAnswer, match="Please shorten it"):
        submitting.save_draft(person.secret, turn.pk, {**whole, "more": "x" * 2000})
    with pytest.raises(InvalidAnswer, match="Please shorten it"):
        submitting.submit(person.secret, turn.pk, {**whole, "more": "x" * 2000})

    turn.refresh_from_db()
    assert turn.draft == whole
    assert turn.status == "taken"


def test_whatever_a_form_holds_can_be_stored():
    person = make_participation(make_campaign(has_signals=True))
    turn = take(person)
    form = {"phrase_1": "botanists", "na\x00me": "a\x00", "n" * 9999: "", "confirmed": "phrase_1:a\x00nd \ud800"}

    submitting.save_draft(person.secret, turn.pk, form)
    turn.refresh_from_db()
    assert set(turn.draft) == {"phrase_1", "name", "n" * 9999, "confirmed"}
    deep = {"signals": "[" * 100_000}
    assert submitting.submit(person.secret, turn.pk, form | deep).annotation.warnings == ["?", "phrase_1:and"]
    corrected = submitting.correct(person.secret, turn.pk, {"phrase_1": "gardeners", "confirmed": "\x00same"})
    assert corrected.warnings == ["same"]


def test_an_answer_can_be_corrected_until_it_is_reviewed_and_its_first_form_is_kept():
    person = make_participation(make_campaign())
    turn = take(person)
    submitting.submit(person.secret, turn.pk, {"phrase_1": "botanist"})

    annotation = submitting.correct(person.secret, turn.pk, {"phrase_1": "botanists"})

    assert annotation.answer["phrases"] == ["botanists"]
    assert annotation.versions.get().answer["phrases"] == ["botanist"]
    Annotation.objects.update(reviewed_at=turn.taken_at)
    with pytest.raises(WrongState, match="reviewed"):
        submitting.correct(person.secret, turn.pk, {"phrase_1": "gardeners"})


def test_nothing_can_be_corrected_after_the_campaign_is_closed():
    campaign = make_campaign()
    person = make_participation(campaign)
    turn = take(person)
    submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"})
    campaigns.close(campaign.pk, by=None)

    with pytest.raises(WrongState, match="closed"):
        submitting.correct(person.secret, turn.pk, {"phrase_1": "gardeners"})


def test_a_corrected_gold_answer_is_judged_again():
    person = make_participation(make_campaign())
    turn = take(person)
    Task.objects.filter(pk=turn.task_id).update(is_gold=True, gold=known_phrases(["botanists"]).to_json(), free=0)
    submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"})

    for phrase, right in (("gardeners", 0), ("painters", 0), ("botanists", 1), ("gardeners", 0)):
        annotation = submitting.correct(person.secret, turn.pk, {"phrase_1": phrase})

        person.refresh_from_db()
        assert annotation.is_gold_hit is bool(right)
        assert (person.gold_seen, person.gold_right) == (1, right)
