"""Thirty annotators and a team that excludes, includes, extends, pauses, takes back and expires at the same time."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from annotation.models import Campaign, Worker
from annotation.services import joining
from tests.annotation import stress
from tests.make import make_campaign

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def _shared_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let new threads share a database: on SQLite a file, because the tests' own is in memory."""
    if connection.vendor == "sqlite":
        name = str(tmp_path / "stress.sqlite3")
        with sqlite3.connect(name) as file:
            connection.ensure_connection()
            connection.connection.backup(file)
        monkeypatch.setitem(settings.DATABASES["default"], "NAME", name)


@pytest.mark.slow
@pytest.mark.usefixtures("_shared_database")
def test_counters_are_exact_after_thirty_annotators_and_the_team_worked_at_the_same_time():
    (secrets,) = stress.at_once(stress.prepare)

    stress.everybody(secrets)

    ((turns, wrong),) = stress.at_once(stress.outcome)
    assert wrong == []
    for status in ("submitted", "late", "withdrawn", "returned"):
        assert turns[status] > 0, turns


@pytest.mark.usefixtures("_shared_database")
def test_nobody_gets_a_task_after_their_stop_and_no_answer_is_lost_with_eight_at_once():
    (secrets,) = stress.at_once(stress.prepare_stops)

    stress.at_once(*(partial(stress.annotate_wrongly, secret) for secret in secrets for _ in range(2)))

    ((stopped, wrong),) = stress.at_once(stress.stops_outcome)
    assert wrong == []
    assert stopped == 4


@pytest.mark.usefixtures("_shared_database")
def test_people_who_join_at_the_same_moment_get_different_numbers_without_a_gap():
    (campaign,) = stress.at_once(make_campaign)
    people = [partial(_join, campaign, f"person {n}") for n in range(6)]

    numbers = stress.at_once(*people, *people)

    assert numbers[:6] == numbers[6:], "whoever comes twice has one place"
    assert sorted(numbers[:6]) == [1, 2, 3, 4, 5, 6]


def _join(campaign: Campaign, name: str) -> int:
    return joining.join(campaign, Worker.objects.get_or_create(provider="local", external_id=name)[0]).number
