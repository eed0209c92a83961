"""A document and the chains of mentions in it, whatever file it was read from."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

Span = tuple[int, int]  # code points of a document's text; the end is exclusive


@dataclass(frozen=True, slots=True)
class ChainMention:
    """A piece of the document's text, in Unicode code points; `end` is exclusive.

    Mentions are equal if they mark the same text alike, whatever their file calls them.
    """

    start: int
    end: int
    least: Span | None = None  # MIN of MUC-6: the part that a response must contain; None: all of it
    is_optional: bool = False  # OPT of MUC-6: a response may leave it out
    pieces: tuple[Span, ...] = ()  # of a discontinuous mention; start and end then enclose them
    id: str = field(default="", compare=False)  # its name in the file
    ref: str = field(default="", compare=False)  # REF of MUC-6: the id of the mention it refers to in the file
    entity: str = field(default="", compare=False)  # the number or name of its chain in the file
    attributes: tuple[tuple[str, str], ...] = field(default=(), compare=False)  # what else the file says about it

    @property
    def span(self) -> Span:
        return self.start, self.end


Chain = tuple[ChainMention, ...]  # mentions of one thing, in the order of the text


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the text that is annotated. Locked lines in it are not."""

    name: str
    start: int
    end: int
    locked: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceText:
    """What a file says of one document, as it stands there, so that it can be written again without a change."""

    format: str
    file: str
    content: str
    encoding: str = "utf-8"
    text_encoding: str = "utf-8"  # of the text, where that stands in a file of its own


@dataclass(frozen=True)
class CorefDocument:
    """A text with chains. A mention is in one chain; a chain of one mention is allowed."""

    name: str
    text: str
    chains: tuple[Chain, ...] = ()
    zones: tuple[Zone, ...] = ()  # in the order of the text; none: all of it may be annotated
    sentences: tuple[tuple[Span, ...], ...] = ()  # the words of each sentence, if the file separates them
    part: str = ""  # the part number of a CoNLL file, as it stands there
    source: SourceText | None = field(default=None, compare=False, repr=False)

    def may_hold(self, start: int, end: int) -> bool:
        """Say whether a piece of the text lies in one zone and touches none of its locked lines."""
        if not self.zones:
            return True
        at = bisect_right(self.zones, start, key=lambda zone: zone.start) - 1
        if at < 0 or end > self.zones[at].end:
            return False
        locked = self.zones[at].locked
        following = bisect_right(locked, start, key=lambda span: span[1])
        return following == len(locked) or locked[following][0] >= end
