"""CorefUD 1.x: reads the mentions that stand in `Entity=` of the last column of CoNLL-U. It is not written.

The text is the words with a blank between them unless SpaceAfter=No, and a line for each sentence. Empty nodes (8.1)
have no text: a mention of nothing else is reported and left out. A mention in several parts keeps them as `pieces`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText, Span
from annotation.task_types.coreference.formats.base import (
    FileProblem,
    Holds,
    Reading,
    crossing,
    decode,
    in_order,
    without_ending,
)
from kernel.errors import InvalidInput

if TYPE_CHECKING:
    from conllu.models import Token, TokenList

NAME = "corefud"
LABEL = "CorefUD"
HOLDS = frozenset({Holds.MIN, Holds.ATTRIBUTES, Holds.PIECES, Holds.CROSSING, Holds.WORDS})
FIELDS = ("eid", "etype", "head", "other")  # where no line global.Entity names them
BRACKET = re.compile(r"(?P<opens>\()?(?P<content>[^()]+)(?P<closes>\))?")
PART = re.compile(r"(?P<name>.+)\[(?P<number>\d+)/(?P<count>\d+)\]")


@dataclass
class Opened:
    """A mention that has begun: its values, and the nodes of its parts."""

    line: int
    values: list[str]
    parts: list[tuple[int, int]] = field(default_factory=list)  # first and last node
    start: int = 0  # of the part that is open


def read(files: Mapping[str, bytes]) -> Reading:
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for file, content in files.items():
        text, encoding, remarks = decode(file, content)
        problems += remarks
        before = len(documents)
        readers: list[_Reader] = []
        for line, block, sentence in sentences_in(text, file, problems):
            if not readers or any(key.split()[0] == "newdoc" for key in sentence.metadata):
                name = sentence.metadata.get("newdoc id") or f"{without_ending(file)}-{len(readers) + 1}"
                fields = readers[-1].fields if readers else FIELDS
                readers.append(_Reader(name, file, fields))
            readers[-1].read(line, block, sentence)
        for reader in readers:
            documents.append(reader.document(encoding))
            problems += sorted(reader.problems, key=lambda problem: problem.line)
        if len(documents) == before:
            raise InvalidInput("The file holds no sentence in CoNLL-U; check its format.", where=f"{file}, line 1")
    return Reading(tuple(documents), tuple(problems))


def sentences_in(text: str, file: str, problems: list[FileProblem]) -> Iterator[tuple[int, str, TokenList]]:
    """Yield (first line, block, sentence); a sentence that cannot be read is reported and passed over."""
    from conllu import parse
    from conllu.exceptions import ParseException

    for line, block in blocks(text):
        try:
            sentence = parse(block)[0]
            if any(token["id"] is None for token in sentence):
                raise ParseException("a word has no number")
        except (ParseException, ValueError, IndexError) as error:
            remark = f"This sentence is not CoNLL-U and was passed over ({error})."
            problems.append(FileProblem("unreadable_sentence", file, line, remark))
        else:
            yield line, block, sentence


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield (first line, lines) of what stands between empty lines."""
    lines: list[str] = []
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], 1):
        if line.strip():
            lines.append(line)
        elif lines:
            yield number - len(lines), "\n".join(lines)
            lines = []


class _Reader:
    """Reads the sentences of one document."""

    def __init__(self, name: str, file: str, fields: tuple[str, ...]) -> None:
        self.name, self.file, self.fields = name, file, fields
        self.problems: list[FileProblem] = []
        self.texts: list[str] = []
        self.blocks: list[str] = []
        self.length = 0
        self.nodes: list[Span | None] = []  # where each node stands in the text; None: an empty node
        self.sentences: list[tuple[Span, ...]] = []
        self.opened: dict[str, list[Opened]] = {}
        self.lines: dict[int, int] = {}  # the line of what begins at a place of the text
        self.mentions: dict[str, list[ChainMention]] = {}

    def report(self, kind: str, line: int, sentence: str) -> None:
        self.problems.append(FileProblem(kind, self.file, line, f"Document {self.name}: {sentence}"))

    def read(self, first_line: int, block: str, sentence: TokenList) -> None:
        if declared := sentence.metadata.get("global.Entity"):
            self.fields = tuple(declared.split("-"))
        self.blocks.append(block)
        first_node = len(self.nodes)
        self.lay_out(sentence)
        lines = [line for line in enumerate(block.split("\n"), first_line) if not line[1].startswith("#")]
        nodes = iter(range(first_node, len(self.nodes)))
        for (line, _), token in zip(lines, sentence, strict=False):
            if is_range(token):
                continue
            node = next(nodes)
            value = (token.get("misc") or {}).get("Entity")
            if value:
                self.brackets(line, node, value)

    def lay_out(self, sentence: TokenList) -> None:
        """Add the words of a sentence to the text. The parts of a word such as 2-3 all stand where it does."""
        parts: list[str] = []
        position = self.length
        words: list[Span] = []
        covered, span = 0, (0, 0)  # the last part of the word that was laid out, and where that stands
        for token in sentence:
            number = token["id"]
            if isinstance(number, tuple) and number[1] == ".":
                self.nodes.append(None)
                continue
            if is_range(token) or number > covered:
                span = (position, position + len(token["form"]))
                words.append(span)
                parts.append(token["form"])
                has_blank = (token.get("misc") or {}).get("SpaceAfter") != "No"
                parts.append(" " if has_blank else "")
                position = span[1] + has_blank
                covered = number[2] if is_range(token) else number
            if not is_range(token):
                self.nodes.append(span)
        line = "".join(parts).rstrip(" ")
        self.texts.append(line)
        self.length += len(line) + 1
        self.sentences.append(tuple(dict.fromkeys(words)))

    def brackets(self, line: int, node: int, value: str) -> None:
        for match in BRACKET.finditer(value):
            values = [unquote(part) for part in match["content"].split("-")]
            part = PART.fullmatch(values[0])
            name = part["name"] if part else values[0]
            number, count = (int(part["number"]), int(part["count"])) if part else (1, 1)
            if match["opens"]:
                self.open(line, node, name, number, values)
            if match["closes"]:
                self.close(line, node, name, number, count)

    def open(self, line: int, node: int, name: str, number: int, values: list[str]) -> None:
        waiting = self.opened.setdefault(name, [])
        if number > 1 and waiting and len(waiting[-1].parts) == number - 1:
            waiting[-1].start = node
        else:
            waiting.append(Opened(line, values, start=node))

    def close(self, line: int, node: int, name: str, number: int, count: int) -> None:
        waiting = [mention for mention in self.opened.get(name, []) if len(mention.parts) == number - 1]
        if not waiting:
            self.report("unopened_bracket", line, f"entity {name} is closed and was not opened; passed over.")
            return
        opened = waiting[-1]
        opened.parts.append((opened.start, node))
        if number < count:
            return
        self.opened[name].remove(opened)
        if count > 1:
            self.report("discontinuous", opened.line, f"a mention of entity {name} has {count} parts; they were kept.")
        self.add(opened, name)

    def add(self, opened: Opened, name: str) -> None:
        nodes = [self.nodes[node] for first, last in opened.parts for node in range(first, last + 1)]
        pieces = [span for first, last in opened.parts if (span := around(self.nodes[first : last + 1]))]
        if not pieces:
            self.report("empty_node", opened.line, f"a mention of entity {name} has no words; it was left out.")
            return
        if None in nodes:
            self.report(
                "empty_node", opened.line, f"a mention of entity {name} holds an empty node; its words were kept."
            )
        values = dict(zip(self.fields[1:], opened.values[1:], strict=False))
        mention = ChainMention(
            start=pieces[0][0],
            end=pieces[-1][1],
            least=least(nodes, values.pop("minspan", "")),
            pieces=tuple(pieces) if len(pieces) > 1 else (),
            entity=name,
            attributes=tuple((field_, value) for field_, value in values.items() if value),
        )
        self.mentions.setdefault(name, []).append(mention)
        self.lines[mention.start] = opened.line

    def document(self, encoding: str) -> CorefDocument:
        for name, waiting in self.opened.items():
            for opened in waiting:
                sentence = f"entity {name} is opened and never closed; the mention was left out."
                self.report("unclosed_bracket", opened.line, sentence)
        for mention in crossing(self.mentions.values()):
            sentence = f"a mention of entity {mention.entity} crosses an earlier one; it was kept."
            self.report("crossing", self.lines[mention.start], sentence)
        chains = [in_order(chain) for chain in self.mentions.values()]
        source = SourceText(NAME, self.file, "\n\n".join([*self.blocks, ""]), encoding)
        ordered = tuple(sorted(chains, key=lambda chain: (chain[0].start, -chain[0].end)))
        return CorefDocument(self.name, "\n".join(self.texts), ordered, sentences=tuple(self.sentences), source=source)


def is_range(token: Token) -> bool:
    return isinstance(token["id"], tuple) and token["id"][1] == "-"


def around(nodes: list[Span | None]) -> Span | None:
    """Return the piece of text from the first to the last node that has text."""
    spans = [span for span in nodes if span]
    return (spans[0][0], spans[-1][1]) if spans else None


def least(nodes: list[Span | None], minspan: str) -> Span | None:
    """Return the piece that the numbers of a minspan name ("2,3"); None if they name none, or several pieces."""
    numbers = sorted({int(number) for number in re.findall(r"\d{1,6}", minspan)})
    if not numbers or numbers[0] < 1 or numbers[-1] > len(nodes) or numbers[-1] - numbers[0] >= len(numbers):
        return None
    return around([nodes[number - 1] for number in numbers])
