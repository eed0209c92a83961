"""The demo archive is what its README says: readable, consistent, and rich in entities that occur together."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from lxml import etree

DEMO = Path(__file__).resolve().parents[2] / "corpus" / "demo"
FILES = sorted((DEMO / "nitf").rglob("*.xml"))

TYPES = {"person": "person", "location": "location", "org": "organization"}
NO_BODY = {"1076200"}
NO_TAGS = {"1066251"}
# Reporters whom the index tagged although their articles do not name them, as real indexes do.
UNNAMED = {("1013377", "Callow, Edith"), ("1103528", "Sloane, Marguerite"), ("1108293", "Prewitt, Jonah")}


Element: TypeAlias = etree._Element


@dataclass(frozen=True)
class Tagged:
    """One name from the article's index, with its type and who tagged it."""

    name: str
    type: str
    origin: str


def parse(path: Path) -> Element:
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)
    return etree.parse(str(path), parser).getroot()


def attribute(root: Element, path: str, name: str) -> str:
    """Return the attribute of the one element at that path."""
    (element,) = root.findall(path)
    return str(element.get(name))


def meta(root: Element, name: str) -> str:
    return attribute(root, f"head/meta[@name='{name}']", "content")


def tags(root: Element) -> list[Tagged]:
    elements = root.iterfind("head/docdata/identified-content/*")
    return [Tagged(e.text or "", TYPES[str(e.tag)], str(e.get("class"))) for e in elements if e.tag in TYPES]


def paragraphs(root: Element, block: str = "full_text") -> list[str]:
    return [p.text or "" for p in root.iterfind(f"body/body.content/block[@class='{block}']/p")]


def abstract(root: Element) -> str:
    return root.findtext("body/body.head/abstract/p") or ""


def fold(text: str) -> str:
    """Return the text without accents, dots and capitals."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).replace(".", "").casefold()


def has(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(words))}(?!\w)", fold(text)) is not None


def bare(name: str) -> str:
    """Return an index name without what stands in parentheses: "Marlowe, Edwin T (Gov)" -> "Marlowe, Edwin T"."""
    return re.sub(r"\s*\([^)]*\)", "", name)


def is_named(tag: Tagged, text: str) -> bool:
    """Say whether the text names the entity in full: a person with a given name, a company with or without "Corp"."""
    last, _, first = bare(tag.name).partition(", ")
    if tag.type == "person":
        given_names = "|".join(re.escape(fold(word)) for word in first.replace("-", " ").split() if len(word) > 1)
        full = rf"\b(?:{given_names})\b(?:[\W_]+\w+){{0,2}}[\W_]+{re.escape(fold(last))}\b"
        return re.search(full, fold(text)) is not None if first else has(last, text)
    if tag.type == "location":
        return has(f"{first} {last}".strip(), text) or has(last.removesuffix(" River"), text)
    return has(re.sub(r"\s+(?:corp|co|inc)$", "", last, flags=re.IGNORECASE), text)


def short_name(tag: Tagged) -> str:
    """Return what a later mention uses: a surname, a place, a company without "Corp"."""
    last = bare(tag.name).partition(", ")[0]
    return fold(re.sub(r"\s+(?:corp|co|inc|river)$", "", last, flags=re.IGNORECASE))


def backgrounds() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DEMO / "backgrounds.jsonl").read_text(encoding="utf-8").splitlines()]


def name_key(name: str) -> str:
    """Return an index name in the order of speech, folded, so that it can be found among titles and aliases."""
    last, _, first = bare(name).partition(", ")
    suffix = re.search(r"\s(?:jr|sr|2d|3d)$", first, flags=re.IGNORECASE)
    first = first[: suffix.start()] if suffix else first
    return fold(f"{first} {last}".strip() + (suffix.group() if suffix else ""))


@pytest.fixture(scope="module")
def articles() -> dict[str, Element]:
    return {path.stem: parse(path) for path in FILES}


def test_there_are_at_least_64_articles_over_several_years():
    assert len(FILES) >= 64
    assert len({path.parents[2].name for path in FILES}) >= 8


def test_the_demo_is_small_enough_to_ship():
    assert sum(path.stat().st_size for path in DEMO.rglob("*") if path.is_file()) < 500_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_article_is_well_formed_nitf_with_the_usual_fields(path):
    root = parse(path)

    assert root.tag == "nitf"
    assert b"nitf-3-3.dtd" in path.read_bytes()
    assert root.findtext("head/title")
    assert root.findtext("body/body.head/hedline/hl1")
    assert meta(root, "dsk")


def test_an_article_has_the_id_of_its_file_and_no_other_article_has_it(articles):
    ids = [attribute(root, "head/docdata/doc-id", "id-string") for root in articles.values()]

    assert ids == list(articles)
    assert len(set(ids)) == len(FILES)
    assert all(re.fullmatch(r"\d{7}", article_id) for article_id in ids)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_date_in_the_path_is_the_date_of_publication(path):
    root = parse(path)
    year, month, day = (int(part.name) for part in (path.parents[2], path.parents[1], path.parents[0]))
    published = date(year, month, day)

    metas = [meta(root, f"publication_{part}") for part in ("year", "month", "day_of_month")]

    assert [int(content) for content in metas] == [year, month, day]
    assert meta(root, "publication_day_of_week") == f"{published:%A}"
    assert attribute(root, "head/pubdata", "date.publication") == f"{published:%Y%m%d}T000000"


@pytest.mark.parametrize("path", [path for path in FILES if path.stem not in NO_BODY], ids=lambda path: path.stem)
def test_a_body_has_four_to_ten_paragraphs_and_repeats_its_lead(path):
    root = parse(path)
    body, lead = paragraphs(root), paragraphs(root, "lead_paragraph")

    assert 4 <= len(body) <= 10
    assert 120 <= sum(len(p.split()) for p in body) <= 350
    assert body[: len(lead)] == lead != []


def test_about_two_thirds_of_the_articles_have_an_abstract(articles):
    share = sum(bool(abstract(root)) for root in articles.values()) / len(articles)

    assert 0.6 <= share <= 0.75


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tagged_name_is_named_in_the_article(path):
    root = parse(path)
    text = "\n".join([abstract(root), *paragraphs(root)])

    unnamed = {(path.stem, tag.name) for tag in tags(root) if not is_named(tag, text)}

    assert unnamed == {pair for pair in UNNAMED if pair[0] == path.stem}


@pytest.mark.parametrize("type_", TYPES.values())
def test_in_many_articles_two_entities_of_one_type_share_a_paragraph(articles, type_):
    def share_one(root: Element) -> bool:
        names = {short_name(tag) for tag in tags(root) if tag.type == type_ and tag.origin == "indexing_service"}
        return any(
            has(name, paragraph) and has(other, paragraph)
            for paragraph in paragraphs(root)
            for name, other in combinations(sorted(names), 2)
        )

    assert sum(share_one(root) for root in articles.values()) >= 24


def test_entities_of_every_type_come_back_in_other_articles(articles):
    seen = Counter((tag.type, name_key(tag.name)) for root in articles.values() for tag in set(tags(root)))

    for type_ in TYPES.values():
        assert sum(count >= 3 for (kind, _), count in seen.items() if kind == type_) >= 12


def test_the_oddities_that_the_readme_promises_are_there(articles):
    of_1046990 = {(tag.type, bare(tag.name)) for tag in tags(articles["1046990"])}
    squad = [tag for tag in tags(articles["1035072"]) if tag.type == "person"]
    brides = Counter(bare(tag.name) for tag in tags(articles["1094320"]))

    assert {("location", "Karsk"), ("organization", "Karsk")} <= of_1046990
    assert len(squad) >= 12
    assert brides["Renn, Julia"] == 2
    assert len(tags(articles["1064772"])) == 1
    assert [article for article, root in articles.items() if not tags(root)] == sorted(NO_TAGS)
    assert [article for article, root in articles.items() if not paragraphs(root)] == sorted(NO_BODY)
    assert paragraphs(articles["1024110"], "correction_text")
    assert sum(any(tag.origin == "online_producer" for tag in tags(root)) for root in articles.values()) >= 4


def test_at_least_80_backgrounds_have_the_length_of_a_first_paragraph():
    pages = [row for row in backgrounds() if not row.get("disambiguation")]

    assert len(pages) >= 80
    assert {row["type"] for row in pages} == set(TYPES.values())
    assert all(40 <= len(row["text"].split()) <= 120 for row in pages)
    assert sum(len(row["text"]) > 600 for row in pages) >= 3


def test_background_titles_are_unique_and_links_lead_to_wikipedia_or_nowhere():
    rows = backgrounds()

    assert len({row["title"] for row in rows}) == len(rows)
    for row in rows:
        assert row["url"] == "" or row["url"].startswith("https://en.wikipedia.org/wiki/")
        assert all(isinstance(name, str) for name in [*row["aliases"], *row["redirects"]])


def test_three_titles_are_ambiguous_and_their_candidates_exist():
    rows = {row["title"]: row for row in backgrounds()}
    ambiguous = [row for row in rows.values() if row.get("disambiguation")]

    assert len(ambiguous) == 3
    for row in ambiguous:
        assert len(row["candidates"]) >= 2
        assert set(row["candidates"]) <= rows.keys()


def test_most_entities_have_a_background_and_about_a_dozen_have_none(articles):
    known = {
        (row["type"], fold(name))
        for row in backgrounds()
        for name in [row["title"], bare(row["title"]), *row["aliases"], *row["redirects"]]
    }
    wanted = {
        (tag.type, name_key(tag.name))
        for root in articles.values()
        for tag in tags(root)
        if tag.origin == "indexing_service"
    }

    missing = wanted - known

    assert 10 <= len(missing) <= 20
