"""A task's own answer: made by reviewers, taken back by a further row, released as the final one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Annotation, Campaign, Release, Settlement, Task
from annotation.quality.verdicts import CONTESTED
from annotation.selectors.settlements import seen_by, settlements_of
from annotation.services import settling
from annotation.services.settling import TaskAnswer
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import InvalidAnswer
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from tests.annotation.answered import in_turn
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import ARDEN, BOTH, IDA, make_spans_task
from tests.make import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return make_spans_task(tmp_path)


def final(task: Task) -> object:
    end = settlements_of([task.pk], needed=task.campaign.reviewers).get(task.pk)
    return end.corrected if end else None


def test_a_reviewer_gives_a_task_an_answer_made_of_pieces_of_two(task: Task, ben: User):
    pieces = list(Annotation.objects.filter(assignment__task=task).values_list("pk", flat=True))

    settling.settle(task.pk, TaskAnswer(BOTH, made_of=pieces[::-1]), by=ben)

    row = Settlement.objects.get()
    assert row.made_of == sorted(pieces)
    assert row.answer == {
        "spans": [{"start": 0, "end": 8, "label": "person"}, {"start": 25, "end": 30, "label": "place"}]
    }
    assert final(task) == row.answer


def test_a_later_answer_of_the_same_reviewer_takes_the_place_of_the_earlier(task: Task, ben: User):
    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=ben)

    assert final(task) == {"spans": [{"start": 25, "end": 30, "label": "place"}]}
    assert Settlement.objects.count() == 2


def test_taking_back_brings_the_earlier_answer_back_and_then_none(task: Task, ben: User):
    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=ben)

    settling.undo(task.pk, by=ben)
    assert final(task) == {"spans": [{"start": 0, "end": 8, "label": "person"}]}
    settling.undo(task.pk, by=ben)
    assert final(task) is None
    with pytest.raises(WrongState, match="no answer that could be taken back"):
        settling.undo(task.pk, by=ben)
    assert Settlement.objects.count() == 4


def test_rows_are_never_changed_or_deleted(task: Task, ben: User):
    row = settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)

    for change in (row.save, row.delete, Settlement.objects.all().delete, lambda: Settlement.objects.update(why="x")):
        with pytest.raises(TypeError):
            change()


def test_where_two_reviewers_are_asked_they_must_agree_and_a_third_decides(task: Task, ben: User):
    Campaign.objects.update(reviewers=2)
    task.refresh_from_db()
    task.campaign.refresh_from_db()
    eve, flo = make_user("eve"), make_user("flo")

    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)
    assert final(task) is None
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=eve)
    assert settlements_of([task.pk], needed=2)[task.pk].verdict == CONTESTED
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=flo)

    assert final(task) == {"spans": [{"start": 25, "end": 30, "label": "place"}]}


def test_the_second_reviewer_sees_the_first_ones_answer_only_after_their_own(task: Task, ben: User):
    eve = make_user("eve")
    settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)

    assert len(seen_by(task.pk, eve, needed=1)) == 1
    assert len(seen_by(task.pk, eve, needed=2)) == 0
    settling.settle(task.pk, TaskAnswer({"spans": ARDEN}), by=eve)
    assert len(seen_by(task.pk, eve, needed=2)) == 2


def test_an_answer_that_cannot_be_is_refused_and_nothing_is_stored(task: Task, ben: User):
    with pytest.raises(InvalidAnswer):
        settling.settle(task.pk, TaskAnswer({"spans": "0 99 person"}), by=ben)
    with pytest.raises(InvalidInput, match="is no answer to this task"):
        settling.settle(task.pk, TaskAnswer({"spans": IDA}, made_of=[0]), by=ben)

    assert not Settlement.objects.exists()


def test_tasks_without_an_answer_of_their_own_and_check_tasks_refuse_one(task: Task, ben: User):
    phrases = in_turn().tasks.latest("pk")
    with pytest.raises(WrongState, match="decide on each answer"):
        settling.settle(phrases.pk, TaskAnswer({"phrase_1": "botanists"}), by=ben)
    Task.objects.filter(pk=task.pk).update(is_gold=True)
    with pytest.raises(WrongState, match="check task"):
        settling.settle(task.pk, TaskAnswer({"spans": IDA}), by=ben)


def test_a_release_holds_it_as_the_final_answer_and_null_where_there_is_none(task: Task, ben: User):
    settling.settle(task.pk, TaskAnswer(BOTH), by=ben)
    options = {"campaign": ["Names"], "least_assignments": 1, "least_answered": 1}

    call_command("freeze_release", "Out", **options)

    (row,) = [item.value for item in Release.objects.get().items.all()]
    assert len(row["final"]["spans"]) == 2
    assert "final" in [field.name for field in TASK_TYPES["spans"].release.tables(3, {})["instances"]]


def test_a_recipe_that_does_not_use_reviews_leaves_it_out(task: Task, ben: User):
    settling.settle(task.pk, TaskAnswer(BOTH), by=ben)

    call_command(
        "freeze_release", "Out", campaign=["Names"], least_assignments=1, least_answered=1, without_reviews=True
    )

    assert [item.value["final"] for item in Release.objects.get().items.all()] == [None]
