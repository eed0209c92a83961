"""MUC-6 SGML: reads documents in which each mention stands in an element COREF.

A chain is what REF joins, whatever the order of the references. A mention without a partner tag is left out, as is one
without text. A REF of another TYPE than IDENT is kept and does not join.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.task_types.coreference.document import Chain, ChainMention, CorefDocument, SourceText, Zone
from annotation.task_types.coreference.formats.base import FileProblem, Lines, Reading, decode, in_order, without_ending
from annotation.task_types.coreference.formats.muc_links import DisjointGroups, cycles
from annotation.task_types.coreference.formats.muc_markup import OWN, Markup, MarkupTag, attributes_of, scan
from annotation.task_types.coreference.formats.muc_mins import places_of
from kernel.errors import InvalidInput

NAME = "muc_sgml"
ZONES = ("HL", "DD", "DATELINE", "TXT")
DOCUMENT_TAG = re.compile(r"<(/?)DOC(?=[\s>])[^<>]*+>", re.IGNORECASE)
TABLE_LINE = re.compile(r"^@[^\n]*", re.MULTILINE)
FEW = 5  # tags without a partner that a file may always have; beyond that, a tenth of its tags


@dataclass(frozen=True, slots=True)
class Element:
    """A COREF element: its mention, and what its tag says about the link."""

    tag: MarkupTag
    mention: ChainMention
    is_linked: bool  # its TYPE is IDENT, or missing

    @property
    def has_text(self) -> bool:
        return self.mention.start < self.mention.end


@dataclass(frozen=True)
class MucDocument:
    document: CorefDocument
    markup: Markup
    elements: tuple[Element, ...]
    problems: tuple[FileProblem, ...]


def read(files: Mapping[str, bytes]) -> Reading:
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for file, content in files.items():
        text, encoding, remarks = decode(file, content)
        problems += remarks
        parts = split(text)
        if len(parts) > 1:
            sentence = f"The file holds {len(parts)} DOC elements; each was read as a document of its own."
            problems.append(FileProblem("several_documents", file, 1, sentence))
        lines = Lines(text)
        for number, (start, end) in enumerate(parts, 1):
            name = without_ending(file) if len(parts) == 1 else f"{without_ending(file)}-{number}"
            source = SourceText(NAME, file, text[start:end], encoding)
            muc = read_source(source, name, lines.at(start))
            documents.append(muc.document)
            problems += muc.problems
    return Reading(tuple(documents), tuple(problems))


def split(text: str) -> list[tuple[int, int]]:
    """Return where the piece of each DOC element begins and ends; together they are the whole file."""
    starts = [match.start() for match in DOCUMENT_TAG.finditer(text) if not match[1]]
    borders = [0, *starts[1:], len(text)]
    return [*pairwise(borders)]


def read_source(source: SourceText, name: str = "", first_line: int = 1) -> MucDocument:
    """Read one document."""
    tags = [*DOCUMENT_TAG.finditer(source.content)]
    start = next((tag.start() for tag in tags if not tag[1]), 0)
    end = next((tag.end() for tag in reversed(tags) if tag[1]), len(source.content))
    markup = scan(source.content, start, max(start, end))
    reader = _Reader(source, markup, Lines(source.content, first_line))
    if tags and not any(tag[1] for tag in tags):
        reader.report("unclosed_tag", start, "DOC is not closed; the document goes on to the end or the next DOC.")
    zones = reader.zones()
    elements = reader.elements()
    chains = reader.chains(elements)
    document = CorefDocument(markup.name or name, markup.text, chains, zones, source=source)
    reader.look_at_zones(document, elements)
    return MucDocument(
        document, markup, tuple(elements), tuple(sorted(reader.problems, key=lambda remark: remark.line))
    )


class _Reader:
    """Reads the elements of one document and collects what is wrong with them."""

    def __init__(self, source: SourceText, markup: Markup, lines: Lines) -> None:
        self.source, self.markup, self.lines = source, markup, lines
        self.problems: list[FileProblem] = []
        self.unknown: set[str] = set()  # attributes that were reported: each only where it stands first

    def report(self, kind: str, position: int, sentence: str) -> None:
        self.problems.append(FileProblem(kind, self.source.file, self.lines.at(position), sentence))

    def zones(self) -> tuple[Zone, ...]:
        """Return the zones that are annotated; of several DD only the second."""
        zones: list[Zone] = []
        opened: MarkupTag | None = None
        for tag in (tag for tag in self.markup.tags if tag.name in (*ZONES, "DOC")):
            if opened and not (tag.is_end and tag.name == opened.name):
                self.report(
                    "unclosed_tag", opened.start, f"{opened.name} is not closed; it was read up to the next tag."
                )
            elif tag.is_end and not opened and tag.name != "DOC":
                self.report("unopened_tag", tag.start, f"</{tag.name}> closes nothing and was passed over.")
            if opened:
                zones.append(zone(self.markup.text, opened.name, opened.offset, tag.offset))
            opened = None if tag.is_end or tag.name == "DOC" else tag
        if opened:
            self.report("unclosed_tag", opened.start, f"{opened.name} is not closed; it was read up to the end.")
            zones.append(zone(self.markup.text, opened.name, opened.offset, len(self.markup.text)))
        dates = [zone for zone in zones if zone.name == "DD"]
        return tuple(zone for zone in zones if zone.name != "DD" or len(dates) == 1 or zone is dates[1])

    def elements(self) -> list[Element]:
        """Return the COREF elements in the order of their opening tags."""
        opened: list[MarkupTag] = []
        pairs: list[tuple[MarkupTag, int]] = []
        unmatched = 0
        for tag in self.markup.tags:
            if tag.name == "COREF" and not tag.is_end and opened and not tag.inside.strip():
                self.report("closing_without_slash", tag.start, "<COREF> without attributes was read as </COREF>.")
                pairs.append((opened.pop(), tag.offset))
            elif tag.name == "COREF" and not tag.is_end:
                opened.append(tag)
                if tag.inside.rstrip().endswith("/"):
                    pairs.append((opened.pop(), tag.offset))
            elif tag.name == "COREF" and opened:
                pairs.append((opened.pop(), tag.offset))
            elif tag.name == "COREF":
                unmatched += 1
                self.report("unopened_tag", tag.start, "</COREF> closes nothing and was passed over.")
            elif tag.name in (*ZONES, "DOC"):
                unmatched += self.unclosed(opened)
        unmatched += self.unclosed(opened)
        self.refuse_hopeless(unmatched)
        return [self.element(tag, end) for tag, end in sorted(pairs, key=lambda pair: pair[0].start)]

    def unclosed(self, opened: list[MarkupTag]) -> int:
        """Report the COREF tags that nothing closes, and forget them."""
        count = len(opened)
        for tag in opened:
            names = [value for name, value in attributes_of(tag.inside)[0] if name.upper() == "ID"]
            name = f"COREF {names[0]}" if names else "COREF"
            self.report("unclosed_tag", tag.start, f"{name} is not closed, so its mention was left out.")
        opened.clear()
        return count

    def refuse_hopeless(self, unmatched: int) -> None:
        count = sum(tag.name == "COREF" for tag in self.markup.tags)
        if unmatched > max(FEW, count / 10):
            first = next(remark for remark in self.problems if remark.kind in {"unclosed_tag", "unopened_tag"})
            raise InvalidInput(
                f"{unmatched} of {count} COREF tags have no partner; close each COREF with </COREF>, beginning here.",
                where=f"{first.file}, line {first.line}",
            )

    def element(self, tag: MarkupTag, end: int) -> Element:
        pairs, rest = attributes_of(tag.inside)
        values: dict[str, str] = {}
        for name, value in pairs:
            if name.upper() in values:
                self.report("repeated_attribute", tag.start, f"{name} stands twice in a COREF; the first value counts.")
            values.setdefault(name.upper(), value)
        if rest:
            self.report(
                "unreadable_attribute", tag.start, f"The attributes of a COREF hold what is none: {rest[:40]!r}."
            )
        type_, ref = values.get("TYPE"), values.get("REF", "").strip()
        is_linked = type_ is None or type_.strip().upper() == "IDENT"
        if ref and type_ is None:
            self.report("type", tag.start, f"COREF {values.get('ID', '')} has a REF and no TYPE; it was read as IDENT.")
        if not is_linked:
            sentence = f"COREF {values.get('ID', '')} has the TYPE {type_!r}; only IDENT joins mentions to a chain."
            self.report("type", tag.start, sentence)
        kept = [(name, value) for name, value in pairs if self.is_further(tag, name.upper(), value, is_linked)]
        mention = ChainMention(
            start=tag.offset,
            end=end,
            least=self.least(tag, end, values["MIN"]) if "MIN" in values else None,
            is_optional="OPT" in {values.get(name, "").strip().upper() for name in ("STATUS", "STAT")},
            id=values.get("ID", "").strip(),
            ref=ref if is_linked else "",
            attributes=tuple(kept),
        )
        return Element(tag, mention, is_linked)

    def is_further(self, tag: MarkupTag, name: str, value: str, is_linked: bool) -> bool:
        """Say whether a mention has no field of its own for an attribute, and report those that MUC-6 does not know."""
        if name in {"STATUS", "STAT"} and value.strip().upper() != "OPT":
            self.report("unknown_attribute", tag.start, f"{name} is {value!r} and not OPT; it was kept and not used.")
            return True
        if name not in OWN and name not in self.unknown:
            self.unknown.add(name)
            self.report("unknown_attribute", tag.start, f"MUC-6 has no attribute {name}; it was kept.")
        return name not in OWN or (name in {"TYPE", "REF"} and not is_linked)

    def least(self, tag: MarkupTag, end: int, words: str) -> tuple[int, int] | None:
        places = places_of(self.markup.text, tag.offset, end, words)
        if not places:
            self.report("min_absent", tag.start, f"MIN {words!r} does not stand in its mention and was left out.")
            return None
        if len(places) > 1:
            self.report(
                "min_ambiguous",
                tag.start,
                f"MIN {words!r} stands {len(places)} times in its mention; the first counts.",
            )
        return places[0]

    def chains(self, elements: Sequence[Element]) -> tuple[Chain, ...]:
        targets = self.targets(elements)
        for circle in cycles(targets):
            names = ", ".join(elements[member].mention.id for member in circle[:10])
            self.report(
                "ref_cycle", elements[min(circle)].tag.start, f"REF runs in a circle: {names}. They are one chain."
            )
        joined = DisjointGroups(len(elements))
        for index, target in enumerate(targets):
            if target is not None:
                joined.join(index, target)
        self.look_at_optional(elements, targets)
        groups = [
            in_order(elements[index].mention for index in group if elements[index].has_text)
            for group in joined.groups()
        ]
        chains = [chain for chain in groups if chain]
        for chain in chains:
            if len(chain) > 1 and chain[0].is_optional:
                position = self.markup.source_start(chain[0].start)
                self.report("opt_first", position, f"COREF {chain[0].id} is OPT and the first of its chain.")
        return tuple(sorted(chains, key=lambda chain: (chain[0].start, -chain[0].end)))

    def targets(self, elements: Sequence[Element]) -> list[int | None]:
        """Return the element that each one refers to."""
        places: dict[str, int] = {}
        for index, element in enumerate(elements):
            name = element.mention.id
            if not name:
                self.report("missing_id", element.tag.start, "A COREF has no ID, so nothing can refer to it.")
            elif places.setdefault(name, index) != index:
                sentence = f"ID {name} stands twice; references to it mean the first."
                self.report("repeated_id", element.tag.start, sentence)
            if not element.has_text:
                self.report("empty_mention", element.tag.start, f"COREF {name} holds no text and was left out.")
        return [self.target(element, index, places) for index, element in enumerate(elements)]

    def target(self, element: Element, index: int, places: Mapping[str, int]) -> int | None:
        ref = element.mention.ref
        if not ref:
            return None
        target = places.get(ref)
        if target is None:
            self.report("dangling_ref", element.tag.start, f"REF {ref} names no COREF of the document.")
        elif target == index or ref == element.mention.id:
            self.report("ref_to_itself", element.tag.start, f"COREF {ref} refers to itself.")
            return None
        return target

    def look_at_optional(self, elements: Sequence[Element], targets: Sequence[int | None]) -> None:
        for target in sorted({target for target in targets if target is not None}):
            if elements[target].mention.is_optional:
                sentence = f"COREF {elements[target].mention.id} is OPT, and others refer to it."
                self.report("opt_antecedent", elements[target].tag.start, sentence)

    def look_at_zones(self, document: CorefDocument, elements: Sequence[Element]) -> None:
        for element in elements:
            if element.has_text and not document.may_hold(*element.mention.span):
                sentence = f"COREF {element.mention.id} stands where nothing is annotated; it was kept."
                self.report("locked_zone", element.tag.start, sentence)


def zone(text: str, name: str, start: int, end: int) -> Zone:
    locked = tuple(table_lines(text, start, end)) if name == "TXT" else ()
    return Zone(name, start, end, locked)


def table_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of a zone that start with "@"."""
    for match in TABLE_LINE.finditer(text[start:end]):
        yield start + match.start(), start + match.end()
