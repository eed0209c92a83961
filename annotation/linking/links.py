"""Links: pieces of a text with the entities they name, in a benchmark and as a system predicts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.items.mentions import WIKIDATA, KnownMention
from corpus.items.texts import DOCUMENT, START, TEXT, FrozenText

ID = "id"


class EntityNaming(StrEnum):
    """By what entities are named; one evaluation never mixes them."""

    PAGES = "pages"  # titles of Wikipedia
    WIKIDATA = "wikidata"


@dataclass(frozen=True, order=True)
class Link:
    """A piece of a text and one entity that it names; "" if none is known or predicted."""

    start: int
    end: int
    entity: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end

    def overlaps(self, other: Link) -> bool:
        return self.start < other.end and other.start < self.end

    def holds(self, other: Link) -> bool:
        """Tell whether the other piece lies inside this one, and is shorter."""
        return self.start <= other.start and other.end <= self.end and self.span != other.span


@dataclass(frozen=True)
class LinkedText:
    """A text of a benchmark with its links."""

    key: str
    title: str
    text: str
    links: tuple[Link, ...]
    facet: str = ""  # its source
    names: tuple[str, ...] = field(default=())  # by which files of predictions may name it


def linked_text(
    item: FrozenText, naming: EntityNaming, *, nested: bool = True, without_entity: bool = True
) -> LinkedText:
    """Return a text of a sample with the mentions that its file named.

    `nested`: also mentions inside others; `without_entity`: also those that are known to have none.
    """
    links = tuple(link for mention in item.mentions for link in links_of(mention, naming))
    links = tuple(link for link in links if link.entity or without_entity)
    if not nested:
        links = outermost(links)
    return LinkedText(item.key, TEXT.title(item), item.text, links, item.source, names_of(item))


def links_of(mention: KnownMention, naming: EntityNaming) -> list[Link]:
    entities = mention.pages if naming == EntityNaming.PAGES else mention.ids
    return [Link(mention.start, mention.end, entity) for entity in entities or ("",)]


def outermost(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links that lie in no longer one."""
    every = tuple(links)
    return tuple(link for link in every if not any(other.holds(link) for other in every))


def names_of(item: FrozenText) -> tuple[str, ...]:
    """Return what may name a text in a file of predictions: its key, its id, its place in its document, its title."""
    named = [item.key]
    if ID in item.extra:
        named.append(str(item.extra[ID]))
    if DOCUMENT in item.extra and START in item.extra:
        named.append(f"{item.extra[DOCUMENT]}:{item.extra[START]}")
    return tuple(dict.fromkeys(named))


def naming_of(texts: Sequence[FrozenText]) -> EntityNaming:
    """Return by what most mentions of texts are named: pages, unless only ids are known."""
    mentions = [mention for text in texts for mention in text.mentions]
    has_pages, has_ids = any(own.pages for own in mentions), any(own.ids for own in mentions)
    return EntityNaming.WIKIDATA if has_ids and not has_pages else EntityNaming.PAGES


def is_named_by(entity: str, naming: EntityNaming) -> bool:
    """Tell whether an entity is named as an evaluation names them."""
    return bool(WIKIDATA.fullmatch(entity)) == (naming == EntityNaming.WIKIDATA)


LinksByText = Mapping[str, tuple[Link, ...]]  # by the key of the text
