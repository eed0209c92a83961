"""Mark the mentions of a text with ‹…›, so that tests can write what they expect as text."""

from __future__ import annotations

from corpus.mentions import Mention, Named, build_index, find_mentions
from corpus.sentences import split_paragraphs

PARAGRAPH_END = "\n"


def mentions(text: str, *named: Named) -> tuple[Mention, ...]:
    paragraphs = text.split(PARAGRAPH_END)
    return find_mentions(build_index(named), paragraphs, split_paragraphs(paragraphs))


def marked(text: str, *named: Named) -> str:
    """Return the text with ‹…› around each mention; a line break in the text begins a new paragraph."""
    paragraphs = text.split(PARAGRAPH_END)
    for mention in reversed(mentions(text, *named)):
        own = paragraphs[mention.paragraph]
        paragraphs[mention.paragraph] = (
            f"{own[: mention.start]}‹{own[mention.start : mention.end]}›{own[mention.end :]}"
        )
    return PARAGRAPH_END.join(paragraphs)


def unmarked(text: str) -> str:
    return text.replace("‹", "").replace("›", "")
