"""A database made before the rooms were rearranged, migrated to today, shows the recorded pages and exports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest
from django.db import connection

from tests.golden import golden
from tests.golden.visiting import EXPORTS, FILES
from tests.product import ROOT, Database

BETWEEN = re.compile(r"[\s,{}\[\]]+")
pytestmark = [pytest.mark.database, pytest.mark.processes]

SECRET_KEY = "golden-" + "x" * 53  # the databases were made with it, and pseudonyms depend on it


def load_postgresql(url: str) -> None:
    loaded = psycopg2.connect(url)
    with loaded, loaded.cursor() as cursor:
        cursor.execute(golden.read("database.sql.xz").decode())
    loaded.close()


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with what the pages of the migrated database say; a process of its own visits them."""
    var, out = tmp_path_factory.mktemp("var"), tmp_path_factory.mktemp("visited")
    database = Database(os.environ.get("TESA_DATABASE_URL", "") if connection.vendor == "postgresql" else "")
    try:
        if database.url:
            load_postgresql(database.url)
        else:
            (var / "one").mkdir()
            (var / "one" / "tesa.sqlite3").write_bytes(golden.read("database.sqlite3.xz"))
        ours = ("TESA_", "DJANGO_", "PYTEST_XDIST")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)} | {
            "DJANGO_SETTINGS_MODULE": "tesa_site.settings_test",
            "TESA_TEST_VAR": str(var),
            "TESA_DATABASE_URL": database.url,
            "TESA_SECRET_KEY": SECRET_KEY,
        }
        command = [sys.executable, "-m", "tests.golden.visiting", str(out)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        yield out
    finally:
        database.drop()


def orderless(text: str) -> str:
    """Return the lines of a text sorted, and the words of each line sorted too."""
    return "\n".join(sorted(" ".join(sorted(BETWEEN.split(line))) for line in text.splitlines()))


@pytest.mark.parametrize("name", sorted(set(FILES) - {EXPORTS}))
def test_the_migrated_database_shows_the_recorded_pages(visited: Path, name: str):
    text = (visited / name).read_text(encoding="utf-8")

    # PostgreSQL keeps no order of an object's fields, nor of rows that a page does not sort: only words count there.
    golden.check(f"pages/{name}", text, without_order=orderless if connection.vendor == "postgresql" else None)


def test_the_migrated_database_is_exported_to_the_recorded_bytes(visited: Path):
    golden.check(f"pages/exports_{connection.vendor}.sha256", (visited / EXPORTS).read_text(encoding="utf-8"))


def test_every_page_that_is_visited_is_compared(visited: Path):
    assert sorted(path.name for path in visited.iterdir()) == sorted(FILES)
