"""These tests need torch: they are not collected where it is missing. `make test-neural` installs it and runs them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    import torch

    left_out = [] if torch.cuda.is_available() else marked
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    """Children are forked from here, and a fork does not survive torch's threads."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _no_signals(monkeypatch) -> None:
    monkeypatch.setattr("modeling.rankers.neural.control.Control.listen", lambda self: None)


@pytest.fixture
def in_child() -> Callable[[Callable[[], int]], int]:
    """Run a function in a forked process; return its exit code, or minus the signal that ended it."""

    def call(function: Callable[[], int]) -> int:
        child = os.fork()
        if child == 0:
            code = 99
            try:
                code = function()
            finally:
                os._exit(code)  # whatever happened, this process is not a test
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    return call


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
