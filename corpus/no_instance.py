"""Why an article has no instance, as a value to count and as a sentence to show."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from corpus.articles import SourceArticle
from corpus.entities import EntityValue
from corpus.instances import ArticleFindings, has_two


class NoInstance(StrEnum):
    """The first step of a search after which nothing was left. Values are stored: never rename one."""

    NO_TEXT = "no_text"
    UNTAGGED = "untagged"
    ONLY_WRITERS = "only_writers"
    TOO_FEW = "too_few"
    NOT_MENTIONED = "not_mentioned"
    FAR_APART = "far_apart"


# Labels for lists of articles, and sentences for a single article.
LABELS = {
    NoInstance.NO_TEXT: "No text",
    NoInstance.UNTAGGED: "No names, tagged or recognized",
    NoInstance.ONLY_WRITERS: "No names but those of the writers",
    NoInstance.TOO_FEW: "Fewer than two entities of one type",
    NoInstance.NOT_MENTIONED: "Fewer than two entities of one type named in the text",
    NoInstance.FAR_APART: "Entities of one type named too far apart",
}
SENTENCES = {
    NoInstance.NO_TEXT: "It has no text.",
    NoInstance.UNTAGGED: "It has no names, tagged or recognized.",
    NoInstance.ONLY_WRITERS: "Its only tagged names are those of its writers.",
    NoInstance.TOO_FEW: "It has fewer than two entities of one type.",
    NoInstance.NOT_MENTIONED: "Its text names fewer than two entities of one type.",
    NoInstance.FAR_APART: "No passage of prose, with as many sentences as entities, names two entities of one type.",
}


def why_none(article: SourceArticle, entities: Sequence[EntityValue], findings: ArticleFindings) -> NoInstance | None:
    """Return why an article has no instance; None if it has one."""
    if findings.instances:
        return None
    if not (article.paragraphs or article.abstract):
        return NoInstance.NO_TEXT
    if not article.tags:
        return NoInstance.UNTAGGED
    if not entities:
        return NoInstance.ONLY_WRITERS
    if not findings.is_tagged:
        return NoInstance.TOO_FEW
    return NoInstance.FAR_APART if has_two(findings.mentioned) else NoInstance.NOT_MENTIONED
