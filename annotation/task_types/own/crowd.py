"""Invented people who answer own tasks: they read the item's texts on the page and answer part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html.parser import HTMLParser
from random import Random
from typing import Any

from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import JsonObject
from annotation.task_types.own.answering import SKIP, SKIPPED, asked_parts, is_shown
from kernel.values import Json

VOID = {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass(frozen=True)
class ReadTexts:
    """The texts of a task by name."""

    texts: dict[str, str]

    @property
    def passage(self) -> str:
        return "\n\n".join(self.texts.values())


@dataclass(frozen=True)
class OwnCrowd:
    type_: Any  # an OwnType

    def read_item(self, item: Any) -> ReadTexts:
        return ReadTexts({name: text.strip() for name, text in self.type_.page_texts(item).items()})

    def read_page(self, html: str) -> ReadTexts:
        reader = _Texts()
        reader.feed(html)
        return ReadTexts({name: "".join(pieces).strip() for name, pieces in reader.texts.items()})

    def invent(self, reading: Any, person: InventedPerson, rng: Random) -> dict[str, str]:
        """Return the form that this person sends."""
        task = self.type_.task
        if task.skip and (person.habit == Habit.REFUSES or rng.random() < person.misses):
            return {SKIP: SKIPPED}
        question: JsonObject = {"texts": reading.texts}
        parts, values, form = asked_parts(task.parts, question), dict[str, Json](), dict[str, str]()
        for own in parts:
            is_left = own.use.optional and rng.random() < person.misses
            if is_left or not is_shown(own.use, parts, values):
                continue
            asked = replace(own.asked, texts=reading.texts)  # what most people answer depends on all that they read
            values[own.name] = own.part.invent(asked, person, rng)
            form |= own.part.write(asked, values[own.name])
        return form


class _Texts(HTMLParser):
    """Collects the words of elements that say which text they hold; the first of each name counts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.inside: list[str] = []  # the text that each open element belongs to

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        name = dict(attrs).get("data-text") or ""
        if name in self.texts:
            name = ""
        elif name:
            self.texts[name] = []
        self.inside.append(name or (self.inside[-1] if self.inside else ""))

    def handle_endtag(self, tag: str) -> None:
        if self.inside and tag not in VOID:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1]:
            self.texts[self.inside[-1]].append(data)
