"""CoNLL-2012: writes the brackets of mentions into the last column, other columns as they were read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation.task_types.coreference.document import Chain, ChainMention, CorefDocument
from annotation.task_types.coreference.formats.base import Holds, Writing, as_read, by_file, in_order, missing
from annotation.task_types.coreference.formats.conll_reading import NAME, read_source, word_lines
from annotation.task_types.coreference.formats.words import covered, sentences_of

LABEL = "CoNLL-2012"
ENDING = ".conll"
SHARED = "documents"
HOLDS = frozenset({Holds.CROSSING, Holds.WORDS})


def write(documents: Sequence[CorefDocument]) -> Writing:
    files = {}
    warnings = missing(documents, HOLDS, LABEL)
    if any(not document.sentences for document in documents):
        warnings.append(f"{LABEL} cannot hold {Holds.BLANKS}: words are separated by one blank when it is read again.")
    for file, group in by_file(documents, NAME, ENDING, SHARED):
        source = group[0].source
        encoding = source.encoding if source and source.format == NAME else "utf-8"
        written = "".join(document_lines(document, warnings) for document in group)
        files[file] = written.encode(encoding, errors="replace")
    return Writing(files, tuple(warnings))


def document_lines(document: CorefDocument, warnings: list[str]) -> str:
    """Return the lines of a document, its source where nothing was changed."""
    if document.source and document.source.format == NAME:
        original = read_source(document.source)[0]
        if original.text == document.text:
            if as_read(original) == as_read(document):
                return document.source.content
            return changed_lines(document, document.source.content, warnings)
        warnings.append(f"{document.name}: the text was changed, so new lines were written instead of those read.")
    sentences = sentences_of(document)
    cells = iter(bracket_cells(document, [word for sentence in sentences for word in sentence], warnings))
    base = document.name.removesuffix(f" part {document.part}") if document.part else document.name
    name = " ".join(base.split())
    column, part = re.sub(r"\s|^#", "_", name) or "_", document.part or "0"
    lines = [f"#begin document ({name}); part {part.zfill(3)}"]
    for sentence in sentences:
        for number, (start, end) in enumerate(sentence):
            word = "".join(document.text[start:end].split()) or "_"
            lines.append("\t".join((column, str(int(part)), str(number), word, next(cells))))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def changed_lines(document: CorefDocument, source: str, warnings: list[str]) -> str:
    """Return the source with other brackets."""
    lines = source.split("\n")
    words = [word for sentence in word_lines(lines) for word in sentence]
    spans = [span for sentence in document.sentences for span in sentence]
    for word, cell in zip(words, bracket_cells(document, spans, warnings), strict=True):
        line = lines[word.line]
        empty = word.cell if word.cell in {"-", "_", "*"} else "-"
        lines[word.line] = f"{line[: word.start]}{empty if cell == '-' else cell}{line[word.end :]}"
    return "\n".join(lines)


def bracket_cells(document: CorefDocument, words: list[tuple[int, int]], warnings: list[str]) -> list[str]:
    """Return the last column of each word: closing brackets first, then opening ones, the outermost first."""
    closing: list[list[str]] = [[] for _ in words]
    opening: list[list[tuple[int, str]]] = [[] for _ in words]
    for chain, name in zip(document.chains, chain_names(document), strict=True):
        for first, last in readable(document, chain, words, warnings):
            if first == last:
                opening[first].append((last, f"({name})"))
            else:
                opening[first].append((last, f"({name}"))
                closing[last].append(f"{name})")
    return [
        "|".join([*ends, *(bracket for _, bracket in sorted(starts, key=lambda pair: -pair[0]))]) or "-"
        for ends, starts in zip(closing, opening, strict=True)
    ]


def readable(
    document: CorefDocument, chain: Chain, words: list[tuple[int, int]], warnings: list[str]
) -> list[tuple[int, int]]:
    """Return the first and last word of each mention, without those that cross another of their chain."""
    kept: list[tuple[int, int]] = []
    ends: list[int] = []
    for mention in in_order(chain):
        place = covered(words, *mention.span)
        if place is None:
            warnings.append(f"{document.name}: the mention {mention.start}-{mention.end} holds no word; left out.")
            continue
        first, last = place
        if (words[first][0], words[last][1]) != stripped(document.text, mention):
            sentence = f"the mention {mention.start}-{mention.end} does not end where words do; widened to whole words."
            warnings.append(f"{document.name}: {sentence}")
        while ends and ends[-1] < first:
            ends.pop()
        if ends and last > ends[-1]:
            sentence = f"the mention {mention.start}-{mention.end} crosses another of its own chain and was left out."
            warnings.append(f"{document.name}: {sentence}")
            continue
        ends.append(last)
        kept.append(place)
    return kept


def stripped(text: str, mention: ChainMention) -> tuple[int, int]:
    """Return the span of a mention without blanks around it."""
    words = text[mention.start : mention.end]
    return mention.start + len(words) - len(words.lstrip()), mention.end - len(words) + len(words.rstrip())


def chain_names(document: CorefDocument) -> list[str]:
    """Return the number of each chain: that of its file where its mentions agree on one, else the next."""
    wanted = [{mention.entity for mention in chain} for chain in document.chains]
    own = [next(iter(entities)) if len(entities) == 1 else "" for entities in wanted]
    known, taken, number = {*own}, set(), 0
    names = []
    for entity in own:
        name = entity if is_name(entity) else ""
        while not name or name in taken:
            number += 1
            name = "" if str(number) in known else str(number)
        taken.add(name)
        names.append(name)
    return names


def is_name(entity: str) -> bool:
    return bool(entity) and not any(character in "()|" or character.isspace() for character in entity)
