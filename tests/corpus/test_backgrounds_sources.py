"""What every source of backgrounds promises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.backgrounds import BACKGROUND_SOURCES, live
from corpus.backgrounds.base import BackgroundSource
from kernel.errors import UnknownPlugin
from tests.corpus.mediawiki import Article, Wiki

ROWS = [
    {"title": "Gull Rock", "text": "Gull Rock is a lighthouse in Arden."},
    {"title": "Gull Rock (band)", "text": "Gull Rock is a band."},
]


@pytest.fixture(params=sorted(BACKGROUND_SOURCES))
def source(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[BackgroundSource]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    dump = tmp_path / "pages.jsonl"
    dump.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    links = tuple(row["title"] for row in ROWS)
    with Wiki() as wiki:
        wiki.articles = {row["title"]: Article(row["text"]) for row in ROWS}
        wiki.articles["Gull Rock (disambiguation)"] = Article("See:", is_disambiguation=True, links=links)
        wiki.search_results["Gull Rock"] = list(links)
        monkeypatch.setattr(live, "API_URL", wiki.url)
        config = {"contact": "ada@example.org", "cache": str(tmp_path / "answers.sqlite3")}
        config |= {"path": str(dump), "index": str(tmp_path / "index.sqlite3")}
        made = BACKGROUND_SOURCES[request.param](config)
        assert made.name == request.param
        yield made
        made.close()


def test_a_page_is_found_by_its_title_with_its_source_and_its_namesakes(source):
    page = source.look_up("Gull Rock")

    assert (page.title, page.text, page.source) == ("Gull Rock", "Gull Rock is a lighthouse in Arden.", source.name)
    assert page.candidates == ("Gull Rock (band)",)
    assert not page.is_disambiguation


def test_what_is_not_there_is_none(source):
    assert source.look_up("Gull Rok") is None
    assert source.look_up("") is None


def test_many_pages_come_in_the_order_asked(source):
    pages = source.look_up_all(["Gull Rock (band)", "Nowhere", "Gull Rock"])

    assert [page and page.title for page in pages] == ["Gull Rock (band)", None, "Gull Rock"]
    assert source.look_up_all([]) == []


def test_search_gives_titles_up_to_the_limit(source):
    assert source.search("Gull Rock") == ["Gull Rock", "Gull Rock (band)"]
    assert source.search("Gull Rock", limit=1) == ["Gull Rock"]
    assert source.search("Nowhere") == []


def test_an_unknown_source_names_those_there_are():
    with pytest.raises(UnknownPlugin, match="dump, wikipedia"):
        BACKGROUND_SOURCES["britannica"]


def test_every_source_is_in_the_readme():
    readme = (Path(__file__).resolve().parents[2] / "corpus" / "backgrounds" / "README.md").read_text(encoding="utf-8")

    assert all(f"`{name}`" in readme for name in BACKGROUND_SOURCES)
