"""A child process works on values, reports counts, and hands its errors on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kernel.child_process import ChildProcess
from kernel.errors import InvalidInput

pytestmark = pytest.mark.processes
HERE = "tests.kernel.test_child_process"


def work(argument: str, value: Any, count: Callable[..., None]) -> Any:
    """What the child does with each value; `os.environ` is where a preparation leaves its mark."""
    count(1, len(str(value)))
    print("a stray line")
    if value == "refuse":
        raise InvalidInput("no such article", field="article", where="a.xml, line 3")
    if value == "fail":
        raise KeyError("broken")
    if value == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{argument} {value}{os.environ.get('PREPARED', '')}"


def prepare() -> None:
    os.environ["PREPARED"] = ", prepared"


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    child = ChildProcess(f"{HERE}:work", "read")
    yield child
    child.stop()


def test_values_are_worked_on_one_after_the_other_and_counted(child: ChildProcess):
    assert [child.work("a"), child.work("bcd")] == ["read a", "read bcd"]
    assert child.counts == (2, 4)


def test_an_error_for_people_arrives_as_it_was_raised_and_the_child_goes_on(child: ChildProcess):
    with pytest.raises(InvalidInput) as raised:
        child.work("refuse")

    assert (raised.value.problem, raised.value.field) == ("no such article", "article")
    assert str(raised.value) == "a.xml, line 3: no such article"
    assert child.work("a") == "read a"


def test_any_other_error_brings_its_traceback(child: ChildProcess):
    with pytest.raises(RuntimeError, match="KeyError: 'broken'") as raised:
        child.work("fail")

    assert "in work" in raised.value.__notes__[0]


def test_a_child_that_died_is_reported_in_a_sentence(child: ChildProcess):
    with pytest.raises(RuntimeError, match=r"test_child_process:work died during its work; is there enough memory\?"):
        child.work("die")


def test_something_can_be_prepared_before_the_first_value():
    child = ChildProcess(f"{HERE}:work", "read", prepare=f"{HERE}:prepare")

    assert child.work("a") == "read a, prepared"

    child.stop()
