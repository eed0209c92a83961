"""The process that draws plots: one for all who ask, there when it is needed, and a death costs no page."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kernel.plots import vega_process
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
    if vega.process:
        vega.process.kill()
        vega.process.wait()


def process_of(vega: Vega) -> subprocess.Popen[bytes]:
    assert vega.process is not None
    return vega.process


def test_drawings_asked_for_by_several_threads_come_from_one_process(vega: Vega):
    with ThreadPoolExecutor(4) as pool:
        drawings = {*pool.map(vega.svg, [SPEC] * 4)}
    first = process_of(vega)

    vega.svg(SPEC)

    assert len(drawings) == 1
    assert drawings.pop().startswith("<svg ")
    assert process_of(vega) is first


def test_a_forked_process_asks_the_one_of_its_parent(vega: Vega):
    vega.svg(SPEC)
    first = process_of(vega)
    pid = os.fork()
    if pid == 0:
        os._exit(int(not vega.svg(SPEC).startswith("<svg ") or vega.process is not first))

    assert os.waitpid(pid, 0)[1] == 0


def test_two_processes_that_start_one_at_once_share_the_first(vega: Vega):
    other = Vega(idle_seconds=600)
    other.address = vega.address
    vega._start()
    other._start()

    assert vega.svg(SPEC) == other.svg(SPEC)
    assert process_of(other).wait() == 0
    assert process_of(vega).poll() is None


def test_a_killed_process_is_replaced(vega: Vega):
    before, first = vega.svg(SPEC), process_of(vega)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()

    assert vega.svg(SPEC) == before


def test_what_cannot_be_drawn_says_so_and_the_next_one_is_drawn(vega: Vega):
    with pytest.raises(RuntimeError, match="this cannot be drawn: Error: Invalid specification"):
        vega.svg({})

    assert vega.svg(SPEC).startswith("<svg ")


def test_somebody_who_goes_away_in_the_middle_keeps_nobody_from_drawing(vega: Vega):
    vega.svg(SPEC)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(vega.address)
        client.sendall(b'{"mark"')

    assert vega.svg(SPEC).startswith("<svg ")


def test_the_process_ends_when_nothing_is_drawn_and_starts_again():
    vega = Vega(idle_seconds=0.2)
    vega.svg(SPEC)

    assert process_of(vega).wait() == 0

    assert vega.svg(SPEC).startswith("<svg ")
    assert process_of(vega).wait() == 0


def test_the_process_ends_with_the_one_that_started_it():
    draws = "import sys; from kernel.plots.vega import VEGA; VEGA._start(); print(VEGA.process.pid)"
    started = subprocess.run([sys.executable, "-c", draws], capture_output=True, check=True)
    pid = int(started.stdout)

    wait_for(lambda: not Path(f"/proc/{pid}/exe").exists())


def test_where_sockets_are_files_one_that_nobody_serves_is_replaced(
    tmp_path_factory: pytest.TempPathFactory, vega: Vega
):
    vega.address = str(tmp_path_factory.mktemp("s") / "v")[-100:]
    listener = vega_process.listening(vega.address)
    assert listener
    listener.close()  # its file stays

    assert vega.svg(SPEC).startswith("<svg ")
