"""What the tests of the pages share."""

from __future__ import annotations

import pytest

from modeling.models import Experiment
from tests.make import execute_all, make_experiment, make_user


@pytest.fixture
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.VECTORS_FOLDER = tmp_path / "vectors"


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def experiment(own_folder) -> Experiment:
    """Five runs, all whole; validation chose three of them."""
    return execute_all(make_experiment("All", "random", "frequency", "logistic-tesa penalty=1,100", seeds=(1, 2)))
