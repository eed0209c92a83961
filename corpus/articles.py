"""The content of a newspaper archive as values: an article and the names its publisher tagged it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from kernel.values import content_hash


class EntityType(StrEnum):
    """The three kinds of named entity we aggregate. Values are stored and exported: never rename one."""

    PERSON = "person"
    LOCATION = "location"
    ORGANIZATION = "organization"


@dataclass(frozen=True)
class Tag:
    """A name as it is written in the publisher's index ("Bush, George W (Pres)"), and who tagged it."""

    text: str
    type: EntityType
    origin: str = ""  # NITF's class attribute ("indexing_service", "online_producer"), or the name of the source

    def to_json(self) -> dict[str, str]:
        return {"text": self.text, "type": self.type.value, "origin": self.origin}


@dataclass(frozen=True)
class SourceArticle:
    """One document as a source delivers it. Texts are clean: no markup, no NUL, single spaces, NFC."""

    source_id: str  # the publisher's own id, unique within one corpus
    title: str
    paragraphs: tuple[str, ...]  # the body, without the repeated lead
    abstract: str = ""
    headline: str = ""
    lead: str = ""
    byline: str = ""
    desk: str = ""
    published: date | None = None
    tags: tuple[Tag, ...] = ()
    where: str = field(default="", compare=False)  # the path (and archive member or line) it was read from

    def content_hash(self) -> str:
        """Return the hash of the content; `where` is not part of it."""
        return content_hash(
            {
                "source_id": self.source_id,
                "title": self.title,
                "paragraphs": list(self.paragraphs),
                "abstract": self.abstract,
                "headline": self.headline,
                "lead": self.lead,
                "byline": self.byline,
                "desk": self.desk,
                "published": self.published.isoformat() if self.published else None,
                "tags": [[tag.text, tag.type.value, tag.origin] for tag in self.tags],
            }
        )
