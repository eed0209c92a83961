"""A crowd at work: one thread for each person."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.simulation.log import Log
from annotation.simulation.people import Person
from annotation.simulation.visiting import Visit
from annotation.task_types.base import TaskType


@dataclass(frozen=True)
class Shift:
    """How a crowd works: where, for how long, and whether its people take their time."""

    url: str
    seed: int
    minutes: float | None = None
    is_real_pace: bool = False


def work(people: Sequence[tuple[Person, str]], shift: Shift, type_: TaskType, log: Log) -> None:
    """Let (person, home address) work until there is nothing left for anybody, or the time is over."""
    ends = None if shift.minutes is None else time.monotonic() + 60 * shift.minutes

    def is_over() -> bool:
        return ends is not None and time.monotonic() >= ends

    def pause(seconds: float) -> None:
        if shift.is_real_pace:
            left = seconds if ends is None else min(seconds, ends - time.monotonic())
            time.sleep(max(0.0, left))

    def visit(person: Person, home: str) -> None:
        try:
            Visit(person, home, shift.url, type_, log, pause, is_over, seed=shift.seed).run()
        except Exception as error:  # a thread that ends without a word would look like a person who is done
            log.write(person.number, "failed", status=0, text=repr(error))

    threads = [threading.Thread(target=visit, args=one, daemon=True) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
