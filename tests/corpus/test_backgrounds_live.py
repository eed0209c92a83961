"""Live Wikipedia, against a stand-in on this machine."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from wikipedia import wikipedia as package

from corpus.articles import EntityType
from corpus.backgrounds import BACKGROUND_SOURCES
from corpus.backgrounds.base import BackgroundStatus, Query
from corpus.backgrounds.cache import SqliteCache
from corpus.backgrounds.linking import link
from corpus.backgrounds.live import Manners, WikipediaSource, user_agent
from kernel.errors import InvalidInput, Unavailable
from tests.corpus.mediawiki import BROKEN, GARBAGE, LAGGED, REFUSED, TOO_MANY, Article, Failure, Wiki

AGENT = "TESA (ada@example.org) wikipedia/1.4"


class Time:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def wiki(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiki]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Wiki() as running:
        running.articles["Gull Rock"] = Article("Gull Rock is a lighthouse.\nIt was built in 1880.", 7, 70)
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


def source(wiki: Wiki, time: Time, **options) -> WikipediaSource:
    manners = options.pop("manners", Manners(interval_s=0.0))
    return WikipediaSource(
        AGENT,
        api_url=wiki.url,
        manners=manners,
        clock=time.clock,
        sleep=time.sleep,
        **{"today": lambda: date(2026, 11, 5), **options},
    )


def test_a_page_comes_with_its_first_paragraph_and_where_it_is_from(wiki, time):
    page = source(wiki, time).look_up("Gull Rock")

    assert page is not None
    assert (page.title, page.text) == ("Gull Rock", "Gull Rock is a lighthouse.")
    assert (page.page_id, page.revision_id) == (7, 70)
    assert page.url == "https://wiki.example/wiki/Gull_Rock"
    assert (page.source, page.licence, page.retrieved) == ("wikipedia", "CC BY-SA 4.0", date(2026, 11, 5))
    assert (page.redirected_from, page.is_disambiguation, page.candidates) == ("", False, ())


def test_every_request_says_who_asks_and_the_package_is_left_as_it_was(wiki, time):
    before = package.API_URL, package.USER_AGENT, package.requests

    source(wiki, time).look_up("Gull Rock")

    assert wiki.agents == [AGENT]
    assert (package.API_URL, package.USER_AGENT, package.requests) == before


def test_a_missing_page_is_none_and_no_other_title_is_suggested(wiki, time):
    assert source(wiki, time).look_up("Gull Rok") is None
    assert len(wiki.asked) == 1


@pytest.mark.parametrize("title", ["", " ", "a|b", "a[1]", "x" * 300, "{{x}}", "a#b"])
def test_what_cannot_be_a_title_is_not_asked_for(wiki, time, title):
    assert source(wiki, time).look_up(title) is None
    assert source(wiki, time).look_up_all([title]) == [None]
    assert wiki.asked == []


def test_redirects_and_small_first_letters_are_followed(wiki, time):
    wiki.redirects = {"The Rock": "Rock of Gulls", "Rock of Gulls": "Gull Rock"}

    page = source(wiki, time).look_up("the Rock")

    assert page is not None
    assert (page.title, page.redirected_from) == ("Gull Rock", "the Rock")


def test_a_normal_form_is_no_redirect(wiki, time):
    page = source(wiki, time).look_up("gull_Rock")

    assert page is not None
    assert (page.title, page.redirected_from) == ("Gull Rock", "")


def test_a_disambiguation_page_gives_all_its_links_as_candidates_without_a_warning(wiki, time):
    wiki.links_an_answer = 2
    links = ("Ida Lind (botanist)", "Ida Lind (pilot)", "Lind", "Ida Lindt", "Ida (name)")
    wiki.articles["Ida Lind"] = Article("Ida Lind may refer to:", is_disambiguation=True, links=links)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = source(wiki, time).look_up("Ida Lind")

    assert page is not None
    assert page.is_disambiguation
    assert page.candidates == tuple(sorted(links))


def test_a_disambiguation_page_beside_the_page_names_its_namesakes(wiki, time):
    links = ("Gull Rock", "Gull Rock (band)")
    wiki.articles["Gull Rock (disambiguation)"] = Article(
        "Gull Rock may refer to:", is_disambiguation=True, links=links
    )

    page = source(wiki, time).look_up("Gull Rock")

    assert page is not None
    assert (page.is_disambiguation, page.candidates) == (False, ("Gull Rock (band)",))


def test_a_page_without_an_extract_is_a_page_without_text(wiki, time):
    wiki.articles["Gull Rock"] = Article("")

    page = source(wiki, time).look_up("Gull Rock")

    assert page is not None
    assert page.text == ""


def test_many_pages_take_few_requests_and_keep_their_order(wiki, time):
    for number in range(45):
        wiki.articles[f"Buoy {number}"] = Article(f"Buoy {number} is a buoy.", number)
    titles = [f"Buoy {number}" for number in range(45)] + ["Buoy none", "Buoy 3"]

    pages = source(wiki, time).look_up_all(titles)

    assert [page and page.title for page in pages] == [*titles[:45], None, "Buoy 3"]
    assert len(wiki.asked) == 3


def test_search_gives_titles_in_the_order_of_the_wiki(wiki, time):
    wiki.search_results["Gull Rock"] = ["Gull Rock", "Gull", "Rock"]

    assert source(wiki, time).search(" Gull  Rock ", limit=2) == ["Gull Rock", "Gull"]
    assert source(wiki, time).search("  ") == []


def test_too_many_requests_are_answered_by_waiting_as_long_as_the_server_asks(wiki, time):
    wiki.failures.append(TOO_MANY)

    assert source(wiki, time).look_up("Gull Rock") is not None
    assert time.slept == [7.0]


def test_a_server_that_asks_for_an_hour_is_left_alone(wiki, time):
    wiki.failures.append(Failure(429, {"Retry-After": "3600"}))

    with pytest.raises(Unavailable):
        source(wiki, time).look_up("Gull Rock")
    assert time.slept == []


@pytest.mark.parametrize(
    "failure", [BROKEN, GARBAGE, Failure(body=b"[1]"), Failure(body=b"{}"), Failure(body=b'{"a": NaN}'), Failure(503)]
)
def test_passing_trouble_is_tried_again_with_growing_pauses(wiki, time, failure):
    wiki.failures.extend([failure, failure, failure])

    assert source(wiki, time).look_up("Gull Rock") is not None
    assert time.slept == [1.0, 2.0, 4.0]


def test_a_lagging_wiki_is_given_the_time_it_asks_for(wiki, time):
    wiki.failures.append(LAGGED)

    assert source(wiki, time).look_up("Gull Rock") is not None
    assert time.slept == [3.0]


@pytest.mark.parametrize("failure", [REFUSED, Failure(404), Failure(403)])
def test_what_waiting_does_not_cure_is_not_tried_again(wiki, time, failure):
    wiki.failures.append(failure)

    with pytest.raises(Unavailable, match="did not answer"):
        source(wiki, time).look_up("Gull Rock")
    assert len(wiki.asked) == 1


def test_a_silent_server_is_unavailable_for_that_entity_only(wiki, time):
    live = source(wiki, time, manners=Manners(interval_s=0.0, timeout_s=2.0, attempts=1))
    wiki.failures.append(Failure(delay_s=4.0))

    with pytest.raises(Unavailable):
        live.look_up("Gull Rock")
    assert live.look_up("Gull Rock") is not None


def test_a_huge_answer_is_refused(wiki, time, monkeypatch):
    monkeypatch.setattr("corpus.backgrounds.live.MAX_ANSWER_BYTES", 1_000)
    wiki.articles["Gull Rock"] = Article("gull " * 1_000)

    with pytest.raises(Unavailable, match="too long"):
        source(wiki, time).look_up("Gull Rock")


def test_a_dead_network_is_not_asked_again_for_a_while(wiki, time):
    live = source(wiki, time, manners=Manners(interval_s=0.0, attempts=1))
    wiki.failures.extend([BROKEN] * 3)
    for _ in range(3):
        with pytest.raises(Unavailable):
            live.look_up("Gull Rock")

    with pytest.raises(Unavailable, match="in a minute"):
        live.look_up("Gull Rock")
    assert len(wiki.asked) == 3

    time.now += 61
    assert live.look_up("Gull Rock") is not None


def test_no_server_at_all_is_unavailable(time):
    live = WikipediaSource(AGENT, api_url="http://127.0.0.1:9/", clock=time.clock, sleep=time.sleep)

    with pytest.raises(Unavailable, match="network"):
        live.look_up("Gull Rock")
    assert len([pause for pause in time.slept if pause >= 1]) == 3


def test_requests_keep_their_distance(wiki, time):
    live = source(wiki, time, manners=Manners(interval_s=0.5))

    for number in range(4):
        live.look_up(f"Buoy {number}")

    assert time.slept == [0.5, 0.5, 0.5]


def test_the_cache_answers_the_second_time_with_the_first_date_also_for_missing_pages(wiki, time, tmp_path):
    cache = SqliteCache(tmp_path / "cache" / "answers.sqlite3", max_age_s=100, clock=time.clock)
    first = [source(wiki, time, cache=cache).look_up(title) for title in ("Gull Rock", "Nowhere")]
    asked = len(wiki.asked)

    later = source(wiki, time, cache=cache, today=lambda: date(2030, 1, 1))
    second = [later.look_up(title) for title in ("Gull Rock", "Nowhere")]

    assert second == first
    assert len(wiki.asked) == asked
    time.now += 101
    renewed = later.look_up("Gull Rock")
    assert renewed is not None
    assert renewed.retrieved == date(2030, 1, 1)


def test_failures_are_not_cached(wiki, time, tmp_path):
    live = source(wiki, time, cache=SqliteCache(tmp_path / "answers.sqlite3"), manners=Manners(0.0, attempts=1))
    wiki.failures.append(BROKEN)

    with pytest.raises(Unavailable):
        live.look_up("Gull Rock")
    assert live.look_up("Gull Rock") is not None


@pytest.mark.parametrize("content", [b"this is no database", b""])
def test_a_damaged_cache_forgets_and_does_no_harm(wiki, time, tmp_path, content):
    path = tmp_path / "answers.sqlite3"
    path.write_bytes(content)

    assert source(wiki, time, cache=SqliteCache(path)).look_up("Gull Rock") is not None


@pytest.mark.parametrize("entry", ["", "{}", "[]", '{"answers": 3, "day": "x"}', "no json"])
def test_a_damaged_entry_is_asked_for_again(wiki, time, entry):
    class Damaged:
        def get(self, key: str) -> str:
            return entry

        def put(self, key: str, value: str) -> None:
            pass

    assert source(wiki, time, cache=Damaged()).look_up("Gull Rock") is not None


def test_threads_do_not_mix_up_two_wikis(wiki, time):
    with Wiki() as other:
        other.articles["Gull Rock"] = Article("Gull Rock is a cheese.")
        texts: list[tuple[str, str]] = []

        def ask(live: WikipediaSource, expected: str) -> None:
            for _ in range(10):
                page = live.look_up("Gull Rock")
                texts.append((expected, page.text if page else ""))

        threads = [
            threading.Thread(target=ask, args=(source(where, time), text))
            for where, text in ((wiki, "Gull Rock is a lighthouse."), (other, "Gull Rock is a cheese."))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(texts) == 20
    assert all(expected == text for expected, text in texts)


def test_an_answer_of_the_wrong_shape_is_no_page(wiki, time):
    wiki.failures.append(
        Failure(body=b'{"query": {"pages": [7, {"title": 3}], "redirects": {"a": 1}, "normalized": [2]}}')
    )

    assert source(wiki, time).look_up("Gull Rock") is None


def test_an_entity_is_linked_through_the_live_wiki(wiki, time):
    links = ("Ida Lind (botanist)", "Ida Lind (pilot)", "Alder")
    wiki.articles["Ida Lind"] = Article("Ida Lind may refer to:", is_disambiguation=True, links=links)
    wiki.articles["Ida Lind (botanist)"] = Article(
        "Ida Lind (1861–1939) was a botanist who described the mosses of Arden."
    )
    wiki.articles["Ida Lind (pilot)"] = Article("Ida Lind (born 1950) is a pilot who flew mail to Karsk.")
    contexts = ("Ms. Lind landed with the mail for Karsk in thick fog; the pilot was unhurt.",)

    choice = link(Query("Ida Lind", EntityType.PERSON, contexts=contexts), source(wiki, time))

    assert (choice.status, choice.page and choice.page.title) == (BackgroundStatus.LIKELY, "Ida Lind (pilot)")
    assert len(wiki.asked) == 3  # the page, its links, the two candidates together


def test_the_contact_must_fit_into_a_header(tmp_path: Path):
    make, cache = BACKGROUND_SOURCES["wikipedia"], str(tmp_path / "c.sqlite3")

    with pytest.raises(InvalidInput, match="contact"):
        make({"contact": "ada\u0007@example.org", "cache": cache})
    assert make({"contact": "ada@example.org", "cache": cache}).name == "wikipedia"


def test_the_user_agent_names_product_and_contact():
    assert user_agent("ada@example.org") == AGENT
