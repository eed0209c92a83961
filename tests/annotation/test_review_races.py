"""Reviewers, authors and the assessment at one answer at the same moment. PostgreSQL only: SQLite has one writer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections

from annotation.models import Annotation, Participation, ReviewItem, WorkerVerdict
from annotation.selectors import review
from annotation.selectors.cleaned import cleaned_rows
from annotation.services import doubts, excluding, leaving, people_checks, reviewing, submitting
from annotation.services.reviewing import Opinion
from kernel.errors import WrongState
from tests.annotation.answered import in_turn
from tests.make import make_user
from tests.product import PATIENCE_S, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]
ACCEPT = Opinion("accept")


def together(
    monkeypatch: pytest.MonkeyPatch, at: tuple[Any, str], first: Callable[[], object], second: Callable[[], object]
) -> list[object]:
    """Run both and return their results. The second starts when the first calls the function named by `at`.

    The first goes on once the second has ended, or waits for a lock that the first holds.
    """
    reached, second_ended, function = threading.Event(), threading.Event(), getattr(*at)
    thread = threading.local()

    def pause(*args: Any, **kwargs: Any) -> Any:
        if getattr(thread, "is_first", False) and not reached.is_set():
            reached.set()
            wait_for(lambda: second_ended.is_set() or is_blocking_somebody(), every=0.01)
        return function(*args, **kwargs)

    def run(is_first: bool) -> object:
        thread.is_first = is_first
        try:
            if is_first:
                return first()
            assert reached.wait(PATIENCE_S)
            return second()
        except WrongState as refused:
            return refused
        finally:
            if not is_first:
                second_ended.set()
            connections.close_all()

    monkeypatch.setattr(*at, pause)
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, (True, False)))


def is_blocking_somebody() -> bool:
    """Tell whether another session waits for a lock that this thread's session holds."""
    with connection.cursor() as cursor:
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        cursor.execute(f"SELECT EXISTS ({waiting})")
        return bool(cursor.fetchone()[0])


def test_nobody_accepts_a_text_that_its_author_changes_at_that_moment(monkeypatch: pytest.MonkeyPatch):
    in_turn(phrases=("botanists",))
    row, ada = Annotation.objects.select_related("assignment__participation").get(), make_user("ada")

    _, refused = together(
        monkeypatch,
        (review, "answers_of_tasks"),
        lambda: reviewing.decide(row.pk, ACCEPT, by=ada),
        lambda: submitting.correct(row.assignment.participation.secret, row.assignment_id, {"phrase_1": "painters"}),
    )

    assert isinstance(refused, WrongState)
    row.refresh_from_db()
    assert (row.verdict, row.answer["phrases"]) == ("accept", ["botanists"])


def test_a_verdict_given_while_the_reviewers_are_counted_anew_is_not_lost(monkeypatch: pytest.MonkeyPatch):
    campaign = in_turn(phrases=("botanists",))
    row, ada, ben = Annotation.objects.get(), make_user("ada"), make_user("ben")
    reviewing.decide(row.pk, ACCEPT, by=ada)

    together(
        monkeypatch,
        (reviewing, "resolve"),
        lambda: reviewing.set_reviewers(campaign.pk, 2, by=ada),
        lambda: reviewing.decide(row.pk, ACCEPT, by=ben),
    )

    assert Annotation.objects.get().verdict == "accept"


def test_scoring_brings_back_nothing_that_changes_meanwhile(monkeypatch: pytest.MonkeyPatch):
    campaign = in_turn(phrases=("botanists", "opera singers"))
    task, person = campaign.tasks.get(), Participation.objects.order_by("pk")[0]

    together(
        monkeypatch,
        (doubts, "doubt_of_answers"),
        lambda: doubts.score_tasks(campaign, [task.pk]),
        lambda: excluding.exclude(person.pk, reason="copies", by=None),
    )

    assert not ReviewItem.objects.exists()


def test_filters_bring_back_no_word_of_who_withdraws_at_that_moment(monkeypatch: pytest.MonkeyPatch):
    campaign = in_turn(phrases=("botanists", "peculiar gardeners"), size=6)
    rows = list(cleaned_rows(campaign, late=True))
    person = Participation.objects.order_by("pk")[1]

    together(
        monkeypatch,
        (leaving, "_forget_who"),
        lambda: leaving.withdraw(person.secret),
        lambda: people_checks.look_at_people(campaign, rows),
    )

    assert WorkerVerdict.objects.exists()
    assert not WorkerVerdict.objects.filter(participation=person).exists()
