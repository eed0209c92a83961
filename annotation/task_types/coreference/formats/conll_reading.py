"""CoNLL-2012: reads a word a line with the brackets of its mentions in the last column.

The text is the words with a blank between them and a line for each sentence. Part 0 has the document's own name, later
parts have their number behind it. The columns between are not read; they come back when the document is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText, Span
from annotation.task_types.coreference.formats.base import (
    FileProblem,
    Reading,
    crossing,
    decode,
    in_order,
    without_ending,
)

NAME = "conll"
BEGIN = re.compile(r"#\s*begin document\b")
NAMED = re.compile(r"#\s*begin document\s*(?:\((?P<name>.*)\)|(?P<bare>[^\s;(]*))")
PART = re.compile(r";\s*part\s+(\d+)\s*$")
END = re.compile(r"#\s*end document\b")
BRACKET = re.compile(r"\((?P<whole>[^()|\s]+)\)|\((?P<opened>[^()|\s]+)|(?P<closed>[^()|\s]+)\)")
COLUMN = re.compile(r"[^ \t]+")
NOTHING = {"-", "_", "*"}
WORD_COLUMNS = {2: None, 3: 1, 4: 2}  # by the number of columns; with more the word is in the fourth
NO_WORD = "_"


@dataclass(frozen=True, slots=True)
class WordLine:
    """A line with a word; its last column stands at `start` to `end` of the line."""

    line: int  # in the source of its document, from 0
    word: str
    cell: str
    start: int
    end: int


def read(files: Mapping[str, bytes]) -> Reading:
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for file, content in files.items():
        text, encoding, remarks = decode(file, content)
        problems += remarks
        names: Counter[str] = Counter()
        for first_line, lines in pieces(text):
            source = SourceText(NAME, file, "\n".join(lines), encoding)
            document, remarks = read_source(source, without_ending(file), first_line)
            problems += remarks
            documents.append(document)
            names[document.name] += 1
            if names[document.name] == 2:
                sentence = f"Document {document.name} stands in the file more than once."
                problems.append(FileProblem("repeated_document", file, first_line, sentence))
    return Reading(tuple(documents), tuple(problems))


def pieces(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (first line, lines) of each document; together they are the whole text."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if BEGIN.match(line)]
    borders = [0, *starts[1:], len(lines)]
    for start, end in pairwise(borders):
        yield start + 1, [*lines[start:end], ""] if end < len(lines) else lines[start:end]


def read_source(source: SourceText, name: str = "", first_line: int = 1) -> tuple[CorefDocument, list[FileProblem]]:
    """Read one document."""
    reader = _Reader(source, first_line)
    lines = source.content.split("\n")
    begin = next((line for line in lines if BEGIN.match(line)), "")
    part_match = PART.search(begin.rstrip())
    named = NAMED.match(begin)
    own_name = (named["name"] or named["bare"] or "").strip() if named else ""
    part = part_match[1] if part_match else ""
    if not begin:
        reader.report("no_document", 0, "There is no #begin document; the file was read as one document.")
    elif not any(END.match(line) for line in lines):
        reader.report("unclosed_document", 0, f"Document {own_name} has no #end document; it goes on to the next one.")
    sentences = word_lines(lines, reader)
    document_name = own_name or name
    if part and int(part):
        document_name = f"{document_name} part {part}"
    text, spans = laid_out(sentences)
    chains = reader.chains(document_name, [word for sentence in sentences for word in sentence], spans)
    words = iter(spans)
    divided = tuple(tuple(next(words) for _ in sentence) for sentence in sentences)
    return CorefDocument(document_name, text, chains, sentences=divided, part=part, source=source), reader.problems


def word_lines(lines: Sequence[str], reader: _Reader | None = None) -> list[list[WordLine]]:
    """Return the words of each sentence."""
    sentences: list[list[WordLine]] = [[]]
    for number, line in enumerate(lines):
        columns = [*COLUMN.finditer(line.removesuffix("\r"))]
        if line.startswith("#"):  # a document begins or ends, or a comment
            continue
        if not columns:
            sentences.append([])
        elif len(columns) == 1:
            if reader:
                reader.report("unreadable_line", number, "The line has a single column and was passed over.")
        else:
            place = WORD_COLUMNS.get(len(columns), 3)
            word = NO_WORD if place is None else columns[place][0]
            last = columns[-1]
            sentences[-1].append(WordLine(number, word, last[0], *last.span()))
    return [sentence for sentence in sentences if sentence]


def laid_out(sentences: Sequence[Sequence[WordLine]]) -> tuple[str, list[Span]]:
    """Return the text, and where each word stands in it."""
    spans: list[Span] = []
    position = 0
    for sentence in sentences:
        for word in sentence:
            spans.append((position, position + len(word.word)))
            position += len(word.word) + 1
    return "\n".join(" ".join(word.word for word in sentence) for sentence in sentences), spans


class _Reader:
    """Reads the brackets of one document and collects what is wrong with them."""

    def __init__(self, source: SourceText, first_line: int) -> None:
        self.source, self.first_line = source, first_line
        self.problems: list[FileProblem] = []

    def report(self, kind: str, line: int, sentence: str) -> None:
        self.problems.append(FileProblem(kind, self.source.file, self.first_line + line, sentence))

    def chains(
        self, name: str, words: Sequence[WordLine], spans: Sequence[Span]
    ) -> tuple[tuple[ChainMention, ...], ...]:
        opened: dict[str, list[int]] = {}
        mentions: dict[str, list[ChainMention]] = {}
        seen: set[tuple[str, int, int]] = set()
        for index, word in enumerate(words):
            for entity, opens, closes in self.brackets(word):
                if opens:
                    opened.setdefault(entity, []).append(index)
                if not closes:
                    continue
                if not opened.get(entity):
                    sentence = f"Document {name}: entity {entity} is closed and was not opened; passed over."
                    self.report("unopened_bracket", word.line, sentence)
                    continue
                mention = ChainMention(spans[opened[entity].pop()][0], spans[index][1], entity=entity)
                if (entity, *mention.span) in seen:
                    sentence = f"Document {name}: entity {entity} has the same mention twice; both were kept."
                    self.report("repeated_mention", word.line, sentence)
                seen.add((entity, *mention.span))
                mentions.setdefault(entity, []).append(mention)
        for entity, starts in opened.items():
            for start in starts:
                sentence = f"Document {name}: entity {entity} is opened and never closed; the mention was left out."
                self.report("unclosed_bracket", words[start].line, sentence)
        lines = {start: word.line for word, (start, _) in zip(words, spans, strict=True)}
        for mention in crossing(mentions.values()):
            sentence = f"Document {name}: a mention of entity {mention.entity} crosses an earlier one; it was kept."
            self.report("crossing", lines[mention.start], sentence)
        self.problems.sort(key=lambda problem: problem.line)
        chains = [in_order(chain) for chain in mentions.values()]
        return tuple(sorted(chains, key=lambda chain: (chain[0].start, -chain[0].end)))

    def brackets(self, word: WordLine) -> Iterator[tuple[str, bool, bool]]:
        """Yield (entity, opens, closes) of each bracket of a cell."""
        if word.cell in NOTHING:
            return
        rest = BRACKET.sub("", word.cell).replace("|", "")
        if rest:
            sentence = f"The last column is {word.cell[:40]!r}; {rest[:40]!r} is no bracket and was passed over."
            self.report("unreadable_bracket", word.line, sentence)
        for match in BRACKET.finditer(word.cell):
            entity = match["whole"] or match["opened"] or match["closed"]
            yield entity, not match["closed"], not match["opened"]
