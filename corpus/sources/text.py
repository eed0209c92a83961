"""Plain text: one .txt file an article, the title on its first line, blank lines between paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpus.articles import SourceArticle
from corpus.sources.base import Problem, Unit
from corpus.sources.files import Document, document_units, read_documents
from corpus.sources.texts import clean, decode, paragraphs_of
from tesa_site.kernel.errors import InvalidInput

SUFFIXES = (".txt",)


class TextSource:
    """Files of plain UTF-8 text, which carry no tags."""

    name: ClassVar[str] = "text"

    def units(self, path: Path) -> Iterator[Unit]:
        return document_units(path, SUFFIXES)

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        return read_documents(unit, SUFFIXES, parse_text)


TEXT = TextSource()


def parse_text(document: Document) -> SourceArticle:
    """Return the article of one file, or raise InvalidInput. Its path within the corpus is its id."""
    lines = iter(decode(document.content).splitlines())
    title = next((cleaned for line in lines if (cleaned := clean(line))), "")
    if not title:
        raise InvalidInput("the file is empty")
    return SourceArticle(document.name, title, paragraphs_of(lines), where=document.where)
