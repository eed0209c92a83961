"""A document with its key and its response beside each other: sentence by sentence, every mention with its chain.

A chain of the response has the number of the key chain that it has most mentions of. If several have the same, those
with fewer mentions of it get "3.2", "3.3"; one that shares nothing with the key gets "+1".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from annotation.task_types.coreference.document import CorefDocument, Span
from annotation.task_types.coreference.formats.words import sentences_of
from annotation.task_types.coreference.scoring.differences import ChainDifferences, differences_of
from annotation.task_types.coreference.scoring.matching import Matching, MentionMatching, match_mentions
from kernel.errors import InvalidInput

LONGEST = 300_000  # characters of a text that is shown
MOST_FRAGMENTS = 20_000  # pieces of mentions: one that crosses others or a sentence's end is shown in several


class MentionMark(StrEnum):
    """What is wrong with a mention. The value stands in class names."""

    NONE = ""
    MISSING = "missing"
    SPURIOUS = "spurious"
    LINKED = "linked"  # the other side has it in another chain
    OPTIONAL = "optional"  # the response need not mark it and does not: no error


@dataclass(frozen=True, slots=True)
class ShownMention:
    start: int
    end: int
    chain: str
    mark: MentionMark = MentionMark.NONE
    other: str = ""  # its chain on the other side, if that has another number; as many mentions may be in two chains
    number: int = 0  # of the difference, from 1

    @property
    def is_difference(self) -> bool:
        return self.mark not in {MentionMark.NONE, MentionMark.OPTIONAL}


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of text, or the place where a mention begins or ends, or goes on after an interruption."""

    text: str = ""
    opens: ShownMention | None = None
    closes: ShownMention | None = None
    is_interrupted: bool = False  # it began before, or goes on later


@dataclass(frozen=True, slots=True)
class ShownRow:
    number: int
    key: tuple[TextPiece, ...]
    response: tuple[TextPiece, ...]
    has_differences: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    rows: tuple[ShownRow, ...]
    differences: int  # how many mentions have one
    counts: ChainDifferences

    @property
    def different_rows(self) -> tuple[ShownRow, ...]:
        return tuple(row for row in self.rows if row.has_differences)


def side_by_side(key: CorefDocument, response: CorefDocument, matching: Matching) -> SideBySide:
    """Return a document in rows; key and response have the same text."""
    if len(key.text) > LONGEST:
        raise InvalidInput(f"this document has more than {LONGEST:,} characters, too many for a page", where=key.name)
    matched = match_mentions(key, response, matching)
    differences = differences_of(matched)
    spans = row_spans(key)
    starts = [start for start, _ in spans]
    sides = [
        [*_key_mentions(key, matched, differences)],
        [*_response_mentions(matched, differences)],
    ]
    numbered = _numbered(sides, starts)
    by_row = [_in_rows(mentions, starts, len(spans)) for mentions in numbered]
    if sum(len(row) for side in by_row for row in side) > MOST_FRAGMENTS:
        raise InvalidInput("this document has too many mentions for a page", where=key.name)
    rows = tuple(
        ShownRow(
            number,
            tuple(pieces_of(key.text, span, of_key)),
            tuple(pieces_of(key.text, span, of_response)),
            any(mention.is_difference for mention in (*of_key, *of_response)),
        )
        for number, (span, of_key, of_response) in enumerate(zip(spans, *by_row, strict=True), 1)
    )
    count = sum(mention.is_difference for side in numbered for mention in side)
    return SideBySide(rows, count, differences)


def row_spans(document: CorefDocument) -> list[Span]:
    """Return pieces that are the whole text together, each a sentence with the blanks behind it."""
    starts = sorted({sentence[0][0] for sentence in sentences_of(document)})
    return [*pairwise([0, *starts[1:], len(document.text)])]


def _key_mentions(
    key: CorefDocument, matched: MentionMatching, differences: ChainDifferences
) -> Iterator[ShownMention]:
    of_response = response_labels(differences)
    separated = {mention.span for mention in differences.separated}
    for number, chain in enumerate(matched.key):
        for mention in chain:
            other = matched.response_of.get(mention.span)
            if other is None:
                yield ShownMention(*mention.span, str(number + 1), MentionMark.MISSING)
            elif mention.span in separated:
                label = of_response[matched.response_chain_of[other]]
                other_chain = "" if label == str(number + 1) else label
                yield ShownMention(*mention.span, str(number + 1), MentionMark.LINKED, other_chain)
            else:
                yield ShownMention(*mention.span, str(number + 1))
    chain_of = _chains_of_optional(key, matched)
    for mention in matched.unmarked:
        yield ShownMention(*mention.span, chain_of.get(mention.span, "–"), MentionMark.OPTIONAL)


def _chains_of_optional(key: CorefDocument, matched: MentionMatching) -> Mapping[Span, str]:
    """Return the number of the chain that an unmarked mention was taken out of, if anything is left of it."""
    numbers: dict[Span, str] = {}
    for chain in key.chains:
        known = [matched.key_chain_of[mention.span] for mention in chain if mention.span in matched.key_chain_of]
        numbers |= {mention.span: str(known[0] + 1) for mention in chain if known}
    return numbers


def _response_mentions(matched: MentionMatching, differences: ChainDifferences) -> Iterator[ShownMention]:
    labels = response_labels(differences)
    wrong = {mention.span for mention in differences.wrongly_linked}
    for number, chain in enumerate(matched.response):
        for mention in chain:
            other = matched.key_of.get(mention.span)
            if other is None:
                yield ShownMention(*mention.span, labels[number], MentionMark.SPURIOUS)
            elif mention.span in wrong:
                chain_of_key = str(matched.key_chain_of[other] + 1)
                yield ShownMention(*mention.span, labels[number], MentionMark.LINKED, chain_of_key)
            else:
                yield ShownMention(*mention.span, labels[number])


def response_labels(differences: ChainDifferences) -> list[str]:
    """Return what each chain of the response is called."""
    sizes: dict[int, list[tuple[int, int]]] = {}  # key chain → (minus the mentions of it, response chain)
    labels: dict[int, str] = {}
    for number, chain in enumerate(differences.response_chains):
        largest = chain.parts[0]
        if largest.chain is None:
            labels[number] = f"+{len(labels) + 1}"
        else:
            sizes.setdefault(largest.chain, []).append((-len(largest.mentions), number))
    for of_key, chains in sizes.items():
        for place, (_, number) in enumerate(sorted(chains), 1):
            labels[number] = str(of_key + 1) if place == 1 else f"{of_key + 1}.{place}"
    return [labels[number] for number in range(len(differences.response_chains))]


def _numbered(sides: Sequence[Sequence[ShownMention]], starts: Sequence[int]) -> list[list[ShownMention]]:
    """Return the mentions of each side, differences numbered as they are read: row by row, the key first."""
    order = sorted(
        (bisect_right(starts, mention.start), side, mention.end, -mention.start, place)
        for side, mentions in enumerate(sides)
        for place, mention in enumerate(mentions)
        if mention.is_difference
    )
    numbered = [[*mentions] for mentions in sides]
    for number, (_, side, _, _, place) in enumerate(order, 1):
        numbered[side][place] = replace(numbered[side][place], number=number)
    return numbered


def _in_rows(mentions: Iterable[ShownMention], starts: Sequence[int], rows: int) -> list[list[ShownMention]]:
    """Return the mentions that each row shows something of."""
    by_row: list[list[ShownMention]] = [[] for _ in range(rows)]
    count = 0
    for mention in mentions:
        first = bisect_right(starts, mention.start) - 1
        last = max(first, bisect_right(starts, mention.end - 1) - 1)
        count += last - first
        if count > MOST_FRAGMENTS:
            raise InvalidInput("this document has too many long mentions for a page")
        for row in by_row[first : last + 1]:
            row.append(mention)
    return by_row


def pieces_of(text: str, row: Span, mentions: Sequence[ShownMention]) -> Iterator[TextPiece]:
    """Yield the pieces of a row. Mentions nest; one that crosses another is interrupted."""
    places = sorted({*row, *(min(max(place, row[0]), row[1]) for m in mentions for place in (m.start, m.end))})
    waiting = sorted(mentions, key=lambda mention: (-max(mention.start, row[0]), mention.end))
    opened: list[ShownMention] = []
    for place, following in pairwise([*places, row[1]]):
        again: list[ShownMention] = []
        while any(mention.end <= place for mention in opened) or (place == row[1] and opened):
            mention = opened.pop()
            yield TextPiece(closes=mention, is_interrupted=mention.end > place)
            again += [mention] if mention.end > place and place < row[1] else []
        for mention in reversed(again):
            opened.append(mention)
            yield TextPiece(opens=mention, is_interrupted=True)
        while waiting and max(waiting[-1].start, row[0]) <= place and place < row[1]:
            mention = waiting.pop()
            opened.append(mention)
            yield TextPiece(opens=mention, is_interrupted=mention.start < row[0])
        if place < following:
            yield TextPiece(text[place:following])
