"""What people say about each mark beside its label: one of several options, a short text, or pages of Wikipedia."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic import Field as Option

from annotation.parts.base import PartOptions
from annotation.parts.choice_options import MOST, Alternative, Label, as_alternative, checked_id, first_twice
from annotation.parts.targets import LONGEST_LABEL
from annotation.parts.words import listed, shortened
from kernel.values import counted, storable

MOST_ATTRIBUTES = 10
LONGEST_TEXT = 500
MOST_PAGES = 10
PAGE = "page"
SIGN = "#"  # before each attribute where people write marks as lines
Value: TypeAlias = str | tuple[str, ...]  # several: titles of pages
Attributes: TypeAlias = tuple[tuple[str, Value], ...]  # names with values, in the order of the description


class BadAttribute(ValueError):
    """Says in a sentence why a value cannot stand."""


class SpanAttribute(PartOptions):
    """A question about each mark."""

    name: Annotated[str, AfterValidator(checked_id)] = Option(description="its name in answers and files")
    ask: Label = Option(
        default="", max_length=LONGEST_LABEL, description="the question that people read; empty: the name"
    )
    kind: Literal["", "page"] = Option(
        default="", description="page: people look up Wikipedia pages; empty: an option or a short text"
    )
    options: list[Annotated[Alternative, BeforeValidator(as_alternative, json_schema_input_type=str | Alternative)]] = (
        Option(default=[], max_length=MOST, description="what people choose from; empty: they write a short text")
    )
    required: bool = Option(default=False, description="whether every mark needs an answer")
    labels: list[str] = Option(default=[], description="ids of the labels whose marks are asked about; empty: all")
    longest: int = Option(default=100, ge=1, le=LONGEST_TEXT, description="characters of the longest text")
    most: int = Option(default=1, ge=1, le=MOST_PAGES, description="how many pages a mark may have")

    @property
    def has_pages(self) -> bool:
        return self.kind == PAGE

    @property
    def question(self) -> str:
        return self.ask or self.name

    @model_validator(mode="after")
    def _options_that_differ(self) -> SpanAttribute:
        if twice := first_twice([name for own in self.options for name in {own.id.casefold(), own.words.casefold()}]):
            raise ValueError(f"two options are called “{twice}”: give each an id and words of its own")
        if with_sign := [own.words for own in self.options if SIGN in own.words]:
            raise ValueError(
                f"“{with_sign[0]}” has “{SIGN}”, which stands before attributes where people write: leave it out"
            )
        return self

    @model_validator(mode="after")
    def _pages_without_options(self) -> SpanAttribute:
        if self.has_pages and self.options:
            raise ValueError(f"“{self.name}” asks for pages: leave out its options, or “kind: page”")
        if self.most > 1 and not self.has_pages:
            raise ValueError(f"“most” of “{self.name}” is for pages: write “kind: page”, or leave it out")
        return self

    def is_asked(self, label: str) -> bool:
        """Tell whether marks with this label are asked about."""
        return not self.labels or label in self.labels

    def words_of(self, value: Value) -> str:
        """Return a value as people read it."""
        if not isinstance(value, str):
            return ", ".join(value)
        return next((own.words for own in self.options if own.id == value), value)

    def read_any(self, written: Any) -> Value:
        """Return the value of a form or a file: a text or, of pages, also a list."""
        if self.has_pages:
            return self.read_pages([written] if isinstance(written, str) else written)
        if not isinstance(written, str):
            raise BadAttribute(f"“{self.name}” must be a text.")
        return self.read(written)

    def read_pages(self, written: Sequence[str]) -> tuple[str, ...]:
        """Return what people wrote to name pages, each once; what it names is looked up for all marks together."""
        texts = tuple(dict.fromkeys(text for own in written if (text := " ".join(storable(own).split()))))
        if len(texts) > self.most:
            raise BadAttribute(f"“{self.name}” has {len(texts)} pages, and {counted(self.most, 'page')} may be chosen.")
        return texts

    def read(self, written: str) -> str:
        """Return the value that somebody wrote, "" for none; raise BadAttribute if it cannot stand."""
        text = " ".join(storable(written).split())
        if not text:
            return ""
        if not self.options:
            if len(text) > self.longest:
                raise BadAttribute(f"“{self.name}” has {len(text):,} characters, and {self.longest:,} are allowed.")
            return text
        names = {name.casefold(): own.id for own in self.options for name in (own.words, own.id)}
        if text.casefold() not in names:
            known = listed([own.words for own in self.options], "or")
            raise BadAttribute(f"“{shortened(text)}” is no answer to “{self.name}”: write {known}.")
        return names[text.casefold()]


def read_attributes(values: Any, label: str, attributes: Sequence[SpanAttribute]) -> Attributes:
    """Return the values of a mark in the order of the description; raise BadAttribute for one that cannot stand."""
    if not (isinstance(values, Mapping) and all(map(_is_value, values.values()))):
        raise BadAttribute("its attributes must be texts by name.")
    asked = {own.name: own for own in attributes if own.is_asked(label)}
    if unknown := [name for name in values if name not in asked]:
        raise BadAttribute(f"“{shortened(str(unknown[0]))}” is not asked about this label.")
    read = ((name, own.read_any(values[name])) for name, own in asked.items() if name in values)
    return tuple((name, value) for name, value in read if value)


def _is_value(value: Any) -> bool:
    is_list = isinstance(value, list | tuple) and all(isinstance(own, str) for own in value)
    return isinstance(value, str) or is_list


def missing(values: Attributes, label: str, attributes: Sequence[SpanAttribute]) -> list[SpanAttribute]:
    """Return the attributes that a mark needs and does not have."""
    known = dict(values)
    return [own for own in attributes if own.required and own.is_asked(label) and own.name not in known]


# ---- Lines


def parted(line: str, attributes: Sequence[SpanAttribute]) -> tuple[str, dict[str, str | list[str]]]:
    """Return a line without its attributes, and what it says of each: “words # label # name=value”.

    An attribute with pages may stand there several times.
    """
    if not attributes:
        return line, {}
    names = "|".join(re.escape(own.name) for own in attributes)
    of_pages = {own.name for own in attributes if own.has_pages}
    head, *rest = re.split(rf"{SIGN}\s*({names})\s*=", line)
    values: dict[str, str | list[str]] = {}
    for name, value in zip(rest[::2], rest[1::2], strict=True):
        pages = values.setdefault(name, []) if name in of_pages else None
        if isinstance(pages, list):
            pages.append(value.strip())
        elif name in values:
            raise BadAttribute(f"“{name}” is there twice: write it once.")
        else:
            values[name] = value.strip()
    return head.rstrip() if rest else head, values


def written(values: Attributes, attributes: Sequence[SpanAttribute]) -> str:
    """Return what stands behind the label in a line."""
    known = dict(values)
    pairs = [
        f" {SIGN} {own.name}={own.words_of(value)}" for own in attributes for value in _each(known.get(own.name, ()))
    ]
    return "".join(pairs)


def _each(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def in_words(values: Attributes, attributes: Sequence[SpanAttribute]) -> str:
    """Return “certainty: Sure, link: Arden”; "" if there are none."""
    return ", ".join(f"{name}: {value}" for name, value in _worded(values, attributes))


def _worded(values: Attributes, attributes: Sequence[SpanAttribute]) -> list[tuple[str, str]]:
    """Return names and words in the order of the description: a database may keep them in another."""
    known = dict(values)
    return [(own.name, own.words_of(known[own.name])) for own in attributes if own.name in known]
