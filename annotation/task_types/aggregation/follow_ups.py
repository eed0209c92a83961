"""What can be asked about phrases: whether they are good ones, how good, and which of an instance's is the best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.parts.text_follow_ups import all_texts, best_of, each_text, shown_again
from annotation.task_types.cleaned import CleanedAnswer, Mark
from annotation.task_types.follow_ups import ANSWER, AskedPiece, Columns, Context, GatheredPiece, Naming, NewItem
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


@dataclass(frozen=True)
class JudgePhrases(PhraseSource):
    name: str = "judge"
    label: str = "Judge each phrase"
    about: str = "For each different phrase: is it true of all of them, does it say enough, does it sound natural?"
    fewest: int = 1

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return each_text(columns, pieces, naming)

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": "Judge each phrase",
            "items": "rows",
            "show": _shown(context, naming),
            "parts": [
                _question("is_true", "Is the phrase true of all of them?", "By the passage and the texts about them."),
                _question(
                    "is_enough",
                    "Does the phrase say enough?",
                    "It tells more than what they are, such as “people”, and fits what the passage says of them.",
                ),
                _question("is_natural", "Does the phrase sound natural?", "A newspaper could use it."),
            ],
            "skip": SKIP,
            "instructions": {
                "summary": "Other people wrote a phrase that names several people, places or organizations together. "
                "Read the passage and say whether the phrase is true of all of them, says enough and sounds natural.",
                "details": "- **True**: it is wrong if it does not fit a single one of them.\n- **Enough**: “the three "
                "people” says nothing about them; “the Swedish botanists” does.\n- **Natural**: grammar and wording, "
                "not whether it is true.\n- Answer each question by itself.",
                "examples": "+ Passage about Anna Lind and Otto Brandt, botanists: “the two botanists” – three yes\n"
                "x “the two people” – true and natural, but it does not say enough",
            },
        }


@dataclass(frozen=True)
class RatePhrases(PhraseSource):
    name: str = "rate"
    label: str = "Rate each phrase"
    about: str = "For each different phrase: how good is it?"
    fewest: int = 1

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return each_text(columns, pieces, naming)

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": "Rate each phrase",
            "items": "rows",
            "show": _shown(context, naming),
            "parts": [
                {
                    "name": "quality",
                    "kind": "rating",
                    "ask": "How well does this phrase name all of them?",
                    "scale": ["very badly", "badly", "neither badly nor well", "well", "very well"],
                }
            ],
            "skip": SKIP,
            "instructions": _about_phrases("Say how well it does that."),
        }


@dataclass(frozen=True)
class ChooseBestPhrase(PhraseSource):
    name: str = "choose"
    label: str = "Choose the best phrase"
    about: str = "Of all phrases of one instance: which is the best?"
    fewest: int = 2

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return all_texts(columns, pieces, naming)

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": "Choose the best phrase",
            "items": "rows",
            "show": shown_again(context),
            "parts": [best_of(naming, most, "Which phrase names all of them best?")],
            "skip": SKIP,
            "instructions": _about_phrases("You see several such phrases. Choose the best."),
        }


def _shown(context: Context, naming: Naming) -> list[Json]:
    """Return what people read: the title, then the phrase that they judge, then the rest."""
    above = [own for own in context if own[0] == TITLE]
    below = [own for own in context if own[0] != TITLE]
    return [*shown_again(above), {"text": naming.of(ANSWER), "label": "Phrase"}, *shown_again(below)]


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


FOLLOW_UPS: Sequence[Any] = (JudgePhrases(), RatePhrases(), ChooseBestPhrase())
