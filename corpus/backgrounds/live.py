"""Live Wikipedia through the `wikipedia` package: the only network code of the corpus.

The package is small and unmaintained. Its known faults, and what we do about them:

- `page()` guesses another title unless told not to, and parses disambiguation pages with a BeautifulSoup call that
  warns and whose entries need not be titles; `summary()` raises KeyError for pages without an extract. So we call
  only `_wiki_request`, and parse the API's answers ourselves (`mediawiki.py`).
- `_wiki_request` reads the address and the user agent from globals, has no timeout, ignores the HTTP status and accepts
  answers of any size. So while it runs we replace these globals, and `requests` by a transport of our own, one request
  at a time for the whole process.
- `search()` caches every answer in memory for ever. Our cache is on disk, is passed in, and expires.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, ClassVar

import requests  # a dependency of the package
from wikipedia import wikipedia as package

from corpus.backgrounds import mediawiki
from corpus.backgrounds.base import Config, Page
from corpus.backgrounds.cache import SqliteCache
from kernel.errors import InvalidInput, Unavailable
from kernel.values import batches, canonical_json, content_hash

logger = logging.getLogger(__name__)

API_URL = "https://en.wikipedia.org/w/api.php"
LICENCE = "CC BY-SA 4.0"
MAX_ANSWER_BYTES = 8 * 2**20
MOST_CONTINUATIONS = 10
LONGEST_WAIT_S = 60.0  # if a server asks for more, we give up
_PASSING_ERRORS = frozenset(
    {"no answer", "maxlag", "ratelimited", "readonly", "cirrussearch-too-busy-error", "search-error"}
)
_package_lock = threading.Lock()


class _Trouble(Exception):
    """A failed request: the problem in words, whether retrying may help, and how long the server asks us to wait."""

    def __init__(self, problem: str, *, is_passing: bool, wait_s: float = 0.0) -> None:
        super().__init__(problem)
        self.is_passing, self.wait_s = is_passing, wait_s


@dataclass(frozen=True)
class Manners:
    """How often and how persistently we ask a server that is not ours."""

    interval_s: float = 0.2  # between two requests
    timeout_s: float = 15.0  # for a whole answer
    attempts: int = 4
    backoff_s: float = 1.0  # before the second attempt; doubled for each later one
    failures_before_rest: int = 3  # consecutive questions without an answer
    rest_s: float = 60.0  # pause after these failures, so that a dead network costs a minute, not a day


class WikipediaSource:
    """Pages of one wiki. `agent` says who asks and how to contact them, as Wikimedia's rules require."""

    name: ClassVar[str] = "wikipedia"

    def __init__(
        self,
        agent: str,
        *,
        api_url: str,
        cache: SqliteCache | None = None,
        manners: Manners | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._agent, self._api_url, self._cache = agent, api_url, cache
        self._manners = manners or Manners()
        self._clock, self._sleep, self._today = clock, sleep, today
        self._next_at = float("-inf")
        self._rests_until = float("-inf")
        self._failures = 0
        self._session = requests.Session()
        self._turn = threading.Lock()

    def look_up(self, title: str) -> Page | None:
        """Return the page; its candidates come from the title's disambiguation page, even if that is another page."""
        if not mediawiki.is_title(title):
            return None
        beside = f"{title} (disambiguation)"
        titles = [name for name in (title, beside) if mediawiki.is_title(name)]
        page, *others = self._pages(titles)
        listing = next((item for item in (page, *others) if item and item.is_disambiguation), None)
        if listing is None:
            return page
        links = mediawiki.links_of(self._ask(mediawiki.links_query(listing.title))[0])
        if page is None:
            return replace(listing, candidates=links)
        return replace(page, candidates=tuple(link for link in links if link != page.title))

    def look_up_all(self, titles: Sequence[str]) -> list[Page | None]:
        """Return the pages, many per request; disambiguation pages have no candidates."""
        pages: dict[str, Page | None] = dict.fromkeys(titles)
        for batch in batches(filter(mediawiki.is_title, list(pages)), mediawiki.MOST_TITLES):
            pages.update(zip(batch, self._pages(batch), strict=True))
        return [pages[title] for title in titles]

    def search(self, name: str, limit: int = 10) -> list[str]:
        words = " ".join(name.split())
        if not words:
            return []
        return mediawiki.search_results(self._ask(mediawiki.search_query(words, limit))[0])[:limit]

    def close(self) -> None:
        self._session.close()

    def _pages(self, titles: Sequence[str]) -> list[Page | None]:
        answer, day = self._ask(mediawiki.pages_query(titles))
        return [mediawiki.page_for(answer, title, source=self.name, licence=LICENCE, retrieved=day) for title in titles]

    def _ask(self, query: Mapping[str, str]) -> tuple[mediawiki.ApiAnswer, date]:
        """Return the complete answer to a query and the day of the answer, from the cache if possible."""
        key = content_hash({"api": self._api_url, "query": dict(query)})
        cached = self._cache.get(key) if self._cache else None
        if cached is not None:
            try:
                entry = json.loads(cached)
                return mediawiki.merged(entry["answers"]), date.fromisoformat(entry["day"])
            except (ValueError, KeyError, TypeError, AttributeError):
                logger.warning("cache entry=%s unreadable", key)
        day, answers = self._today(), list(self._answers(query))
        if self._cache:
            self._cache.put(key, canonical_json({"day": day.isoformat(), "answers": answers}))
        return mediawiki.merged(answers), day

    def _answers(self, query: Mapping[str, str]) -> Iterator[Any]:
        """Yield the answer and its continuations."""
        more: dict[str, str] = {}
        for _ in range(MOST_CONTINUATIONS):
            answer = self._request({**query, "formatversion": "2", "maxlag": "5", **more})
            yield answer
            following = answer.get("continue")
            if not isinstance(following, dict):
                return
            more = {str(key): str(value) for key, value in following.items()}

    def _request(self, query: dict[str, str]) -> dict[str, Any]:
        """Return one answer, after several attempts if necessary; raise Unavailable if all fail."""
        if self._clock() < self._rests_until:
            raise Unavailable("Wikipedia is not answering; it will be asked again in a minute")
        for attempt in range(1, self._manners.attempts + 1):
            try:
                answer = self._once(query)
            except _Trouble as trouble:
                logger.info("attempt=%s trouble=%s", attempt, trouble)
                wait_s = max(trouble.wait_s, self._manners.backoff_s * 2 ** (attempt - 1))
                if not trouble.is_passing or wait_s > LONGEST_WAIT_S or attempt == self._manners.attempts:
                    raise self._failed(trouble) from trouble
                self._sleep(wait_s)
            else:
                self._failures = 0
                return answer
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _failed(self, trouble: _Trouble) -> Unavailable:
        self._failures += trouble.is_passing
        if self._failures >= self._manners.failures_before_rest:
            self._rests_until = self._clock() + self._manners.rest_s
            self._failures = 0
        return Unavailable(f"Wikipedia did not answer: {trouble}")

    def _once(self, query: dict[str, str]) -> dict[str, Any]:
        with self._turn:
            wait_s = self._next_at - self._clock()
            if wait_s > 0:
                self._sleep(wait_s)
            self._next_at = self._clock() + self._manners.interval_s
        transport = _Transport(self._session, self._manners.timeout_s)
        try:
            with _inside_the_package(self._api_url, self._agent, transport):
                answer = package._wiki_request(query)
        except (ValueError, RecursionError) as error:
            raise _Trouble("the answer is not JSON", is_passing=True) from error
        return _checked(answer, transport.retry_after_s)


@contextmanager
def _inside_the_package(api_url: str, agent: str, transport: _Transport) -> Iterator[None]:
    """Give the package our address, user agent and transport for the duration of a block."""
    with _package_lock:
        before = package.API_URL, package.USER_AGENT, package.requests
        package.API_URL, package.USER_AGENT, package.requests = api_url, agent, transport
        try:
            yield
        finally:
            package.API_URL, package.USER_AGENT, package.requests = before


class _Transport:
    """A replacement for the package's `requests` module, with a deadline, a size limit and a check of the status."""

    def __init__(self, session: Any, timeout_s: float) -> None:
        self._session, self._timeout_s = session, timeout_s
        self.retry_after_s = 0.0

    def get(self, url: str, params: Mapping[str, str], headers: Mapping[str, str]) -> _Body:
        try:
            with self._session.get(
                url, params=params, headers=headers, timeout=self._timeout_s, stream=True
            ) as response:
                wait = response.headers.get("Retry-After", "")
                self.retry_after_s = float(wait) if wait.isascii() and wait.isdigit() else 0.0
                if response.status_code != 200:
                    is_passing = response.status_code == 429 or response.status_code >= 500
                    problem = f"it answered with HTTP status {response.status_code}"
                    raise _Trouble(problem, is_passing=is_passing, wait_s=self.retry_after_s)
                return _Body(self._read(response))
        except requests.RequestException as error:
            raise _Trouble(f"the network failed ({type(error).__name__})", is_passing=True) from error

    def _read(self, response: Any) -> bytes:
        body, deadline = b"", time.monotonic() + self._timeout_s  # requests' own timeout only applies between packets
        for piece in response.iter_content(65_536):
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise _Trouble("the answer is too long", is_passing=False)
            if time.monotonic() > deadline:
                raise _Trouble("the answer came too slowly", is_passing=True)
        return body


@dataclass(frozen=True)
class _Body:
    """The part of a response that the package needs."""

    content: bytes

    def json(self) -> Any:
        return json.loads(self.content, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _checked(answer: Any, retry_after_s: float) -> dict[str, Any]:
    """Return the answer, or raise the error in it: MediaWiki reports most errors with HTTP status 200."""
    if not isinstance(answer, dict):
        raise _Trouble("the answer is not an object", is_passing=True)
    if "query" in answer and "error" not in answer:
        return answer
    error = answer.get("error")
    code = str(error.get("code")) if isinstance(error, dict) else "no answer"
    is_passing = code in _PASSING_ERRORS or code.startswith("internal_api_error")
    raise _Trouble(f"it reported the error {code!r}", is_passing=is_passing, wait_s=retry_after_s)


def from_config(config: Config) -> WikipediaSource:
    """Return Wikipedia with answers cached in the file "cache". Its owners can reach us at "contact"."""
    cache = SqliteCache(Path(config["cache"]))
    return WikipediaSource(user_agent(config["contact"]), api_url=API_URL, cache=cache)


def user_agent(contact: str) -> str:
    """Return "TESA (ada@example.org) wikipedia/1.4", the form that Wikimedia asks for."""
    agent = " ".join(f"TESA ({contact}) wikipedia/1.4".split())
    if not agent.isprintable() or not agent.isascii():
        raise InvalidInput("must be plain ASCII, because it is sent in a header", field="contact")
    return agent
