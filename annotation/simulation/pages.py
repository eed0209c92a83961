"""A worker's page as a program reads it: its heading, its notice, its forms, and what there is to read."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from annotation.simulation.phrases import Reading
from corpus.phrases import PLURALS

ENTITY_TYPES = {plural: type_.value for type_, plural in PLURALS.items()}
# Which notice says what: a part of the sentence is enough to know it by.
NOTICES = {"first answer stands": "repeated", "came too late to count": "late", "is stored": "stored"}


@dataclass
class Form:
    action: str
    attributes: dict[str, str]
    fields: dict[str, str] = field(default_factory=dict)


@dataclass
class Page:
    heading: str = ""
    notice: str = ""
    forms: list[Form] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    backgrounds: list[str] = field(default_factory=list)
    passage: str = ""
    generic: str = ""
    can_wait: bool = False  # "Look again" stands on it

    @property
    def task(self) -> Form | None:
        return next((form for form in self.forms if "data-assignment" in form.attributes), None)

    @property
    def assignment(self) -> int:
        return int(self.task.attributes["data-assignment"]) if self.task else 0

    def form_to(self, ending: str) -> Form | None:
        return next((form for form in self.forms if form.action.endswith(ending)), None)

    def outcome(self) -> str:
        """Return what the page says of the last submit: stored, repeated or late; nothing when it says nothing."""
        return next((outcome for part, outcome in NOTICES.items() if part in self.notice), "")

    def reading(self) -> Reading:
        type_ = ENTITY_TYPES.get(self.generic.split()[-1] if self.generic else "", "person")
        return Reading(tuple(self.names), type_, self.passage, tuple(self.backgrounds))


class _Reader(HTMLParser):
    """Collects text by the element it stands in; what is hidden from sight or is a letter tag does not count."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.stack: list[tuple[str, frozenset[str]]] = []

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in given}
        if tag == "form":
            self.page.forms.append(Form(attributes.get("action", ""), attributes))
        if tag == "button" and "formaction" in attributes:  # the same form, sent elsewhere
            self.page.forms.append(Form(attributes["formaction"], attributes))
        if tag == "input" and self.page.forms and self._is_inside("form"):
            self._input(attributes)
        if tag in self.VOID:
            return
        classes = frozenset(attributes.get("class", "").split())
        self.stack.append((tag, classes))
        self.page.generic = attributes.get("data-generic", self.page.generic)
        if "card__name" in classes:
            self.page.names.append("")
            self.page.backgrounds.append("")

    def _input(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        is_off = attributes.get("type") == "checkbox" and "checked" not in attributes
        if name and not is_off:
            self.page.forms[-1].fields[name] = attributes.get("value", "on")

    def handle_endtag(self, tag: str) -> None:
        while self.stack:
            if self.stack.pop()[0] == tag:
                return

    def _is_inside(self, what: str) -> bool:
        return any(what == tag or what in classes for tag, classes in self.stack)

    def handle_data(self, data: str) -> None:
        page = self.page
        if self._is_inside("visually-hidden") or self._is_inside("entity__letter"):
            return
        if self._is_inside("notice"):
            page.notice += data
        elif self._is_inside("passage__title"):
            return
        elif self._is_inside("passage"):
            page.passage += data
        elif self._is_inside("card__name"):
            page.names[-1] += data.strip()
        elif self._is_inside("card__text"):
            page.backgrounds[-1] += data
        elif self._is_inside("h1"):
            page.heading += data.strip()
        elif data.strip() == "Look again":
            page.can_wait = True


def read_page(text: str) -> Page:
    reader = _Reader()
    reader.feed(text)
    return reader.page
