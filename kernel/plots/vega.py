"""Vega, which draws specifications, in a process of its own.

It takes a second to load and then 60 to 100 MB, which a web process that loaded it would keep for good. This process
starts with the first drawing and ends when nothing has been drawn for a minute.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from kernel.child_process import ChildProcess

IDLE_SECONDS = 60.0


class Vega:
    """Draws one specification after the other. A thread of its own waits for the process: Linux ends a child together
    with the thread that started it, and threads that serve pages come and go."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self.idle_seconds = idle_seconds
        self.lock = threading.Lock()
        self.waiting = queue.SimpleQueue[tuple[Mapping[str, Any], Future[str]]]()
        self.thread: threading.Thread | None = None
        self.child: ChildProcess | None = None

    def svg(self, spec: Mapping[str, Any]) -> str:
        """Return the drawing of a Vega-Lite specification; raise RuntimeError if it cannot be drawn."""
        drawn = Future[str]()
        with self.lock:
            self.waiting.put((spec, drawn))
            if self.thread is None:
                self.thread = threading.Thread(target=self._serve, name="vega", daemon=True)
                self.thread.start()
        return drawn.result()

    def _serve(self) -> None:
        while True:
            try:
                spec, drawn = self.waiting.get(timeout=self.idle_seconds)
            except queue.Empty:
                with self.lock:
                    if not self.waiting.empty():
                        continue
                    self.thread = None
                    self._stop()
                    return
            try:
                drawn.set_result(self._drawn(spec))
            except BaseException as error:
                drawn.set_exception(error)

    def _drawn(self, spec: Mapping[str, Any]) -> str:
        if self.child is not None and self.child.process.poll() is not None:
            self._stop()  # somebody killed it between two drawings
        if self.child is None:
            self.child = ChildProcess("kernel.plots.vega:draw_in_child", None)
        return str(self.child.work(dict(spec)))

    def _stop(self) -> None:
        if self.child is not None:
            self.child.stop()
            self.child = None


def draw_in_child(_: None, spec: dict[str, Any], count: Any) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec))


VEGA = Vega()


def _forget_after_fork() -> None:
    """Let a forked process start its own: the thread is not in it, and the pipes are its parent's."""
    VEGA.__init__(VEGA.idle_seconds)  # type: ignore[misc]


os.register_at_fork(after_in_child=_forget_after_fork)
