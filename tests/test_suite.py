"""What the suite says of its own tests stays true when they are renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import postgresql, spreading

HERE = Path(__file__).parent


def is_there(place: str) -> bool:
    file, _, test = place.partition("::")
    path = HERE / file
    return path.exists() and (not test or f"def {test}(" in path.read_text(encoding="utf-8"))


def test_every_place_that_runs_again_on_postgresql_is_there():
    assert [place for place in sorted(postgresql.PLACES) if not is_there(place)] == []


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("tests/golden/test_databases.py::test_a_database_of_version[0.1.0]", True),
        ("tests/annotation/test_ledger.py::test_a_budget", True),
        ("tests/annotation/test_ledger_words.py::test_a_budget", False),
        ("tests/tesa_site/test_access.py::test_no_address_writes_when_it_is_only_read[get]", True),
        ("tests/tesa_site/test_access.py::test_the_matrix_holds[home-anonymous]", False),
    ],
)
def test_a_test_runs_again_on_postgresql_if_it_its_file_or_its_folder_is_listed(nodeid, expected):
    assert postgresql.runs_again(nodeid) == expected


def test_the_files_whose_tests_are_spread_over_processes_are_there():
    assert [file for file in spreading.APART if not (HERE.parent / file).exists()] == []
