"""Reuters-21578, Distribution 1.0: 22 SGML files from 1987 that no XML parser accepts.

They contain references to control characters, a few non-ASCII bytes, no single root, and text in three layouts: TITLE
and BODY; BRIEF, a title and at most a placeholder; UNPROC, lines of which the first is the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import ClassVar

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources.base import Document, Problem, Unit
from corpus.sources.files import document_units, documents
from corpus.sources.reuters_names import name_of
from corpus.sources.texts import clean, clean_all
from kernel.errors import InvalidInput

SUFFIXES = (".sgm", ".sgml")
MAX_FILE_BYTES = 64 * 2**20  # a thousand articles take 1.5 MiB
ENTITY_FIELDS = {"PEOPLE": EntityType.PERSON, "ORGS": EntityType.ORGANIZATION, "PLACES": EntityType.LOCATION}
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
SIGNATURES = frozenset({"reuter", "reuters", "reute", "more"})  # last lines: the agency, or that more follows
OPENING, CLOSING = "<REUTERS", "</REUTERS>"

_NEW_ID = re.compile(r'\bNEWID="(\w+)"')
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})")
_CODE = re.compile(r"<D>([^<]*)</D>")
_REFERENCE = re.compile(r"&(?:#(\d{1,3})|(lt|gt|amp));")
# The agency capitalised the word after every full stop ("the U.S. And Japan"). These words never, or hardly ever,
# begin a sentence after the name of a country.
_STRAY_CAPITAL = re.compile(
    r"(?<=\b[UE]\.[A-Z]\. )(?:And|Or|Of|To|Not|Has|Had|Have|Is|Are|Was|Were|Will|Would|Can|Could|Should|Must|"
    r"For|With|From|Which|Than|On|In(?= [a-z\d]))\b"
)
_NAMED = {"lt": "<", "gt": ">", "amp": "&"}


class ReutersSource:
    """The .sgm files of Reuters-21578, a thousand articles each."""

    name: ClassVar[str] = "reuters21578"

    def units(self, path: Path) -> Iterator[Unit]:
        return document_units(path, SUFFIXES, per_unit=1)

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        for document in documents(unit, SUFFIXES, MAX_FILE_BYTES):
            if isinstance(document, Problem):
                yield document
            else:
                yield from _articles(document)


REUTERS21578 = ReutersSource()


def _articles(document: Document) -> Iterator[SourceArticle | Problem]:
    text = _decode(document.content)
    start = text.find(OPENING)
    if start < 0:
        reason = "this is not Reuters-21578: it holds no <REUTERS> element" if text.strip() else "the file is empty"
        yield Problem(document.where, reason)
    line = 1 + text.count("\n", 0, max(start, 0))
    while start >= 0:
        following = text.find(OPENING, start + len(OPENING))
        record = text[start : following if following >= 0 else len(text)]
        where = f"{document.where}:{line}"
        try:
            yield parse_reuters(record, where)
        except InvalidInput as error:
            yield Problem(where, error.problem)
        start, line = following, line + record.count("\n")


def parse_reuters(record: str, where: str) -> SourceArticle:
    """Return the article of one <REUTERS> element, or raise InvalidInput."""
    if CLOSING not in record:
        raise InvalidInput("this article is cut short: its </REUTERS> is missing")
    new_id = _NEW_ID.search(record, 0, record.find(">") + 1)
    if not new_id:
        raise InvalidInput("this article has no NEWID")
    title, paragraphs = _title_and_body(record)
    if not (title or paragraphs):
        raise InvalidInput("this article has neither a title nor text")
    return SourceArticle(
        source_id=new_id[1],
        title=title,
        paragraphs=paragraphs,
        byline=clean(_plain(_field(record, "AUTHOR"))),
        published=_published(_field(record, "DATE")),
        tags=_tags(record),
        where=where,
    )


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:  # the original files have one ü in latin-1
        return content.decode("latin-1")


def _title_and_body(record: str) -> tuple[str, tuple[str, ...]]:
    if '<TEXT TYPE="UNPROC">' in record:
        lines = _lines(_field(record, "TEXT", ' TYPE="UNPROC"'))
        return (clean(lines[0]), _indented_paragraphs(lines[1:])) if lines else ("", ())
    return clean(_plain(_field(record, "TITLE"))), _indented_paragraphs(_lines(_field(record, "BODY")))


def _lines(text: str) -> list[str]:
    """Return the lines without blank ones at the start and the end and without the agency's signature."""
    lines = _plain(text).replace("^M", "").splitlines()
    while lines and not clean(lines[0]):
        lines.pop(0)
    while lines and (not (last := clean(lines[-1])) or last.rstrip(".").lower() in SIGNATURES):
        lines.pop()
    return lines


def _indented_paragraphs(lines: list[str]) -> tuple[str, ...]:
    """Return the paragraphs, which begin with an indented line; each row of a table is indented too."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if not line or line[0].isspace():
            paragraphs.append([])
        paragraphs[-1].append(line)
    texts = clean_all("\n".join(paragraph) for paragraph in paragraphs)
    return tuple(_STRAY_CAPITAL.sub(lambda match: match[0].lower(), text) for text in texts)


def _tags(record: str) -> tuple[Tag, ...]:
    tags = (
        Tag(name, entity_type, REUTERS21578.name)
        for field, entity_type in ENTITY_FIELDS.items()
        for code in _CODE.findall(_field(record, field))
        if (name := clean(name_of(code.strip(), entity_type)))
    )
    return tuple(dict.fromkeys(tags))


def _published(text: str) -> date | None:
    match = _DATE.search(text)
    try:
        return date(int(match[3]), MONTHS.index(match[2]) + 1, int(match[1])) if match else None
    except ValueError:
        return None


def _field(record: str, name: str, attributes: str = "") -> str:
    start = record.find(opening := f"<{name}{attributes}>")
    stop = record.find(f"</{name}>", start)
    return record[start + len(opening) : stop] if 0 <= start < stop else ""


def _plain(text: str) -> str:
    return _REFERENCE.sub(lambda match: _NAMED[match[2]] if match[2] else chr(int(match[1])), text)
