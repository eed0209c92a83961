"""The process that draws plots: it starts when it is needed, ends when it is not, and a death costs no page."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kernel.child_process import ChildProcess
from kernel.plots.vega import Vega
from tests.product import wait_for

pytestmark = pytest.mark.processes
SPEC: dict[str, Any] = {
    "data": {"values": [{"day": "1 May", "jobs": 3}]},
    "mark": "bar",
    "encoding": {"x": {"field": "day", "type": "ordinal"}, "y": {"field": "jobs", "type": "quantitative"}},
}


@pytest.fixture
def vega() -> Iterator[Vega]:
    vega = Vega(idle_seconds=600)
    yield vega
    vega._stop()


def child_of(vega: Vega) -> ChildProcess:
    assert vega.child is not None
    return vega.child


def test_drawings_asked_for_by_several_threads_come_from_one_process(vega: Vega):
    with ThreadPoolExecutor(4) as pool:
        drawings = {*pool.map(vega.svg, [SPEC] * 4)}

    assert len(drawings) == 1
    assert drawings.pop().startswith("<svg ")
    assert child_of(vega).process.poll() is None


def test_the_process_outlives_the_thread_that_first_asked(vega: Vega):
    thread = threading.Thread(target=vega.svg, args=[SPEC])
    thread.start()
    thread.join()
    first = child_of(vega)

    vega.svg(SPEC)

    assert child_of(vega) is first


def test_a_killed_process_is_replaced(vega: Vega):
    before, first = vega.svg(SPEC), child_of(vega)
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()

    assert vega.svg(SPEC) == before


def test_what_cannot_be_drawn_says_so_and_the_next_one_is_drawn(vega: Vega):
    with pytest.raises(RuntimeError):
        vega.svg({"mark": "no such mark"})

    assert vega.svg(SPEC).startswith("<svg ")


def test_the_process_ends_when_nothing_is_drawn_and_starts_again():
    vega = Vega(idle_seconds=0.2)
    vega.svg(SPEC)

    wait_for(lambda: vega.thread is None and vega.child is None)

    assert vega.svg(SPEC).startswith("<svg ")
    wait_for(lambda: vega.child is None)


def test_a_forked_process_has_none_of_its_parent():
    from kernel.plots.vega import VEGA

    VEGA.svg(SPEC)
    pid = os.fork()
    if pid == 0:
        os._exit(int(VEGA.child is not None or VEGA.thread is not None))
    assert os.waitpid(pid, 0)[1] == 0
