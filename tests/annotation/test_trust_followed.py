"""Counters of trust follow every judgement: the first one, an author's correction, and the team's changes of gold."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.models import Annotation, Participation, Task
from annotation.quality.trust import MILLION
from annotation.services import assigning, gold, leaving, submitting
from annotation.task_types import TASK_TYPES
from kernel.errors import WrongState
from kernel.models import AuditEntry
from tests.annotation.check_tasks import RIGHT, WRONG, answer_checks, make_checked
from tests.make import make_campaign, make_participation, make_texts, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def counters(person: Participation) -> tuple[int, int, int]:
    person.refresh_from_db()
    return person.gold_seen, person.gold_right, person.gold_points


def test_partial_scores_are_added_up_and_follow_the_authors_own_correction(monkeypatch):
    monkeypatch.setitem(TASK_TYPES.paths, "rated", "tests.annotation.graded:RATED")
    person = make_participation(make_campaign("Stars", sample=make_texts(size=1), task_type="rated"))
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    Task.objects.filter(pk=turn.task_id).update(is_gold=True, gold={"accepted": [{"stars": "5"}]}, free=0)

    submitting.submit(person.secret, turn.pk, {"stars": "4"})
    assert counters(person) == (1, 1, 750_000)
    submitting.correct(person.secret, turn.pk, {"stars": "3"})
    assert counters(person) == (1, 0, 500_000)


def test_corrected_gold_judges_every_answer_to_it_again():
    campaign = make_checked(tests=2)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    (first, _), (other, _) = answer_checks(ann, RIGHT, RIGHT), answer_checks(bob, WRONG, RIGHT)
    task = first.assignment.task
    assert other.assignment.task_id == task.pk

    done = gold.correct_gold(task.pk, {"phrases": WRONG}, by=None)

    assert (done.answers, done.changed) == (2, 2)
    assert counters(ann) == (2, 1, MILLION)
    assert counters(bob) == (2, 2, 2 * MILLION)
    assert AuditEntry.objects.get(action="correct gold").after["judged otherwise"] == 2


def test_withdrawn_gold_counts_for_nobody_and_is_given_to_nobody_else():
    campaign = make_checked(tests=1, tasks=4)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    (annotation,) = answer_checks(ann, WRONG)

    gold.withdraw_gold(annotation.assignment.task_id, by=None)

    assert counters(ann) == (0, 0, 0)
    annotation.refresh_from_db()
    assert (annotation.is_gold_hit, annotation.gold_score) == (None, None)
    tasks = []
    while turn := assigning.take_turn(bob.secret).assignment:
        tasks.append(turn.task)
        submitting.submit(bob.secret, turn.pk, {"phrase_1": RIGHT})
    assert len(tasks) == 4
    assert not any(task.is_gold for task in tasks)
    with pytest.raises(WrongState, match="withdrawn"):
        gold.withdraw_gold(annotation.assignment.task_id, by=None)


def test_an_answer_is_judged_by_gold_that_was_corrected_while_it_was_written():
    person = make_participation(make_checked(tests=1))
    turn = assigning.take_turn(person.secret).assignment
    while turn and not turn.task.is_gold:
        turn = submitting.submit(person.secret, turn.pk, {"phrase_1": "astronomers"}).turn.assignment
    assert turn is not None

    done = gold.correct_gold(turn.task_id, {"phrases": WRONG}, by=None)
    annotation = submitting.submit(person.secret, turn.pk, {"phrase_1": WRONG}).annotation

    assert (done.answers, annotation.is_gold_hit) == (0, True)
    assert counters(person) == (1, 1, MILLION)


def test_withdrawal_erases_trust():
    person = make_participation(make_checked())
    answer_checks(person, RIGHT, WRONG)

    leaving.withdraw(person.secret)

    assert counters(person) == (0, 0, 0)


def test_the_migration_adds_up_what_was_judged_before():
    person = make_participation(make_checked())
    answer_checks(person, RIGHT, WRONG, RIGHT)
    first, *_ = Annotation.objects.filter(is_gold_hit=True).order_by("pk")
    Annotation.objects.filter(pk=first.pk).update(gold_score=None)  # from before there were scores
    Annotation.objects.filter(is_gold_hit=False).update(gold_score=0.25)
    Participation.objects.update(gold_points=0)

    import_module("annotation.migrations.0026_gold_points").add_up(apps, None)

    assert counters(person) == (3, 2, 2_250_000)


def test_trust_is_shown_sorted_and_downloaded(client):
    campaign = make_checked()
    ann, bob, cleo = (make_participation(campaign, name) for name in ("ann", "bob", "cleo"))
    answer_checks(ann, RIGHT, WRONG)
    answer_checks(bob, RIGHT, RIGHT, RIGHT)
    client.force_login(make_user("ben"))
    url = f"/campaigns/{campaign.pk}/people/"

    page = shown(client.get(f"{url}?sort=trust"))
    file = b"".join(client.get(f"{url}participants.csv?sort=-trust&bom=no")).decode().splitlines()

    assert re.findall(r">(Participant \d)</a>", page) == ["Participant 1", "Participant 2", "Participant 3"]
    assert re.findall(r">(\d+)%<span", page) == ["50", "100"]
    rows = [line.replace('"', "").split(",") for line in file]
    places = [rows[0].index(name) for name in ("checks_seen", "trust", "trust_low", "trust_high")]
    shares = [[row[place] for place in places] for row in rows[1:]]
    assert shares == [["3", "1.0", "0.4385", "1.0"], ["2", "0.5", "0.0945", "0.9055"], ["0", "", "", ""]]
    assert cleo.number == 3


def test_a_persons_page_shows_each_check_task_with_both_answers_and_the_judgement(client):
    person = make_participation(make_checked())
    answer_checks(person, RIGHT, WRONG)
    client.force_login(make_user("ben"))

    page = shown(client.get(f"/campaigns/people/{person.pk}/"))

    part = page[page.index('id="checks"') : page.index('id="answers"')]
    assert part.count(RIGHT) == 3, "twice known, once answered"
    assert part.count(WRONG) == 1
    assert re.findall(r'data-label="Judgement">(\w+)', part) == ["wrong", "right"]
    assert "1 of 2 check tasks right, 95% interval 0.09 to 0.91" in page


def test_answered_check_tasks_are_corrected_and_withdrawn_on_their_page(client):
    campaign = make_checked(tests=1)
    person = make_participation(campaign)
    (annotation,) = answer_checks(person, WRONG)
    client.force_login(make_user("ben"))
    url = reverse("gold-set", args=[annotation.assignment.task_id])

    page = shown(client.post(url, {"phrases": WRONG, "action": "correct"}, follow=True))
    assert "1 answer was judged again, 1 of them otherwise." in page
    assert counters(person) == (1, 1, MILLION)
    page = shown(client.post(url, {"action": "withdraw"}, follow=True))
    assert "withdrawn check task" in page
    assert counters(person) == (0, 0, 0)
