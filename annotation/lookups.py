"""What annotators can look up while they answer, and how often.

Task types are plain Python, so the application gives them the titles of the installation when it starts (`provide`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from kernel.clock import now

if TYPE_CHECKING:
    from corpus.backgrounds.title_lookup import NamedPage, TitleHit, TitleLookup

PAGES = "pages"
LOOKUPS: Mapping[str, str] = {PAGES: "Titles of Wikipedia pages"}  # name → what it searches
MOST_KNOWN = 10_000  # people whose look-ups one process remembers

_stored: list[Callable[[], TitleLookup]] = []
_in_place: ContextVar[TitleLookup | None] = ContextVar("titles", default=None)


def provide(titles: Callable[[], TitleLookup]) -> None:
    """Let task types look up titles here; called once, when the application starts."""
    _stored[:] = [titles]


def titles() -> TitleLookup:
    """Return where titles are looked up."""
    if own := _in_place.get():
        return own
    return _stored[0]() if _stored else NoTitles()


@contextmanager
def looking_in(own: TitleLookup) -> Iterator[None]:
    """Look up titles elsewhere until the block ends."""
    token = _in_place.set(own)
    try:
        yield
    finally:
        _in_place.reset(token)


class NoTitles:
    """Knows no page: what people write stays as they wrote it."""

    def search(self, words: str, limit: int = 10) -> Sequence[TitleHit]:
        return ()

    def named(self, written: Sequence[str]) -> Sequence[NamedPage]:
        from corpus.backgrounds.title_lookup import unknown_page

        return [unknown_page(text) for text in written]


class RateLimit:
    """Counts what somebody does within some seconds, in this process alone: a limit against scripts, not a quota."""

    def __init__(self, most: int, seconds: int) -> None:
        self.most, self.span = most, timedelta(seconds=seconds)
        self._times: OrderedDict[object, deque[datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, who: object) -> int:
        """Count one more and return 0, or return the seconds until there may be one more."""
        moment = now()
        with self._lock:
            times = self._times.setdefault(who, deque())
            self._times.move_to_end(who)
            while times and times[0] <= moment - self.span:
                times.popleft()
            if len(times) >= self.most:
                return ceil((times[0] + self.span - moment).total_seconds())
            times.append(moment)
            while len(self._times) > MOST_KNOWN:
                self._times.popitem(last=False)
        return 0
