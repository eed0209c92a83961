"""What becomes of texts between their file and a sample: a topic, twins, sentences, and so many of each source."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, TypeAlias

from corpus.items.mentions import KnownMention, mentions_text
from corpus.items.texts import DOCUMENT, LONGEST_TOPIC, MENTIONS, START, TEXT, TOPIC, TWIN, FrozenText
from corpus.sentences import split_sentences
from corpus.sources.base import Problem
from kernel.errors import InvalidInput
from kernel.values import Json, content_hash, storable

ID = "id"  # the column by which a text and its twin are matched
MOST_EACH = 1_000_000
MOST_SEED = 2**63
LEAST_WORDS_ALIKE = 0.2  # of the longer text; below this and the next limit, a twin belongs to another text
LEAST_SIGNS_ALIKE = 0.5
FEWEST_WORDS = 5  # shorter texts are not compared
LONGEST_COMPARED = 2_000  # characters
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
_WORD = re.compile(r"\w+")
TextOrProblem: TypeAlias = FrozenText | Problem


@dataclass(frozen=True)
class Preparing:
    """What to do with the texts of a file."""

    topic: str = ""  # of texts that have none of their own
    sentences: bool = False  # make each sentence a text of its own
    each: int = 0  # texts of each source, drawn at random; 0: all
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.topic) > LONGEST_TOPIC:
            raise InvalidInput(f"must have at most {LONGEST_TOPIC} characters", field="topic")
        if not 0 <= self.each <= MOST_EACH:
            raise InvalidInput(f"must be between 0 and {MOST_EACH:,}", field="each")
        if not -MOST_SEED <= self.seed < MOST_SEED:
            raise InvalidInput("must be a whole number of at most 18 digits", field="seed")

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Preparing:
        topic = storable(value.get("topic", "")).strip()
        return cls(topic, value.get("sentences", False), value.get("each", 0), value.get("seed", 0))

    def to_json(self) -> dict[str, Json]:
        return dict(vars(self))

    @property
    def does_nothing(self) -> bool:
        return self == replace(Preparing(), seed=self.seed)


def prepared(
    read: Callable[[], Iterable[TextOrProblem]], how: Preparing, twins: Mapping[str, str] | None = None
) -> Iterator[TextOrProblem]:
    """Yield the texts of a file as a sample holds them, or why one cannot be used; `read` reads the file anew."""

    def texts() -> Iterator[TextOrProblem]:
        for item in read():
            yield from [item] if isinstance(item, Problem) else _prepared(item, how, twins)

    chosen = _drawn(texts(), how) if how.each else None
    for item in texts():
        if isinstance(item, Problem) or chosen is None or item.key in chosen:
            yield item


def _prepared(text: FrozenText, how: Preparing, twins: Mapping[str, str] | None) -> Iterator[TextOrProblem]:
    try:
        if how.topic and not text.topic:
            text = _with(text, {TOPIC: how.topic})
        if twins is not None:
            text = _with(text, {TWIN: _twin(text, twins)})
        if how.sentences and text.twin:
            raise InvalidInput("has a twin, whose sentences are not known: divide both into sentences before")
        yield from sentences_of(text) if how.sentences else [text]
    except InvalidInput as error:
        yield Problem(f"the text “{TEXT.title(text)[:60]}”", error.message)


def _with(text: FrozenText, columns: Mapping[str, Json]) -> FrozenText:
    """Return a text with further columns; its key and group follow what it says then."""
    row: dict[str, Json] = {**text.to_json(), "extra": {**text.extra, **columns}}
    stale = ("key",) if text.group != text.key else ("key", "group")
    return TEXT.from_row({name: value for name, value in row.items() if name not in stale})


# ---- Twins ----------------------------------------------------------------------------------------


def _twin(text: FrozenText, twins: Mapping[str, str]) -> str:
    """Return the twin of a text; raise InvalidInput if there is none, or if it says something else."""
    name = str(text.extra.get(ID, ""))
    if not name:
        raise InvalidInput("needs an id, by which its twin is recognized", field=ID)
    if name not in twins:
        raise InvalidInput(f"the file of twins has no text with the id {name[:60]}", field=ID)
    check_twin(text.text, twins[name])
    return twins[name]


def check_twin(text: str, twin: str) -> None:
    """Raise InvalidInput if a twin clearly belongs to another text."""
    here, there = (Counter(_WORD.findall(own[:LONGEST_COMPARED].lower())) for own in (text, twin))
    if min(here.total(), there.total()) < FEWEST_WORDS:
        return
    alike = (here & there).total() / max(here.total(), there.total())
    if alike >= LEAST_WORDS_ALIKE:
        return
    signs = SequenceMatcher(None, text[:LONGEST_COMPARED].lower(), twin[:LONGEST_COMPARED].lower(), autojunk=False)
    if signs.ratio() < LEAST_SIGNS_ALIKE:
        raise InvalidInput(f"its twin seems to be of another text: “{twin[:60]}”", field=TWIN)


def twins_of(items: Iterable[TextOrProblem]) -> dict[str, str]:
    """Return the texts of a file of twins by their ids; raise InvalidInput for the first that cannot be used."""
    twins: dict[str, str] = {}
    for number, item in enumerate(items, 1):
        if isinstance(item, Problem):
            raise InvalidInput(f"{item.where}: {item.reason}", field="twins")
        name = str(item.extra.get(ID, ""))
        if not name:
            raise InvalidInput(f"text {number} needs an id, by which it is recognized", field="twins")
        if name in twins:
            raise InvalidInput(f"two texts have the id {name[:60]}", field="twins")
        twins[name] = item.text
    return twins


# ---- Sentences ------------------------------------------------------------------------------------


def sentences_of(text: FrozenText) -> Iterator[FrozenText]:
    """Yield each sentence as a text that knows its document and where it begins there.

    All sentences of a document are one group. A sentence does not end inside a mention.
    """
    document = str(text.extra.get(DOCUMENT) or text.extra.get(ID) or text.key)
    for start, end in sentence_spans(text.text, text.mentions):
        own: dict[str, Json] = {name: value for name, value in text.extra.items() if name not in (MENTIONS, ID)}
        own |= {DOCUMENT: document, START: start}
        inside = [mention for mention in text.mentions if start <= mention.start and mention.end <= end]
        if inside:
            moved = [replace(mention, start=mention.start - start, end=mention.end - start) for mention in inside]
            own[MENTIONS] = mentions_text(moved)
        row = {**text.to_json(), "text": text.text[start:end], "extra": own}
        yield TEXT.from_row({name: value for name, value in row.items() if name != "key"})


def sentence_spans(text: str, mentions: Iterable[KnownMention] = ()) -> list[tuple[int, int]]:
    """Return where each sentence of a text with paragraphs begins and ends; what a mention joins is one sentence."""
    starts = [0, *(match.end() for match in _PARAGRAPH_BREAK.finditer(text)), len(text)]
    spans = [
        (start + own, start + end) for start, stop in pairwise(starts) for own, end in split_sentences(text[start:stop])
    ]
    for mention in mentions:
        touched = [span for span in spans if span[0] < mention.end and mention.start < span[1]]
        if len(touched) > 1:
            joined = (touched[0][0], touched[-1][1])
            spans = sorted([*(span for span in spans if span not in touched), joined])
    return spans


# ---- So many of each source -----------------------------------------------------------------------


def _drawn(items: Iterable[TextOrProblem], how: Preparing) -> set[str]:
    """Return the keys of the texts that are drawn: of each source those whose hash with the seed is lowest."""
    drawn: dict[str, tuple[list[tuple[int, str]], set[str]]] = {}
    for item in items:
        if isinstance(item, Problem):
            continue
        heap, members = drawn.setdefault(item.source, ([], set()))
        if item.key in members:  # the file has it twice
            continue
        heapq.heappush(heap, (-int(content_hash([how.seed, item.key])[:16], 16), item.key))
        members.add(item.key)
        if len(heap) > how.each:
            members.remove(heapq.heappop(heap)[1])
    return {key for _, members in drawn.values() for key in members}
