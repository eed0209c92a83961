"""Calls of a marketplace: made again while they were not carried out, and counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotation.providers.base import Doubtful, NotSent, Refused

ROUNDS = 6  # in which calls that failed are made again before a job gives up
Report = Callable[[int, int, str], None]


@dataclass
class Done:
    """What a job did, and the first thing that went wrong."""

    collected: int = 0  # submissions, approvals and rejections that were new to us
    published: int = 0
    reopened: int = 0
    expired: int = 0
    waiting: int = 0  # calls that were not carried out, or nobody knows
    is_refused: bool = False  # the marketplace does not want such postings, or the account has no money
    problem: str = ""
    tried: set[int] = field(default_factory=set)  # decisions about differences, each tried once a pass

    def note(self, error: Exception) -> None:
        self.problem = self.problem or str(error)


def sent(done: Done, call: Any, *arguments: Any, **more: Any) -> bool:
    """Make a call, and make it again if it was not carried out; False if it is refused or still waits."""
    for _ in range(ROUNDS):
        try:
            call(*arguments, **more)
        except Refused as error:
            done.note(error)
            return False
        except (NotSent, Doubtful) as error:
            done.note(error)
        else:
            return True
    done.waiting += 1
    return False
