"""What can be asked about phrases: whether they are good ones, how good, and which of an instance's is the best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from annotation.parts.text_follow_ups import all_texts, best_of, each_text, shown_again
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.cleaned import CleanedAnswer, Mark
from annotation.task_types.follow_ups import (
    ANSWER,
    AskedPiece,
    Columns,
    Confirmation,
    Context,
    GatheredPiece,
    Naming,
    NewItem,
)
from corpus.backgrounds.paragraphs import display_text
from corpus.frozen import FrozenInstance
from corpus.items.rows import FACET
from corpus.phrases import entities_phrase
from kernel.values import Json

VOTES = "votes"  # the rule that discards phrases which too few people confirm
NAMES = "names"
TITLE = "title"
READ: Context = ((TITLE, ""), (NAMES, "They are"), ("passage", "Passage"), ("backgrounds", "About them"))
YES_OR_NO: list[Json] = [{"id": "yes", "label": "Yes", "key": "y"}, {"id": "no", "label": "No", "key": "n"}]
SKIP = "I cannot tell"


def columns_of(instance: FrozenInstance) -> Columns:
    """Return an instance as columns of a row: what its annotators read."""
    pairs = zip(instance.entities, instance.backgrounds, strict=True)
    about = "\n\n".join(f"{name}: {display_text(own.text)}" for name, own in pairs if own)
    columns = {
        FACET: instance.entity_type,
        TITLE: instance.title,
        "passage": instance.context,
        NAMES: entities_phrase(instance.entities),
        "backgrounds": about,
    }
    return {name: text for name, text in columns.items() if text}


def _question(name: str, ask: str, help_: str) -> dict[str, Json]:
    return {"name": name, "kind": "choice", "ask": ask, "help": help_, "options": YES_OR_NO}


def _about_phrases(what: str) -> dict[str, Json]:
    return {
        "summary": f"Other people wrote a phrase that names several people, places or organizations together. {what}",
        "details": "- A good phrase is true of every one of them.\n- It says more than “the three people”.\n"
        "- It sounds natural.",
        "examples": "+ Passage about Anna Lind and Otto Brandt, botanists: “the two botanists” is a good phrase.\n"
        "x “the two people” is true, but says nothing about them.",
    }


class PhraseSource:
    """Reads phrases as releases count them."""

    def pieces(self, answer: CleanedAnswer) -> Iterable[AskedPiece]:
        return [AskedPiece(part.unit, part.display) for part in answer.parts if part.unit is not None]

    def without(self, answer: CleanedAnswer, units: Collection[str], why: str) -> CleanedAnswer:
        mark = Mark(VOTES, why)
        parts = tuple(
            replace(part, unit=None, marks=(*part.marks, mark)) if part.unit in units else part for part in answer.parts
        )
        if parts == answer.parts:
            return answer
        left = CleanedAnswer.of_parts("phrases", parts)
        return replace(left, reason=answer.reason, marks=answer.marks)


class AskAboutPhrases(PhraseSource):
    """What all follow-ups of phrases have in common."""

    label: ClassVar[str]
    instructions: ClassVar[dict[str, Json]]
    confirmation: ClassVar[Confirmation | None] = None
    headings: ClassVar[Mapping[str, str]] = {}

    def shown(self, context: Context, naming: Naming) -> list[Json]:
        """Return what people read: the title, then the phrase that they judge, then the rest."""
        above = [own for own in context if own[0] == TITLE]
        below = [own for own in context if own[0] != TITLE]
        return [*shown_again(above), {"text": naming.of(ANSWER), "label": "Phrase"}, *shown_again(below)]

    def parts(self, naming: Naming, most: int) -> list[Json]:
        raise NotImplementedError

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": self.label,
            "items": "rows",
            "show": self.shown(context, naming),
            "parts": self.parts(naming, most),
            "skip": SKIP,
            "instructions": self.instructions,
        }

    def invent(self, item: Any, unit: str, person: InventedPerson, rng: Random) -> dict[str, Json] | None:
        return None


class AskAboutEachPhrase(AskAboutPhrases):
    fewest = 1

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return each_text(columns, pieces, naming)


class JudgePhrases(AskAboutEachPhrase):
    name = "judge"
    label = "Judge each phrase"
    about = "For each different phrase: is it true of all of them, does it say enough, does it sound natural?"
    confirmation = Confirmation("is_true", "yes", pieces="phrases", called="true")
    headings: ClassVar[Mapping[str, str]] = {
        "is_true": "True of all",
        "is_enough": "Says enough",
        "is_natural": "Natural",
    }
    instructions: ClassVar[dict[str, Json]] = {
        "summary": "Other people wrote a phrase that names several people, places or organizations together. "
        "Read the passage and say whether the phrase is true of all of them, says enough and sounds natural.",
        "details": "- **True**: it is wrong if it does not fit a single one of them.\n- **Enough**: “the three "
        "people” says nothing about them; “the Swedish botanists” does.\n- **Natural**: grammar and wording, "
        "not whether it is true.\n- Answer each question by itself.",
        "examples": "+ Passage about Anna Lind and Otto Brandt, botanists: “the two botanists” – three yes\n"
        "x “the two people” – true and natural, but it does not say enough",
    }

    def parts(self, naming: Naming, most: int) -> list[Json]:
        return [
            _question("is_true", "Is the phrase true of all of them?", "By the passage and the texts about them."),
            _question(
                "is_enough",
                "Does the phrase say enough?",
                "It tells more than what they are, such as “people”, and fits what the passage says of them.",
            ),
            _question("is_natural", "Does the phrase sound natural?", "A newspaper could use it."),
        ]

    def invent(self, item: FrozenInstance, unit: str, person: InventedPerson, rng: Random) -> dict[str, Json] | None:
        from annotation.task_types.aggregation.judging_crowd import invented_judgement, right_judgement

        return invented_judgement(right_judgement(item, unit), person, rng)


class RatePhrases(AskAboutEachPhrase):
    name = "rate"
    label = "Rate each phrase"
    about = "For each different phrase: how good is it?"
    instructions: ClassVar[dict[str, Json]] = _about_phrases("Say how well it does that.")

    def parts(self, naming: Naming, most: int) -> list[Json]:
        return [
            {
                "name": "quality",
                "kind": "rating",
                "ask": "How well does this phrase name all of them?",
                "scale": ["very badly", "badly", "neither badly nor well", "well", "very well"],
            }
        ]


class ChooseBestPhrase(AskAboutPhrases):
    name = "choose"
    label = "Choose the best phrase"
    about = "Of all phrases of one instance: which is the best?"
    fewest = 2
    instructions: ClassVar[dict[str, Json]] = _about_phrases("You see several such phrases. Choose the best.")

    def shown(self, context: Context, naming: Naming) -> list[Json]:
        return shown_again(context)

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return all_texts(columns, pieces, naming)

    def parts(self, naming: Naming, most: int) -> list[Json]:
        return [best_of(naming, most, "Which phrase names all of them best?")]


FOLLOW_UPS: Sequence[Any] = (JudgePhrases(), RatePhrases(), ChooseBestPhrase())
