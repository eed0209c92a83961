"""A task's own answer sent twice, from two tabs, by two reviewers at once, or by a process that is killed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client

from annotation.models import Annotation, Campaign, Settlement, Task
from annotation.quality.verdicts import CONTESTED
from annotation.selectors import release_answers
from annotation.selectors.settlements import seen_of, settlements_of
from annotation.services import leaving, releases, settling, submitting
from annotation.services.settling import TaskAnswer
from kernel.errors import TesaError, WrongState
from kernel.models import User
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import ARDEN, BOTH, IDA, make_spans_task
from tests.annotation.test_review_races import together
from tests.make import make_user
from tests.pages import shown
from tests.product import Filled, Product

FIRST, SECOND = TaskAnswer({"spans": IDA}), TaskAnswer({"spans": ARDEN})


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return make_spans_task(tmp_path)


def answers(task: Task) -> list[Annotation]:
    return [*Annotation.objects.filter(assignment__task=task).order_by("pk")]


def address(task: Task) -> str:
    return f"/admin/review/{task.campaign_id}/tasks/{task.pk}/"


@pytest.mark.django_db
def test_what_is_sent_twice_is_stored_once(task: Task, client: Client, ben: User):
    for _ in range(2):
        client.post(address(task), {"spans": IDA, "why": "A name."})

    assert Settlement.objects.count() == 1


@pytest.mark.django_db
def test_taking_back_twice_takes_no_earlier_answer_back(task: Task, client: Client, ben: User):
    first = settling.settle(task.pk, FIRST, by=ben)
    second = settling.settle(task.pk, SECOND, by=ben)
    for _ in range(2):
        client.post(address(task), {"undo": second.pk})

    assert settlements_of([task.pk], needed=1)[task.pk].corrected == first.answer
    assert Settlement.objects.count() == 3


@pytest.mark.django_db
def test_an_older_tab_takes_back_only_what_it_shows(task: Task, client: Client, ben: User):
    old = settling.settle(task.pk, FIRST, by=ben)
    new = settling.settle(task.pk, SECOND, by=ben)

    page = client.post(address(task), {"undo": old.pk})

    assert page.status_code == 422
    assert "This is not the answer you last gave this task" in shown(page)
    assert settlements_of([task.pk], needed=1)[task.pk].corrected == new.answer


@pytest.mark.django_db
def test_a_settlement_of_a_text_that_its_author_has_changed_since_is_refused(task: Task, client: Client, ben: User):
    ann, bob = answers(task)
    sent = TaskAnswer(BOTH, [ann.pk, bob.pk], seen=seen_of([ann, bob]))
    turn = bob.assignment
    submitting.correct(turn.participation.secret, turn.pk, {"spans": "0 3 person"})

    with pytest.raises(WrongState, match="changed their answer since you saw it"):
        settling.settle(task.pk, sent, by=ben)

    page = client.post(address(task), {**BOTH, "made_of": sent.made_of, "seen": sent.seen, "why": "Both."})
    assert "changed their answer since you saw it" in shown(page)
    assert 'value="Both."' in page.content.decode()  # nothing of what was typed is lost
    assert f'name="seen" value="{seen_of(answers(task))}"' in page.content.decode()
    assert not Settlement.objects.exists()


@pytest.mark.django_db
def test_a_settlement_that_comes_while_a_release_is_frozen_is_noticed(
    task: Task, ben: User, monkeypatch: pytest.MonkeyPatch
):
    build = releases._build

    def settle_meanwhile(*args: object, **options: object) -> object:
        yield from build(*args, **options)  # type: ignore[arg-type]
        settling.settle(task.pk, FIRST, by=ben)

    monkeypatch.setattr(releases, "_build", settle_meanwhile)
    recipe = release_answers.recipe_for(["Names"], least_assignments=1, least_answered=1)
    release = releases.create_release(releases.ReleasePlan("Out", recipe), by=ben)

    with pytest.raises(WrongState, match="changed in the meantime"):
        releases.freeze_release(release, by=ben, report=lambda *_: None)


# ---- At the same moment: each database orders them in its own way ----------------------------------


def at_once(*actions: Callable[[], object]) -> list[object]:
    """Run each in a thread of its own, all at the same moment; return their results or refusals."""
    barrier = threading.Barrier(len(actions))

    def run(action: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return action()
        except TesaError as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return [*pool.map(run, actions)]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_four_tabs_at_once_store_one_row_and_take_one_back(task: Task):
    ben = make_user("ben")
    at_once(*[lambda: settling.settle(task.pk, FIRST, by=ben)] * 4)
    (row,) = Settlement.objects.all()

    at_once(*[lambda: settling.undo(task.pk, by=ben, settlement=row.pk)] * 4)

    assert Settlement.objects.count() == 2
    assert task.pk not in settlements_of([task.pk], needed=1)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_reviewers_at_once_are_both_heard(task: Task):
    Campaign.objects.update(reviewers=2)
    ben, eve = make_user("ben"), make_user("eve")

    at_once(
        lambda: settling.settle(task.pk, FIRST, by=ben),
        lambda: settling.settle(task.pk, SECOND, by=eve),
    )

    assert Settlement.objects.count() == 2
    assert settlements_of([task.pk], needed=2)[task.pk].verdict == CONTESTED
    assert task.review_item.state == "contested"


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_who_withdraws_while_a_reviewer_saves_takes_their_pieces_out(task: Task, monkeypatch: pytest.MonkeyPatch):
    ben, (ann, bob) = make_user("ben"), answers(task)
    sent = TaskAnswer(BOTH, [ann.pk, bob.pk])

    together(
        monkeypatch,
        (settling, "_answer"),
        lambda: settling.settle(task.pk, sent, by=ben),
        lambda: leaving.withdraw(bob.assignment.participation.secret),
    )

    assert settlements_of([task.pk], needed=1)[task.pk].needs_another_look
    assert settlements_of([task.pk], needed=1)[task.pk].corrected is None


# ---- A process that is killed ----------------------------------------------------------------------

HERE = """
import os, signal, tempfile
from pathlib import Path
from django.conf import settings
settings.ALLOWED_HOSTS = ["testserver"]
from annotation.models import Settlement, Task
from annotation.services import settling
from annotation.services.settling import TaskAnswer
from kernel.models import User
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import FIRST, IDA, make_spans_task
from tests.make import make_user

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def settle():
    settling.settle(Task.objects.get(question__title=FIRST).pk, TaskAnswer({"spans": IDA}), by=User.objects.get())

with registered():
"""
MADE = HERE + "    make_spans_task(Path(tempfile.mkdtemp())), make_user('ben')\n"
KILLED_BEFORE_IT_IS_STORED = HERE + "    settling._score = die\n    settle()\n"
KILLED_BEFORE_IT_ANSWERS = HERE + "    settle()\n    die()\n"
SENT_AGAIN = HERE + "    settle()\n    print(Settlement.objects.count())\n"
COUNTED = HERE + "    print(Settlement.objects.count())\n"


@pytest.mark.processes
def test_killed_before_it_is_stored_nothing_is_there_and_before_the_answer_one_row_however_often_it_is_sent(
    migrated: Filled,
):
    installation = Product(like=migrated)

    def code_of(code: str) -> int:
        process = installation.start_python(code)
        process.communicate()
        return process.returncode

    try:
        installation.python(MADE)
        assert code_of(KILLED_BEFORE_IT_IS_STORED) == -signal.SIGKILL
        assert installation.python(COUNTED).split()[-1] == "0"
        assert code_of(KILLED_BEFORE_IT_ANSWERS) == -signal.SIGKILL
        assert installation.python(SENT_AGAIN).split()[-1] == "1"
    finally:
        installation.close()
