"""What a kind of item is: how its rows are read, stored and shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Protocol

from corpus.display import Shown
from corpus.items.columns import Value
from kernel.fields import Fields
from kernel.values import Json

LONGEST_TITLE = 80  # characters of a title that is the beginning of a text


class FrozenItem(Protocol):
    """A frozen item. Only its kind looks further."""

    @property
    def key(self) -> str: ...

    @property
    def group(self) -> str: ...

    def to_json(self) -> dict[str, Json]: ...


@dataclass(frozen=True)
class WrittenField:
    """A field of the form in which somebody writes an item."""

    name: str
    label: str
    help: str = ""
    lines: int = 1  # of its box
    longest: int = 1_000  # characters
    choices: tuple[str, ...] = ()


class ItemKind(Protocol):
    """One kind of item that samples hold. Holds no state and no Django."""

    name: ClassVar[str]
    singular: ClassVar[str]  # its words on pages
    plural: ClassVar[str]
    suffixes: ClassVar[Sequence[str]]  # of the files it is read from
    has_sizes: ClassVar[bool]  # its items have a number of entities, by which lists and plots order them
    is_drawn: ClassVar[bool]  # corpora hold such items too, from which samples are drawn
    passage_field: ClassVar[str]  # of an item's JSON object, for reading nothing else from the database

    def header(self, names: Sequence[str]) -> list[str]:
        """Return the columns that the first line of a CSV file names, or raise InvalidInput."""

    def from_cells(self, cells: Mapping[str, str]) -> Json:
        """Return the row that a line of a CSV file holds, or raise InvalidInput for the first bad cell."""

    def from_row(self, value: Json) -> Any:
        """Return the item of a row from outside, or raise InvalidInput for the first bad field."""

    def thaw(self, value: Mapping[str, Any]) -> Any:
        """Return the item that a sample froze as this JSON, without checking it."""

    def size(self, item: Any) -> int:
        """Return the number of entities; 0 for a kind without sizes."""

    def facets(self, item: Any) -> Mapping[str, str]:
        """Return what items can be compared by, such as their type or source; the first is the most telling one."""

    def facts(self, item: Any) -> Mapping[str, str]:
        """Return where the item comes from, by label; each item of the kind has the same labels."""

    def texts(self, item: Any) -> Mapping[str, str]:
        """Return the verbatim texts by name. Offsets into them count Unicode code points."""

    def passage(self, value: str) -> str:
        """Return the text that people read, from what the database has as text in `passage_field`."""

    def wording(self, value: str, names: Sequence[str]) -> str:
        """Return the words that people read, without title and source, by which items that say the same are found.

        `value` is what `passage` takes. `names` are the texts that people read, where an item has several; (): all.
        """

    def title(self, item: Any) -> str:
        """Return what the item is called in lists and headings."""

    def show(self, item: Any) -> Shown:
        """Return what pages show of the item."""

    def html(self, item: Any) -> str:
        """Return the whole item as plain HTML. Every text in it is escaped."""

    def columns(self, row: Mapping[str, Any]) -> Mapping[str, Value]:
        """Return the columns of an item's JSON that only its own file names, in their order."""

    def fields(self, columns: Fields = ()) -> Fields:
        """Return the fields of an item's JSON for tables, given those of `columns`; `schema` is none of them."""

    def without_text(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row's JSON with a hash and a length in place of each text that others may own."""

    def written_fields(self, columns: Sequence[str]) -> Sequence[WrittenField]:
        """Return the fields in which an item is written; `columns` are those that it should have."""

    def as_written(self, item: Any) -> Mapping[str, str]:
        """Return the form that gives the item."""

    def from_written(self, form: Mapping[str, str], like: Any = None) -> Any:
        """Return the item that was written, or raise InvalidInput for the first bad field. Call it by `written_item`.

        What the form does not ask for comes from `like`, the item that it was filled in from.
        """


def single_spaced(text: str) -> str:
    return " ".join(text.split())


def shortened(text: str) -> str:
    """Return the beginning of a text in one line, as a title."""
    line = " ".join(text[: 4 * LONGEST_TITLE].split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1].rstrip()}…"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hashed(text: str) -> dict[str, Json]:
    """Return what stand-off files hold in place of a text."""
    return {"sha256": sha256(text), "length": len(text)}


def day(value: date | None) -> str:
    """Return a date as pages show it; "" if it is not known."""
    return f"{value.day} {value:%b %Y}" if value else ""
