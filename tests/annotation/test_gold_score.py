"""An answer to a check task keeps how close it came, and pages show it where it says more than right or wrong."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Task
from annotation.services import assigning, submitting
from annotation.task_types import TASK_TYPES
from kernel.models import User
from tests.make import make_answer, make_campaign, make_participation, make_texts
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASK_TYPES.paths, "rated", "tests.annotation.graded:RATED")


def test_a_check_task_keeps_how_close_an_answer_came_and_pages_show_it_if_it_is_neither_right_nor_wrong(
    client: Client, ben: User
):
    sample = make_texts(size=1)
    campaign = make_campaign("Stars", sample=sample, task_type="rated")
    person = make_participation(campaign)
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    Task.objects.filter(pk=turn.task_id).update(is_gold=True, gold={"accepted": [{"stars": "5"}]}, free=0)

    annotation = submitting.submit(person.secret, turn.pk, {"stars": "4"}).annotation
    page = shown(client.get(f"/campaigns/people/{person.pk}/"))
    annotation.refresh_from_db()

    assert (annotation.is_gold_hit, annotation.gold_score) == (True, 0.75)
    assert re.search(r"right,\s+score 0\.75<", page)
    for stars, right, score in (("3", False, 0.5), ("1", False, 0.0), ("5", True, 1.0)):
        submitting.correct(person.secret, turn.pk, {"stars": stars})
        annotation.refresh_from_db()
        assert (annotation.is_gold_hit, annotation.gold_score) == (right, score)
        page = shown(client.get(f"/campaigns/people/{person.pk}/"))
        assert ("score 0.50" in page) is (score == 0.5)
        assert ("score" in page.partition("<tbody")[2].partition("</tbody")[0]) is (score == 0.5)


def test_an_answer_to_any_other_task_has_no_score():
    annotation = make_answer(make_participation(make_campaign()))

    assert (annotation.is_gold_hit, annotation.gold_score, annotation.partial_score) == (None, None, None)
