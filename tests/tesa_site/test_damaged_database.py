"""Starting on a damaged SQLite file, or without a database, is one sentence."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.product import ROOT, free_port


def overwritten(path: Path) -> None:
    path.write_bytes(b"this is no database " * 1000)


def cut_off(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app text, name text, applied text)")
    os.truncate(path, 4096)  # the first page holds the schema, and the table is gone


def run(command: list[str], var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TESA_", "DJANGO_"))}
    settings = {"TESA_VAR": str(var), "TESA_PORT": str(free_port()), **environment}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=inherited | settings, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("damage", [overwritten, cut_off])
@pytest.mark.parametrize("command", [["-m", "tesa_site.launch"], ["manage.py", "prepare"]], ids=["make run", "prepare"])
def test_a_damaged_database_stops_the_start_with_one_sentence(tmp_path, damage, command):
    path = tmp_path / "tesa.sqlite3"
    damage(path)

    done = run(command, tmp_path)

    assert done.returncode == 1
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("tesa:")]
    assert len(lines) == 1
    assert f"the database {path} is damaged" in lines[0]
    assert "Traceback" not in done.stdout + done.stderr


def test_a_command_without_its_database_is_one_sentence(tmp_path):
    url = f"postgres://ada@127.0.0.1:{free_port()}/tesa"

    done = run(["manage.py", "jobs", "list"], tmp_path, TESA_DATABASE_URL=url)

    assert done.returncode == 1
    assert done.stderr.startswith("tesa: the database does not answer: ")
    assert "Traceback" not in done.stderr
