"""What every format has in common: what it is, what reading and writing return, and how bytes become text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from typing import NamedTuple, NoReturn

from annotation.task_types.coreference.document import ChainMention, CorefDocument
from kernel.errors import InvalidInput

MAX_BYTES = 50_000_000
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # bytes that no text has
FIRST_BYTES = 400  # enough to see that every second byte is empty


class Holds(StrEnum):
    """What a format can or cannot say. The value stands in sentences."""

    MIN = "the part of a mention that a response must contain (MIN)"
    OPT = "optional mentions (OPT)"
    ZONES = "zones and locked lines"
    LINKS = "which mention refers to which (ID and REF)"
    ATTRIBUTES = "further attributes of mentions"
    PIECES = "mentions in several pieces"
    CROSSING = "mentions that cross each other"
    WORDS = "the division into sentences and words"
    BLANKS = "the blanks and line breaks between words"


@dataclass(frozen=True, slots=True)
class FileProblem:
    """What is wrong in a file, and what was made of it. `kind` stays the same when the sentence is reworded."""

    kind: str
    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.sentence}"


class Reading(NamedTuple):
    documents: tuple[CorefDocument, ...]
    problems: tuple[FileProblem, ...]


class Writing(NamedTuple):
    files: dict[str, bytes]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class CoreferenceFormat:
    label: str
    endings: tuple[str, ...]
    holds: frozenset[Holds]
    read: Callable[[Mapping[str, bytes]], Reading]  # a document may need several files
    write: Callable[[Sequence[CorefDocument]], Writing] | None = None


class Lines:
    """The line of each position in a text."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._first = first

    def at(self, position: int) -> int:
        return self._first + bisect_left(self._breaks, position)


def decode(file: str, content: bytes) -> tuple[str, str, list[FileProblem]]:
    """Return the text of a file, its encoding, and whether that had to be guessed."""
    check_bytes(file, content)
    encoding = "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        return content.decode(encoding), encoding, []
    except UnicodeDecodeError as error:
        if control := CONTROL.search(content):
            refuse_binary(file, content, control.start())
        line = content.count(b"\n", 0, error.start) + 1
        sentence = "This is not UTF-8, so the file was read as Latin-1; check letters with accents."
        return content.decode("latin-1"), "latin-1", [FileProblem("encoding", file, line, sentence)]


def check_bytes(file: str, content: bytes) -> None:
    """Raise unless the bytes can be those of a text."""
    if len(content) > MAX_BYTES:
        raise too_large(file, len(content))
    start = content[:FIRST_BYTES]
    halves = (start[::2], start[1::2])
    if start.startswith(UTF_16) or any(half and half.count(0) > 0.6 * len(half) for half in halves):
        raise InvalidInput("The file looks like UTF-16; save it as UTF-8 and read it again.", where=f"{file}, line 1")
    if (empty := content.find(0)) >= 0:
        refuse_binary(file, content, empty)


def too_large(file: str, size: int) -> InvalidInput:
    megabytes = size / 1_000_000
    return InvalidInput(
        f"The file has {megabytes:.0f} MB; split it into files of at most 50 MB.", where=f"{file}, line 1"
    )


def refuse_binary(file: str, content: bytes, position: int) -> NoReturn:
    line = content.count(b"\n", 0, position) + 1
    problem = "The file is binary and not a text; choose a text file with coreference."
    raise InvalidInput(problem, where=f"{file}, line {line}")


def in_order(mentions: Iterable[ChainMention]) -> tuple[ChainMention, ...]:
    """Return the mentions of a chain in the order of the text, the longer one first where two begin together."""
    return tuple(sorted(mentions, key=lambda mention: (mention.start, -mention.end)))


def crossing(chains: Iterable[Sequence[ChainMention]]) -> Iterator[ChainMention]:
    """Yield the mentions that begin inside an earlier one and end after it."""
    ends: list[int] = []  # of the mentions that are not over yet, the smallest first
    for mention in in_order(mention for chain in chains for mention in chain):
        while ends and ends[0] <= mention.start:
            heappop(ends)
        if ends and ends[0] < mention.end:
            yield mention
        heappush(ends, mention.end)


def as_read(document: CorefDocument) -> list[list[tuple[object, ...]]]:
    """Return all that a document says about its mentions, to see whether it was changed after reading."""
    return [
        [(mention, mention.id, mention.ref, mention.entity, mention.attributes) for mention in chain]
        for chain in document.chains
    ]


def missing(documents: Iterable[CorefDocument], holds: frozenset[Holds], label: str) -> list[str]:
    """Return a sentence for each thing that documents say and a format cannot hold."""
    counts = dict.fromkeys(Holds, 0)
    for document in documents:
        counts[Holds.ZONES] += bool(document.zones)
        counts[Holds.WORDS] += bool(document.sentences)
        for mention in (mention for chain in document.chains for mention in chain):
            counts[Holds.MIN] += mention.least is not None
            counts[Holds.OPT] += mention.is_optional
            counts[Holds.LINKS] += bool(mention.ref)
            counts[Holds.ATTRIBUTES] += bool(mention.attributes)
            counts[Holds.PIECES] += bool(mention.pieces)
    return [
        f"{label} cannot hold {feature}: left out in {count} {'documents' if feature in OF_DOCUMENTS else 'mentions'}."
        for feature, count in counts.items()
        if count and feature not in holds
    ]


OF_DOCUMENTS = {Holds.ZONES, Holds.WORDS}


def by_file(
    documents: Iterable[CorefDocument], name: str, ending: str, shared: str = ""
) -> list[tuple[str, list[CorefDocument]]]:
    """Return (file name, documents): those read from one file stay together, in a file of the same name.

    Others share a file, or have one each if `shared` is empty.
    """
    groups: dict[tuple[bool, str], list[CorefDocument]] = {}
    for document in documents:
        key = (True, document.source.file) if document.source else (False, shared or document.name)
        groups.setdefault(key, []).append(document)
    taken: set[str] = set()
    files = []
    for (_, file), group in groups.items():
        source = group[0].source
        base = re.split(r"[/\\]", file)[-1] if source else file
        if not (source and source.format == name):
            base = f"{without_ending(base) if source else base}{ending}"
        files.append((free_name(re.sub(r"[^\w.\- ]", "_", base).lstrip("."), taken), group))
    return files


def free_name(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number if need be, and take it."""
    stem, dot, ending = name.rpartition(".")
    candidate, number = name, 1
    while candidate.lower() in taken:
        number += 1
        candidate = f"{stem}-{number}{dot}{ending}"
    taken.add(candidate.lower())
    return candidate


def without_ending(name: str) -> str:
    return name.rsplit(".", 1)[0] or name
