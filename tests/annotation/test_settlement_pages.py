"""A task's own answer on the page of the review, without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from annotation.models import Annotation, Campaign, Participation, Settlement, Task
from annotation.services import excluding, settling
from annotation.services.settling import TaskAnswer
from kernel.models import User
from tests.annotation.answered import in_turn
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import ARDEN, IDA, make_spans_task
from tests.make import make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return make_spans_task(tmp_path)


def page(client: Client, task: Task, query: str = "") -> str:
    return shown(client.get(f"/admin/review/{task.campaign_id}/?task={task.pk}{query}"))


def post(client: Client, task: Task, **form: object) -> str:
    return shown(client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", form, follow=True))


def test_a_reviewer_starts_from_the_pieces_of_two_answers_and_saves_them(client: Client, ben: User, task: Task):
    pieces = list(Annotation.objects.filter(assignment__task=task).order_by("pk").values_list("pk", flat=True))

    start = page(client, task, "".join(f"&of={pk}" for pk in pieces))
    saved = post(client, task, spans=f"{IDA}\n{ARDEN}", made_of=pieces, why="Both are names.")

    assert f"{IDA} {ARDEN}</textarea>" in start
    assert "Your answer of the task is saved." in saved
    assert "[Ida Lind] person, [Arden] place" in saved
    assert "Both are names." in saved
    assert Settlement.objects.get().made_of == pieces


def test_it_is_taken_back(client: Client, ben: User, task: Task):
    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)

    text = post(client, task, undo=Settlement.objects.get().pk)

    assert "Your answer of the task was taken back." in text
    assert "Take my answer back" not in text


def test_what_cannot_be_is_refused_and_stays_in_the_form(client: Client, ben: User, task: Task):
    answer = client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", {"spans": "0 99 person"})

    assert answer.status_code == 422
    assert "mark a piece of the text" in shown(answer)
    assert "0 99 person</textarea>" in shown(answer)
    assert not Settlement.objects.exists()


def test_what_it_is_made_of_and_its_note_survive_a_refusal(client: Client, ben: User, task: Task):
    pieces = list(Annotation.objects.filter(assignment__task=task).order_by("pk").values_list("pk", flat=True))
    sent = {"spans": "0 99 person", "made_of": pieces, "why": "Both are names."}

    page = client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", sent).content.decode()

    assert all(f'name="made_of" value="{pk}"' in page for pk in pieces)
    assert 'value="Both are names."' in page
    assert 'href="?' not in page  # the page has the address of a POST: links to it would fail


def test_answers_that_do_not_count_are_not_offered_to_start_from(client: Client, ben: User, task: Task):
    bob = Participation.objects.latest("pk")
    excluding.exclude(bob.pk, reason="copies", by=None)
    Campaign.objects.update(status="closed")

    text = page(client, task)

    assert text.count('name="of"') == 1


def test_enter_in_the_form_saves_and_never_takes_back(client: Client, ben: User, task: Task):
    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)

    text = page(client, task)

    assert text.index("Save answer of the task") < text.index("Take my answer back")  # Enter presses the first button


def test_the_second_reviewer_does_not_see_the_first_ones_answer(client: Client, ben: User, task: Task):
    Campaign.objects.update(reviewers=2)
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=make_user("eve"))

    before = page(client, task)
    after = post(client, task, spans=IDA)

    assert "eve" not in before
    assert "eve" in after
    assert "The reviewers gave different answers: a third one decides." in after


def test_a_type_without_an_answer_of_the_task_shows_no_form_for_one(client: Client, ben: User):
    campaign = in_turn()

    text = shown(client.get(f"/admin/review/{campaign.pk}/"))

    assert "The task’s own answer" not in text
    assert client.post(f"/admin/review/{campaign.pk}/tasks/{campaign.tasks.latest('pk').pk}/").status_code == 422
