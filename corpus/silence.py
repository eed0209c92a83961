"""Why an article has no instance, as a value to count and as a sentence to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from corpus.articles import SourceArticle
from corpus.entities import EntityValue
from corpus.instances import ArticleFindings


class Silence(StrEnum):
    """The first step of a search after which nothing was left. Values are stored: never rename one."""

    NO_TEXT = "no_text"
    UNTAGGED = "untagged"
    ONLY_WRITERS = "only_writers"
    TOO_FEW = "too_few"
    NOT_MENTIONED = "not_mentioned"
    FAR_APART = "far_apart"


# Labels for lists of articles, and sentences for a single article.
LABELS = {
    Silence.NO_TEXT: "No text",
    Silence.UNTAGGED: "No names, tagged or recognized",
    Silence.ONLY_WRITERS: "No names but those of the writers",
    Silence.TOO_FEW: "Fewer than two entities of one type",
    Silence.NOT_MENTIONED: "Fewer than two entities of one type named in the text",
    Silence.FAR_APART: "Entities of one type named too far apart",
}
SENTENCES = {
    Silence.NO_TEXT: "It has no text.",
    Silence.UNTAGGED: "Its publisher tagged no names.",
    Silence.ONLY_WRITERS: "Its only tagged names are those of its writers.",
    Silence.TOO_FEW: "It has fewer than two entities of one type.",
    Silence.NOT_MENTIONED: "Its text names fewer than two entities of one type.",
    Silence.FAR_APART: "No passage of prose, with as many sentences as entities, names two entities of one type.",
}


def why_none(article: SourceArticle, entities: Iterable[EntityValue], findings: ArticleFindings) -> Silence | None:
    """Return why an article has no instance; None if it has one."""
    entities = list(entities)
    if findings.instances:
        return None
    if not (article.paragraphs or article.abstract):
        return Silence.NO_TEXT
    if not article.tags:
        return Silence.UNTAGGED
    if not entities:
        return Silence.ONLY_WRITERS
    if not _has_two(entities):
        return Silence.TOO_FEW
    return Silence.FAR_APART if _has_two(findings.mentioned) else Silence.NOT_MENTIONED


def _has_two(entities: Iterable[EntityValue]) -> bool:
    """Return whether two of the entities are of one type."""
    return any(count > 1 for count in Counter(entity.type for entity in entities).values())
