"""Pages of an experiment ask the database as often for many runs as for few."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from modeling.models import Experiment
from tests.make import execute_all, make_experiment, make_split

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiments() -> tuple[Experiment, Experiment]:
    """Return an experiment of two methods, and one of four."""
    split = make_split()
    few, many = (
        make_experiment("Few", "random", "frequency", split=split),
        make_experiment("Many", "random", "frequency", "context-count", "all-count", split=split),
    )
    return execute_all(few), execute_all(many)


@pytest.mark.parametrize("page", ["", "delete/", "results.tex"])
def test_more_runs_cost_no_more_queries(researcher: Client, experiments: tuple[Experiment, Experiment], page: str):
    asked = []
    for experiment in experiments:
        researcher.get(f"/models/{experiment.pk}/{page}")
        with CaptureQueriesContext(connection) as queries:
            assert researcher.get(f"/models/{experiment.pk}/{page}").status_code == 200
        asked.append(len(queries))

    assert asked[1] <= asked[0]
