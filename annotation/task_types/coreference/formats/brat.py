"""brat stand-off: a text in NAME.txt and its mentions in NAME.ann.

T lines are mentions, `*` lines list a chain, and R lines whose name speaks of coreference join two mentions. OPT is
the attribute `Optional`, MIN a note `Min` with two offsets. All other lines come back as they were read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText, Span
from annotation.task_types.coreference.formats.base import (
    FileProblem,
    Holds,
    Reading,
    Writing,
    as_read,
    by_file,
    crossing,
    decode,
    in_order,
    missing,
    without_ending,
)
from annotation.task_types.coreference.formats.muc_links import DisjointGroups
from kernel.errors import InvalidInput

NAME = "brat"
LABEL = "brat"
ENDING = ".ann"
TYPE = "etype"  # the attribute of a mention that holds the type of its T line
DEFAULT_TYPE = "Mention"
HOLDS = frozenset({Holds.MIN, Holds.OPT, Holds.PIECES, Holds.CROSSING, Holds.BLANKS})
TEXT_BOUND = re.compile(r"(T\S+)\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
RELATION = re.compile(r"R\S+\t(\S+) \S+?:(T\S+) \S+?:(T\S+)\s*")
EQUIVALENT = re.compile(r"\*\t(\S+)((?: T\S+)+)\s*")
OPTIONAL = re.compile(r"[AM]\S+\tOptional (T\S+)\s*")
MIN = re.compile(r"#\S*\tMin (T\S+)\t(\d{1,9}) (\d{1,9})\s*")
COREFERENCE = re.compile(r"coref|anaph|ident|equiv|same", re.IGNORECASE)


@dataclass
class Annotations:
    """What the lines of a file say."""

    file: str
    problems: list[FileProblem] = field(default_factory=list)
    mentions: dict[str, ChainMention] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # of each mention
    links: list[tuple[int, list[str]]] = field(default_factory=list)  # (line, mentions that are one thing)
    other: list[str] = field(default_factory=list)  # lines that say nothing about chains

    def report(self, kind: str, line: int, sentence: str) -> None:
        self.problems.append(FileProblem(kind, self.file, line, sentence))


def read(files: Mapping[str, bytes]) -> Reading:
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for file in (file for file in files if file.lower().endswith(ENDING)):
        text_file = f"{without_ending(file)}.txt"
        if text_file not in files:
            problem = f"brat keeps the text in a file of its own; give {text_file} together with this file."
            raise InvalidInput(problem, where=f"{file}, line 1")
        text, text_encoding, remarks = decode(text_file, files[text_file])
        lines, encoding, more = decode(file, files[file])
        problems += [*remarks, *more]
        source = SourceText(NAME, file, lines, encoding, text_encoding)
        annotations = read_lines(lines, text, file)
        chains = chains_of(annotations)
        problems += sorted(annotations.problems, key=lambda problem: problem.line)
        documents.append(CorefDocument(without_ending(file), text, chains, source=source))
    if not documents:
        first = next(iter(files), "")
        raise InvalidInput("brat needs a .ann and a .txt file; give both.", where=f"{first}, line 1")
    return Reading(tuple(documents), tuple(problems))


def read_lines(lines: str, text: str, file: str) -> Annotations:
    annotations = Annotations(file)
    later: list[tuple[int, str]] = []
    for number, line in enumerate(lines.split("\n"), 1):
        line = line.removesuffix("\r")
        if match := TEXT_BOUND.fullmatch(line):
            read_mention(annotations, number, match, text)
        elif line.startswith("T"):
            annotations.report("unreadable_line", number, "A T line needs a type and offsets; it was passed over.")
        elif line.strip():
            later.append((number, line))
    for number, line in later:
        read_further(annotations, number, line)
    return annotations


def read_mention(annotations: Annotations, line: int, match: re.Match[str], text: str) -> None:
    name, type_, places, words = match.groups()
    pieces = [(int(start), int(end)) for start, end in (place.split() for place in places.split(";"))]
    if not all(start < end <= len(text) for start, end in pieces):
        annotations.report(
            "mention_outside", line, f"{name} stands outside of the text or holds none; it was left out."
        )
        return
    if name in annotations.mentions:
        annotations.report("repeated_id", line, f"{name} stands twice; the first one counts.")
        return
    content = " ".join(text[start:end] for start, end in pieces)
    if words is not None and words.split() != content.split():
        sentence = f"The words of {name} are not those at its offsets; the offsets count."
        annotations.report("other_words", line, sentence)
    annotations.lines[name] = line
    annotations.mentions[name] = ChainMention(
        start=min(start for start, _ in pieces),
        end=max(end for _, end in pieces),
        pieces=tuple(pieces) if len(pieces) > 1 else (),
        id=name,
        attributes=((TYPE, type_),),
    )


def read_further(annotations: Annotations, number: int, line: str) -> None:
    """Read a line about mentions; those that are about something else are kept."""
    mentions = annotations.mentions
    if (match := RELATION.fullmatch(line)) and COREFERENCE.search(match[1]):
        annotations.links.append((number, [match[2], match[3]]))
    elif match := EQUIVALENT.fullmatch(line):
        annotations.links.append((number, match[2].split()))
    elif (match := OPTIONAL.fullmatch(line)) and match[1] in mentions:
        mentions[match[1]] = replace(mentions[match[1]], is_optional=True)
    elif (match := MIN.fullmatch(line)) and match[1] in mentions:
        mention, least = mentions[match[1]], (int(match[2]), int(match[3]))
        if mention.start <= least[0] < least[1] <= mention.end:
            mentions[match[1]] = replace(mention, least=least)
        else:
            annotations.report("min_absent", number, f"The Min of {match[1]} is outside of it and was left out.")
    else:
        annotations.other.append(line)


def chains_of(annotations: Annotations) -> tuple[tuple[ChainMention, ...], ...]:
    names = [*annotations.mentions]
    places = {name: index for index, name in enumerate(names)}
    joined = DisjointGroups(len(names))
    for line, group in annotations.links:
        for name in sorted(set(group) - set(places)):
            annotations.report("dangling_ref", line, f"{name} is no mention of the document; the others are joined.")
        known = [places[name] for name in group if name in places]
        if len(group) == 2 and group[0] == group[1]:
            annotations.report("ref_to_itself", line, f"{group[0]} refers to itself.")
        for member in known[1:]:
            joined.join(known[0], member)
    chains = [in_order(annotations.mentions[names[index]] for index in group) for group in joined.groups()]
    for mention in crossing(chains):
        annotations.report(
            "crossing", annotations.lines[mention.id], f"{mention.id} crosses an earlier one; it was kept."
        )
    return tuple(sorted(chains, key=lambda chain: (chain[0].start, -chain[0].end)))


def write(documents: Sequence[CorefDocument]) -> Writing:
    files = {}
    warnings = missing([plain(document) for document in documents], HOLDS, LABEL)
    for file, group in by_file(documents, NAME, ENDING):
        for number, document in enumerate(group, 1):
            name = without_ending(file) if len(group) == 1 else f"{without_ending(file)}-{number}"
            source = document.source
            if source is None or source.format != NAME:
                source = SourceText(NAME, file, "")
            files[f"{name}.txt"] = document.text.encode(source.text_encoding)
            files[f"{name}{ENDING}"] = lines_of(document).encode(source.encoding, errors="replace")
    return Writing(files, tuple(warnings))


def plain(document: CorefDocument) -> CorefDocument:
    """Return a document without the attribute that a T line holds, to see what brat cannot hold."""
    chains = [
        tuple(
            replace(mention, attributes=tuple(pair for pair in mention.attributes if pair[0] != TYPE))
            for mention in chain
        )
        for chain in document.chains
    ]
    return replace(document, chains=tuple(chains))


def lines_of(document: CorefDocument) -> str:
    """Return the .ann file of a document, as it was read where nothing was changed."""
    other: list[str] = []
    if document.source and document.source.format == NAME:
        annotations = read_lines(document.source.content, document.text, document.source.file)
        original = replace(document, chains=chains_of(annotations))
        if as_read(original) == as_read(document):
            return document.source.content
        other = annotations.other
    names = t_names(document)
    mentions = [mention for chain in document.chains for mention in chain]
    lines = [text_bound(document.text, mention, name) for mention, name in zip(mentions, names, strict=True)]
    position = 0
    for chain in document.chains:
        group = names[position : position + len(chain)]
        position += len(chain)
        lines += [f"*\tCoreference {' '.join(group)}"] if len(group) > 1 else []
    taken = {line.split("\t", 1)[0] for line in other}
    numbers = (number for number in range(1, 10**9) if not {f"A{number}", f"#{number}"} & taken)
    for mention, name in zip(mentions, names, strict=True):
        lines += [f"A{next(numbers)}\tOptional {name}"] if mention.is_optional else []
        lines += [f"#{next(numbers)}\tMin {name}\t{mention.least[0]} {mention.least[1]}"] if mention.least else []
    return "".join(f"{line}\n" for line in [*lines, *other])


def t_names(document: CorefDocument) -> list[str]:
    """Return the name of each mention's T line: its own where it has one, else the next."""
    mentions = [mention for chain in document.chains for mention in chain]
    known = {mention.id for mention in mentions}
    taken: set[str] = set()
    names = []
    number = 0
    for mention in mentions:
        name = mention.id if re.fullmatch(r"T\d+", mention.id) else ""
        while not name or name in taken:
            number += 1
            name = "" if f"T{number}" in known else f"T{number}"
        taken.add(name)
        names.append(name)
    return names


def text_bound(text: str, mention: ChainMention, name: str) -> str:
    pieces: Sequence[Span] = mention.pieces or (mention.span,)
    places = ";".join(f"{start} {end}" for start, end in pieces)
    words = " ".join(" ".join(text[start:end] for start, end in pieces).split())
    type_ = re.sub(r"\s", "_", dict(mention.attributes).get(TYPE, "")) or DEFAULT_TYPE
    return f"{name}\t{type_} {places}\t{words}"
