"""What somebody types to try a trained run, and what the run answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.dataset import Candidate, RankingTask
from modeling.generations import mark
from modeling.items import Item

KEY = "trial"
SIZES = range(2, 7)  # entities
MOST_CANDIDATES = 100
LONGEST_PHRASE = 200  # characters of a name or a candidate
LONGEST_TEXT = 20_000  # characters of the text, and of all backgrounds together


@dataclass(frozen=True)
class Question:
    """Entities with their backgrounds, a text, and phrases to rank."""

    entity_type: str
    entities: tuple[str, ...]
    backgrounds: tuple[str, ...]  # one per entity; "" if there is none
    title: str
    text: str
    candidates: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {name: [*value] if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def task(self) -> RankingTask:
        item = Item(
            key=KEY,
            group="",
            corpus="",
            article_id="",
            date=None,
            entity_type=EntityType(self.entity_type),
            entities=self.entities,
            kind=next(iter(ContextKind)),
            title=self.title,
            context=self.text,
            mentions=(),
            backgrounds=self.backgrounds,
            golds=(),
            answers=(),
        )
        return RankingTask(item, tuple(Candidate(phrase, 0) for phrase in self.candidates))


def question_from(values: Mapping[str, Json]) -> Question:
    """Return the question that `to_json` wrote."""
    lists = [tuple(map(str, _list(values.get(name)))) for name in ("entities", "backgrounds", "candidates")]
    entity_type, title, text = (str(values.get(name) or "") for name in ("entity_type", "title", "text"))
    return Question(entity_type, lists[0], lists[1], title, text, lists[2])


def question_of(
    entity_type: str, *, entities: str, backgrounds: str, title: str, text: str, candidates: str
) -> Question:
    """Return the question of what was typed, one entity, background or candidate per line.

    Raise InvalidInput with the field that cannot be used.
    """
    names, phrases = _lines(entities), list(dict.fromkeys(_lines(candidates)))
    known = [" ".join(line.split()) for line in backgrounds.rstrip().splitlines()]
    if len(names) not in SIZES:
        problem = f"write {SIZES[0]} to {SIZES[-1]} entities, one per line; there are {len(names)}"
        raise InvalidInput(problem, field="entities")
    if len({name.casefold() for name in names}) < len(names):
        raise InvalidInput("an entity is there twice", field="entities")
    if len(known) > len(names):
        problem = f"there are {len(known)} lines for {len(names)} entities: write one line for each, or leave it empty"
        raise InvalidInput(problem, field="backgrounds")
    if len(phrases) > MOST_CANDIDATES:
        raise InvalidInput(f"{MOST_CANDIDATES} phrases at most; there are {len(phrases)}", field="candidates")
    for field, values in (("entities", names), ("candidates", phrases)):
        if any(len(value) > LONGEST_PHRASE for value in values):
            raise InvalidInput(f"a line is longer than {LONGEST_PHRASE} characters", field=field)
    for field, value in (("text", text), ("backgrounds", backgrounds)):
        if len(value) > LONGEST_TEXT:
            raise InvalidInput(f"longer than {LONGEST_TEXT:,} characters", field=field)
    backgrounds_of = (*known, *[""] * (len(names) - len(known)))
    texts = (" ".join(title.split()), " ".join(text.split()))
    return Question(entity_type, tuple(names), backgrounds_of, *texts, tuple(phrases))


def answer_of(
    task: RankingTask, scores: Sequence[float], phrases: Sequence[tuple[str, float]] | None
) -> dict[str, Json]:
    """Return ranked candidates and generated phrases, both the best first. `generated` is null without any."""
    ranked = sorted(zip(task.phrases, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))
    generated = None if phrases is None else mark(task.item, "test", phrases).to_json()["phrases"]
    return {"ranked": [[phrase, float(score)] for phrase, score in ranked], "generated": generated}


def _lines(text: str) -> list[str]:
    return [stripped for line in text.splitlines() if (stripped := " ".join(line.split()))]


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
