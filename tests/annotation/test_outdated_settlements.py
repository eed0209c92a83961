"""A task's own answer after somebody whose pieces it has withdraws, is excluded or corrects their answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Annotation, Assignment, Campaign, Participation, Release, ReviewItem, Settlement, Task
from annotation.releasing.building import OUTDATED
from annotation.selectors.settlements import SettledTask, seen_by, settlements_of
from annotation.services import doubts, excluding, leaving, reviewing, settling, submitting
from annotation.services.doubts import ANOTHER_LOOK
from annotation.services.reviewing import Opinion
from annotation.services.settling import TaskAnswer
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import ARDEN, BOTH, FIRST, IDA, answer_all, make_spans_task
from tests.make import make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return make_spans_task(tmp_path)


def person(name: str) -> Participation:
    return Participation.objects.get(worker__external_id=name)


def answer_of(name: str) -> int:
    of_first = Annotation.objects.filter(assignment__task__question__title=FIRST)
    return of_first.get(assignment__participation=person(name)).pk


def turn_of(name: str) -> int:
    return Assignment.objects.get(participation=person(name), task__question__title=FIRST).pk


def exclude(name: str) -> None:
    excluding.exclude(person(name).pk, reason="copies", by=None)


def withdraw(name: str) -> None:
    leaving.withdraw(person(name).secret)


def correct(name: str) -> None:
    submitting.correct(person(name).secret, turn_of(name), {"spans": "0 3 person"})


CHANGES = pytest.mark.parametrize("change", [exclude, withdraw, correct])


def settle(task: Task, by: User, form: dict[str, str] = BOTH, *names: str) -> Settlement:
    return settling.settle(task.pk, TaskAnswer(form, made_of=[*map(answer_of, names)]), by=by)


def outcome(task: Task) -> SettledTask:
    needed = Campaign.objects.get().reviewers
    return settlements_of([task.pk], needed=needed)[task.pk]


def accept_all() -> None:
    eve = make_user("eve")
    for row in Annotation.objects.all():
        reviewing.decide(row.pk, Opinion("accept"), by=eve)


def freeze() -> Release:
    call_command("freeze_release", "Out", campaign=["Names"], least_assignments=1, least_answered=1)
    return Release.objects.latest("pk")


def final(release: Release) -> object:
    return next(item.value["final"] for item in release.items.all() if item.value["title"] == FIRST)


@CHANGES
def test_it_needs_another_look_and_a_release_leaves_it_out_with_the_reason(
    task: Task, ben: User, client: Client, change: Callable[[str], None]
):
    settle(task, ben, BOTH, "ann", "bob")
    change("bob")

    release = freeze()

    assert outcome(task).needs_another_look
    assert final(release) is None
    (left,) = release.discards.filter(step="settlements")
    assert left.why == OUTDATED
    assert release.statistics["discarded"]["settlements"] == 1
    assert "1 answer of a task that needs another look" in shown(client.get(f"/releases/{release.pk}/"))
    page = shown(client.get(f"/releases/{release.pk}/discarded/?step=settlements"))
    assert OUTDATED in page


@CHANGES
def test_one_made_from_scratch_stays_whatever_authors_do(task: Task, ben: User, change: Callable[[str], None]):
    settle(task, ben, BOTH)
    change("bob")

    assert outcome(task).is_settled
    release = freeze()
    assert final(release) is not None
    assert "settlements" not in release.statistics["discarded"]


@CHANGES
def test_it_stays_where_an_answer_that_counts_says_the_same(tmp_path: Path, ben: User, change: Callable[[str], None]):
    task = make_spans_task(tmp_path, {"ann": IDA, "bob": IDA})
    settle(task, ben, {"spans": IDA}, "ann", "bob")

    change("bob")
    assert outcome(task).is_settled
    change("ann")
    assert outcome(task).needs_another_look


def test_it_counts_again_when_the_excluded_person_does(task: Task, ben: User):
    settle(task, ben, BOTH, "ann", "bob")
    exclude("bob")
    excluding.include(person("bob").pk, reason="it was a mistake", by=None)

    assert outcome(task).is_settled


def test_no_earlier_answer_of_the_same_reviewer_comes_back_in_its_place(task: Task, ben: User):
    settle(task, ben, {"spans": IDA})
    settle(task, ben, BOTH, "ann", "bob")
    exclude("bob")

    assert outcome(task).corrected is None


def test_an_answer_corrected_before_the_settlement_is_one_of_its_pieces(task: Task, ben: User):
    correct("bob")
    settle(task, ben, BOTH, "ann", "bob")

    assert outcome(task).is_settled


def test_saving_it_again_makes_it_count_even_with_the_same_words(task: Task, ben: User):
    first = settle(task, ben, BOTH, "ann", "bob")
    correct("bob")

    second = settle(task, ben, BOTH, "ann", "bob")

    assert first != second
    assert outcome(task).is_settled


def test_the_task_comes_back_to_the_list_of_the_review_and_says_why(task: Task, ben: User, client: Client):
    settle(task, ben, BOTH, "ann", "bob")
    accept_all()
    assert ReviewItem.objects.get(task=task).state == "settled"
    exclude("bob")
    answer_all(make_participation(task.campaign, "cid"), ARDEN)
    reviewing.decide(answer_of("cid"), Opinion("accept"), by=User.objects.get(username="eve"))

    doubts.catch_up(Campaign.objects.get(), most=5)

    item = ReviewItem.objects.get(task=task)
    assert (item.state, item.reasons[0]) == ("waiting", ANOTHER_LOOK)
    page = shown(client.get(f"/admin/review/{task.campaign_id}/"))
    assert "This needs another look" in page
    assert f"{IDA}</textarea>" in page  # it starts from the pieces that still count
    settle(task, ben, BOTH, "ann", "cid")
    assert ReviewItem.objects.get(task=task).state == "settled"


def test_where_two_are_asked_the_one_that_counts_waits_for_a_second(task: Task, ben: User):
    Campaign.objects.update(reviewers=2)
    eve = make_user("eve")
    settle(task, ben, BOTH, "ann", "bob")
    settle(task, eve, BOTH, "ann")
    assert outcome(task).is_settled

    exclude("bob")

    assert outcome(task).needs_another_look
    assert [row.reviewer for row in seen_by(task.pk, ben, needed=2)] == [ben]  # as if he had not said anything yet
    settle(task, ben, BOTH, "ann")
    assert outcome(task).is_settled


def test_pieces_of_an_answer_that_no_longer_counts_are_refused(task: Task, ben: User):
    gone = answer_of("bob")
    exclude("bob")

    with pytest.raises(InvalidInput, match="no longer counts"):
        settling.settle(task.pk, TaskAnswer(BOTH, made_of=[gone]), by=ben)
    exclude("ann")
    with pytest.raises(WrongState, match="no answer that counts"):
        settling.settle(task.pk, TaskAnswer(BOTH), by=ben)
    assert not Settlement.objects.exists()


def test_a_task_that_waits_for_a_second_reviewer_is_in_the_list_of_everybody_else(task: Task, ben: User):
    Campaign.objects.update(reviewers=2)
    doubts.score_tasks(Campaign.objects.get(), [task.pk])
    for reviewer in (ben, make_user("flo")):
        for row in Annotation.objects.filter(assignment__task=task):
            reviewing.decide(row.pk, Opinion("accept"), by=reviewer)
    item = ReviewItem.objects.get(task=task)
    assert item.state == "settled"

    first = settle(task, ben)
    item.refresh_from_db()
    assert (item.state, [*item.done_by.all()]) == ("waiting", [ben])
    settling.undo(task.pk, by=ben, settlement=first.pk)

    item.refresh_from_db()
    assert item.state == "settled"
    settle(task, ben)
    reviewing.set_reviewers(task.campaign_id, 1, by=ben)
    item.refresh_from_db()
    assert item.state == "settled"
