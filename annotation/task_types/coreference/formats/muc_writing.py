"""MUC-6 SGML: writes documents, each into the file it was read from.

A document that was not changed comes back byte for byte. In one that was, only COREF tags change: a mention that was
read keeps its tag, apart from the values that are different now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from annotation.task_types.coreference.document import Chain, ChainMention, CorefDocument, SourceText, Zone
from annotation.task_types.coreference.formats.base import Holds, Writing, as_read, by_file, missing
from annotation.task_types.coreference.formats.muc_links import references
from annotation.task_types.coreference.formats.muc_markup import OWN, edited, escaped
from annotation.task_types.coreference.formats.muc_mins import is_needless, places_of, words_of
from annotation.task_types.coreference.formats.muc_reading import NAME, ZONES, MucDocument, read_source

LABEL = "MUC SGML"
ENDING = ".sgm"
HOLDS = frozenset({Holds.MIN, Holds.OPT, Holds.ZONES, Holds.LINKS, Holds.ATTRIBUTES, Holds.BLANKS})
ATTRIBUTE_NAME = re.compile(r"[\w.:-]+", re.ASCII)


def write(documents: Sequence[CorefDocument]) -> Writing:
    files = {}
    warnings = missing(documents, HOLDS, LABEL)
    for file, group in by_file(documents, NAME, ENDING):
        source = group[0].source
        encoding = source.encoding if source and source.format == NAME else "utf-8"
        written = "".join(document_markup(document, warnings) for document in group)
        files[file] = written.encode(encoding, errors="xmlcharrefreplace")
    return Writing(files, tuple(warnings))


def document_markup(document: CorefDocument, warnings: list[str]) -> str:
    """Return a document as SGML, its source where nothing was changed."""
    if document.source and document.source.format == NAME:
        original = read_source(document.source)
        if original.document.text == document.text:
            if as_read(original.document) == as_read(document):
                return document.source.content
            return _Writer(original, document, warnings).written()
        warnings.append(f"{document.name}: the text was changed, so a new file was written instead of the one read.")
    fresh = read_source(SourceText(NAME, document.name, new_source(document)))
    if document.zones and fresh.document.zones != document.zones:
        warnings.append(f"{document.name}: {LABEL} cannot hold some zones or locked lines of this document.")
    return _Writer(fresh, document, warnings).written()


def new_source(document: CorefDocument) -> str:
    """Return a document without mentions. Nothing stands between its tags that is not part of the text."""
    name = f"<DOCID>{escaped(document.name)}</DOCID>" if document.name else ""
    parts, position = [], 0
    for zone in writable(document.zones):
        parts.append(escaped(document.text[position : zone.start]))
        parts.append(f"<{zone.name}>{escaped(document.text[zone.start : zone.end])}</{zone.name}>")
        position = zone.end
    return f"<DOC>{name}{''.join(parts)}{escaped(document.text[position:])}</DOC>\n"


def writable(zones: Iterable[Zone]) -> Iterator[Zone]:
    """Yield the zones whose names MUC-6 knows and that do not overlap."""
    position = 0
    for zone in sorted(zones, key=lambda zone: (zone.start, zone.end)):
        if zone.name in ZONES and zone.start >= position:
            position = zone.end
            yield zone


class _Writer:
    """Puts the mentions of a document into a source."""

    def __init__(self, original: MucDocument, document: CorefDocument, warnings: list[str]) -> None:
        self.document, self.warnings = document, warnings
        self.markup, self.text = original.markup, original.document.text
        source = original.document.source
        self.source = source.content if source else ""
        self.read: dict[
            object, list[tuple[str, ChainMention]]
        ] = {}  # (tag, mention) by ID, or by place where there is none
        for element in original.elements:
            tag = self.source[element.tag.start : element.tag.end]
            self.read.setdefault(key_of(element.mention), []).append((tag, element.mention))
        first = self.source[original.elements[0].tag.start :][:6] if original.elements else ""
        self.new_tag = "<coref>" if first == "<coref" else "<COREF>"
        self.status = "STAT" if re.search(r"<COREF\b[^<>]*\bSTAT\s*=", self.source, re.IGNORECASE) else "STATUS"

    def warn(self, sentence: str) -> None:
        self.warnings.append(f"{self.document.name}: {sentence}")

    def written(self) -> str:
        chains = self.nestable()
        tags = self.tags(chains)
        removed = [(tag.start, tag.end, "") for tag in self.markup.tags if tag.name == "COREF"]
        inserted = self.inserted([mention for chain in chains for mention in chain], tags)
        parts, position = [], 0
        for start, end, characters in sorted([*removed, *inserted], key=lambda change: change[0]):
            parts += [self.source[position:start], characters]
            position = max(position, end)
        return "".join([*parts, self.source[position:]])

    def nestable(self) -> list[Chain]:
        """Return the chains without the mentions that no element can enclose: those that are empty or cross others."""
        mentions = sorted(
            ((mention, number) for number, chain in enumerate(self.document.chains) for mention in chain),
            key=lambda pair: (pair[0].start, -pair[0].end),
        )
        chains: list[list[ChainMention]] = [[] for _ in self.document.chains]
        ends: list[int] = []
        for mention, number in mentions:
            while ends and ends[-1] <= mention.start:
                ends.pop()
            if not 0 <= mention.start < mention.end <= len(self.text):
                self.warn(f"the mention {mention.start}-{mention.end} holds no text and was left out.")
            elif ends and mention.end > ends[-1]:
                self.warn(f"{self.quoted(mention)} crosses an earlier mention and was left out, since tags must nest.")
            else:
                ends.append(mention.end)
                chains[number].append(mention)
        return [tuple(chain) for chain in chains if chain]

    def quoted(self, mention: ChainMention) -> str:
        words = " ".join(self.text[mention.start : mention.end].split())
        return f"“{words if len(words) <= 40 else words[:39] + '…'}” ({mention.start}-{mention.end})"

    def tags(self, chains: Sequence[Chain]) -> list[str]:
        """Return the opening tag of each mention, chain by chain."""
        names = self.names(chains)
        tags = []
        for chain, ids in zip(chains, names, strict=True):
            targets, is_odd = references(chain)
            if is_odd:
                self.warn(f"all mentions before one of {self.quoted(chain[0])} are OPT, so it refers to one of them.")
            for mention, name, target in zip(chain, ids, targets, strict=True):
                tags.append(self.tag(mention, name, None if target is None else ids[target]))
        return tags

    def names(self, chains: Sequence[Chain]) -> list[list[str]]:
        """Return the ID of each mention: its own where no other has it, else the next number."""
        known = {mention.id for chain in chains for mention in chain}
        number, taken = 0, set()
        names = []
        for chain in chains:
            ids = []
            for mention in chain:
                name = mention.id
                while not name or name in taken:
                    number += 1
                    name = "" if str(number) in known else str(number)
                taken.add(name)
                ids.append(name)
            names.append(ids)
        return names

    def tag(self, mention: ChainMention, name: str, ref: str | None) -> str:
        candidates = self.read.get(key_of(mention))
        tag, before = candidates.pop(0) if candidates else (self.new_tag, ChainMention(mention.start, mention.end))
        changes: list[tuple[str, str | None]] = [("ID", name)] if name != before.id else []
        if ref is None and before.ref:
            changes += [("TYPE", None), ("REF", None)]
        elif ref is not None and ref != before.ref:
            changes += [("TYPE", "IDENT"), ("REF", ref)]
        if (mention.least, mention.span) != (before.least, before.span):
            changes.append(("MIN", self.min_words(mention)))
        if mention.is_optional != before.is_optional:
            removed: list[tuple[str, str | None]] = [("STATUS", None), ("STAT", None)]
            changes += [(self.status, "OPT")] if mention.is_optional else removed
        return edited(tag, changes + self.further(mention, before))

    def min_words(self, mention: ChainMention) -> str | None:
        words = words_of(self.text, mention)
        places = places_of(self.text, mention.start, mention.end, words) if words else []
        if mention.least and not is_needless(self.text, mention) and places[:1] != [mention.least]:
            self.warn(f"MIN {words!r} of {self.quoted(mention)} will be read at another place of its mention.")
        return words

    def further(self, mention: ChainMention, before: ChainMention) -> list[tuple[str, str | None]]:
        """Return the changes of attributes that MUC-6 does not know."""
        wanted = dict(mention.attributes)
        changes: list[tuple[str, str | None]] = [(name, None) for name, _ in before.attributes if name not in wanted]
        for name, value in mention.attributes:
            if (name, value) in before.attributes:
                continue
            if ATTRIBUTE_NAME.fullmatch(name) and name.upper() not in OWN:
                changes.append((name, value))
            else:
                self.warn(f"{LABEL} cannot hold the attribute {name!r} of {self.quoted(mention)}.")
        return changes

    def inserted(self, mentions: Sequence[ChainMention], tags: Sequence[str]) -> list[tuple[int, int, str]]:
        """Return (position, position, tag) of every tag, in the order of the source."""
        pairs = sorted(zip(mentions, tags, strict=True), key=lambda pair: (pair[0].start, -pair[0].end))
        inserted: list[tuple[int, int, str]] = []
        opened: list[tuple[int, str]] = []

        def close(until: int) -> None:
            while opened and opened[-1][0] <= until:
                end, closing = opened.pop()
                position = self.markup.source_end(end)
                inserted.append((position, position, closing))

        for mention, tag in pairs:
            close(mention.start)
            position = self.markup.source_start(mention.start)
            inserted.append((position, position, tag))
            opened.append((mention.end, f"</{tag[1:6]}>"))
        close(len(self.text))
        return inserted


def key_of(mention: ChainMention) -> object:
    return mention.id or mention.span
