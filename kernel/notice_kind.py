"""E-mail notices, and the events that cause them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """One piece of news. Its key identifies it, so that nobody gets the same news twice."""

    key: str
    text: str
    route: str  # the name and numbers of the page's URL. Reversing it would load the code of every page, so this
    numbers: tuple[int, ...]  # happens when a mail is written, not each time the scheduler looks for news


@dataclass(frozen=True)
class NoticeKind:
    """One kind of event: its label, the permission to hear of it, and the function that finds its current notices."""

    label: str
    permission: str
    find: Callable[[], list[Notice]]
