"""Mentions of a text carried over to another version of it, widened to whole words there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.linking.alignment import Alignment, align
from annotation.linking.links import ID
from corpus.items.mentions import KnownMention, joined_mentions
from corpus.items.texts import TWIN, FrozenText
from kernel.values import Json

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class Projected:
    """A mention and where it lies in the other text; None if nothing of it is there."""

    mention: KnownMention
    start: int | None = None
    end: int | None = None

    @property
    def image(self) -> KnownMention | None:
        if self.start is None or self.end is None:
            return None
        return KnownMention(self.start, self.end, self.mention.pages, self.mention.ids)


def project(text: str, other: str, mentions: Iterable[KnownMention]) -> list[Projected]:
    """Return each mention of `text` with its place in `other`."""
    alignment, tokens = align(text, other), [match.span() for match in _TOKEN.finditer(other)]
    return [_projected(mention, alignment, text, tokens) for mention in mentions]


def _projected(mention: KnownMention, alignment: Alignment, text: str, tokens: list[tuple[int, int]]) -> Projected:
    letters = range(mention.start, mention.end)
    if not any(alignment.kept[place] and not text[place].isspace() for place in letters):
        return Projected(mention)
    start, end = alignment.offsets[mention.start], alignment.offsets[mention.end]
    if mention.end == len(text):  # what comes behind the last letter there is no part of the mention
        end = 1 + max(alignment.offsets[place] for place in letters if alignment.kept[place])
    touched = [token for token in tokens if token[0] < end and start < token[1]]
    return Projected(mention, touched[0][0], touched[-1][1]) if touched else Projected(mention)


def projected_text(text: FrozenText, source: str) -> tuple[dict[str, Json], list[KnownMention]]:
    """Return the twin of a text as a row of a file, with its mentions, and the mentions that have no image there.

    The twin names the text by its id, or its key, and has it as its own twin.
    """
    projected = project(text.text, text.twin, text.mentions)
    images = [own.image for own in projected if own.image]
    name = text.extra.get(ID, text.key)
    row: dict[str, Json] = {ID: name, "text": text.twin, "title": text.title, "source": source, TWIN: text.text}
    row |= {"topic": text.topic} if text.topic else {}
    row |= {"mentions": [own.to_json() for own in joined_mentions(images)], "group": text.group}
    return row, [own.mention for own in projected if own.image is None]
