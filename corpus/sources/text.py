"""Plain UTF-8 text, no tags: one .txt file per article, the title on its first line, blank lines between paragraphs."""

from __future__ import annotations

from corpus.articles import SourceArticle
from corpus.sources.base import Document
from corpus.sources.files import DocumentSource
from corpus.sources.texts import clean, decode, paragraphs_of
from kernel.errors import InvalidInput


def parse_text(document: Document) -> SourceArticle:
    """Return the article of a file, or raise InvalidInput. Its id is its path within the corpus."""
    lines = iter(decode(document.content).splitlines())
    title = next((cleaned for line in lines if (cleaned := clean(line))), "")
    if not title:
        raise InvalidInput("the file is empty")
    return SourceArticle(document.name, title, paragraphs_of(lines), where=document.where)


TEXT = DocumentSource("text", (".txt",), parse_text)
