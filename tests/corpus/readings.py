"""Invented articles given as a grid: which entities each sentence mentions."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.contexts import PreparedArticle, read_article
from corpus.mentions import Named, build_index

PLACES = (
    "Arden",
    "Brandt",
    "Corvo",
    "Dellow",
    "Esker",
    "Fenway",
    "Gorse",
    "Hallin",
    "Islay",
    "Jarrow",
    "Kelso",
    "Lorne",
)
TYPES = dict.fromkeys(PLACES, EntityType.LOCATION)

Grid = Sequence[Sequence[Sequence[str]]]  # paragraphs of sentences of places


def write(sentences: Sequence[Sequence[str]]) -> str:
    return " ".join(f"He saw {' or '.join(places) or 'nothing'}." for places in sentences)


def make_reading(body: Grid, abstract: Sequence[Sequence[str]] = ()) -> PreparedArticle:
    index = build_index(Named(place, EntityType.LOCATION, place) for place in PLACES)
    return read_article(index, "A journey", [write(paragraph) for paragraph in body], write(abstract))


def grids(places: Sequence[str] = PLACES[:4]) -> st.SearchStrategy[list[list[list[str]]]]:
    sentence = st.lists(st.sampled_from(places), max_size=4)
    return st.lists(st.lists(sentence, max_size=4), max_size=4)
