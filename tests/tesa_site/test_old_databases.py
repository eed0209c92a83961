"""Databases of earlier versions: upgraded from the first frozen migrations on, refused in one sentence before that."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.product import PATIENCE_S, ROOT, free_port

pytestmark = pytest.mark.processes

FIRST = """
import django
django.setup()
from django.core.management import call_command
for app in ("kernel", "corpus", "annotation", "modeling", "marketplace"):
    call_command("migrate", app, "0001_initial", verbosity=0)
"""


def run(var: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in an installation of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TESA_")}
    own = {"TESA_VAR": str(var), "TESA_PORT": str(free_port()), "DJANGO_SETTINGS_MODULE": "tesa_site.settings"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=kept | own, capture_output=True, text=True, timeout=PATIENCE_S)


def dump(var: Path) -> list[str]:
    return [*sqlite3.connect(var / "tesa.sqlite3").iterdump()]


@pytest.fixture
def first(tmp_path):
    """The folder of an installation with the tables of the first frozen migrations."""
    done = run(tmp_path, "-c", FIRST)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_a_database_of_the_first_frozen_migrations_is_upgraded(first):
    done = run(first, "manage.py", "prepare")

    assert (done.returncode, done.stdout) == (0, "prepared\n"), done.stderr


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ("DROP TABLE kernel_noticeswitch", "the table kernel_noticeswitch is missing"),
        ("ALTER TABLE annotation_campaign DROP COLUMN people_checked_at", "annotation_campaign.people_checked_at is"),
    ],
)
def test_an_older_database_is_refused_in_one_sentence_and_not_changed(first, change, missing):
    with sqlite3.connect(first / "tesa.sqlite3") as database:  # as the first migrations were before they were frozen
        database.execute(change)
    before = dump(first)

    starts = [
        run(first, "-m", "tesa_site.launch"),
        run(first, "manage.py", "prepare"),
        run(first, "manage.py", "migrate"),
    ]

    for done in starts:
        assert done.returncode == 1
        assert "made before 16 November 2026 by a version whose tables cannot be upgraded" in done.stderr
        assert missing in done.stderr
        assert "set TESA_VAR to a new folder" in done.stderr
        assert "Traceback" not in done.stderr
    assert dump(first) == before
