"""What somebody can be told by e-mail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """One thing to tell. The key stays the same as long as it is the same thing, so that it is told once."""

    key: str
    text: str
    route: str  # the page to look at, by the name of its address and its numbers; addresses load every page's code,
    numbers: tuple[int, ...]  # so they are worked out when a mail is written, not each time the scheduler looks


@dataclass(frozen=True)
class NoticeKind:
    """One event somebody can be told about, who may be told, and how to find what there is to tell now."""

    label: str
    permission: str
    find: Callable[[], list[Notice]]
