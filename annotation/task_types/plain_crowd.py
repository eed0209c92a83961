"""Simulated people for a task type whose page is its text: they read all of it and answer as the type says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from random import Random
from typing import Any

from annotation.simulation.invented_people import InventedPerson
from corpus.items.base import ItemKind

Invent = Callable[[str, InventedPerson, Random], dict[str, str]]


@dataclass(frozen=True)
class ReadText:
    """What a person has read of a task."""

    passage: str


@dataclass(frozen=True)
class PlainCrowd:
    """`invent` returns the form that a person sends about a text."""

    kind: ItemKind
    invented: Invent

    def read_item(self, item: Any) -> ReadText:
        return ReadText("\n\n".join(self.kind.texts(item).values()))

    def read_page(self, html: str) -> ReadText:
        words = _Words()
        words.feed(html)
        return ReadText("".join(words.pieces).strip())

    def invent(self, reading: Any, person: InventedPerson, rng: Random) -> dict[str, str]:
        return self.invented(reading.passage, person, rng)


class _Words(HTMLParser):
    """Collects the words of a page, with its entities as the characters they stand for."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)
