"""Plain text: one .txt file per article, with the title on the first line and blank lines between paragraphs."""

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
    """Files of plain UTF-8 text, without tags."""

    name: ClassVar[str] = "text"

    def units(self, path: Path) -> Iterator[Unit]:
        return document_units(path, SUFFIXES)

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        return read_documents(unit, SUFFIXES, parse_text)


TEXT = TextSource()


def parse_text(document: Document) -> SourceArticle:
    """Return the article of a file, or raise InvalidInput. Its id is its path within the corpus."""
    lines = iter(decode(document.content).splitlines())
    title = next((cleaned for line in lines if (cleaned := clean(line))), "")
    if not title:
        raise InvalidInput("the file is empty")
    return SourceArticle(document.name, title, paragraphs_of(lines), where=document.where)
