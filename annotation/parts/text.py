"""A text that people write: one line or several."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from pydantic import Field as Option
from pydantic import model_validator

from annotation.parts.base import NO_TEXTS, Part, PartOptions, Prompt, says_the_usual, usual
from annotation.parts.text_follow_ups import ChooseBest, RateTexts
from annotation.parts.words import listed, same_words, shortened
from annotation.quality.series import Labels, Scale, SeriesOf
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import EMPTY, FieldRemark, JsonObject
from annotation.task_types.consensus_rules import (
    HIGHEST_COUNT,
    NO_ESTIMATES,
    ChosenRule,
    Estimate,
    RuleNumber,
    RuleOffer,
)
from annotation.task_types.follow_ups import FollowUpKind
from kernel.fields import NUMBER, Field
from kernel.values import Json

MOST_CHARACTERS = 20_000
MOST_IN_A_LINE = 160  # characters of a text in a list
SUPPORT = Field("support", "how many annotations gave a text of the same words", NUMBER)
LEAST_SUPPORT = RuleNumber(
    "least_support", "Minimum people who wrote the same words", 1, 1, HIGHEST_COUNT, is_whole=True
)
CLUSTERS = RuleOffer(
    "clusters",
    "Texts of the same words, with their support",
    "texts of the same words with a support of at least {least_support}",
    (LEAST_SUPPORT,),
)


class TextOptions(PartOptions):
    lines: int = Option(default=1, ge=1, le=30, description="height of the field")
    shortest: int = Option(default=1, ge=1, le=MOST_CHARACTERS, description="characters of the shortest answer")
    longest: int = Option(default=300, ge=1, le=MOST_CHARACTERS, description="characters of the longest answer")
    must_contain: list[str] = Option(default=[], max_length=20, description="words it must contain")
    must_not_contain: list[str] = Option(
        default=[], max_length=50, description="words that the answer must not contain"
    )
    starts_as: str = Option(default="", max_length=200, description="the item's text that the field holds at first")

    @model_validator(mode="before")
    @classmethod
    def _as_long_as_it_starts(cls, values: Any) -> Any:
        """Let a field that holds a text at first hold any text, unless the description limits it."""
        is_open = isinstance(values, dict) and values.get("starts_as") and "longest" not in values
        return {**values, "longest": MOST_CHARACTERS} if is_open else values

    @model_validator(mode="after")
    def _shortest_before_longest(self) -> TextOptions:
        if self.shortest > self.longest:
            raise ValueError(f"“shortest” ({self.shortest}) is more than “longest” ({self.longest})")
        if any(not word.strip() for word in (*self.must_contain, *self.must_not_contain)):
            raise ValueError("a word that answers must or must not contain is empty")
        return self


class TextPart(Part):
    kind: ClassVar[str] = "text"
    options_model: ClassVar[type[PartOptions]] = TextOptions

    def columns(self, options: TextOptions) -> Sequence[str]:
        return (options.starts_as,) if options.starts_as else ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        return not tidied(form.get(asked.field(), ""))

    def missing(self, asked: Prompt) -> FieldRemark:
        return asked.refuse(EMPTY, "Please write an answer.")

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        options, text = asked.options, tidied(form.get(asked.field(), ""))
        if len(text) > options.longest:
            return [asked.refuse("long", f"This is {len(text):,} characters long; {options.longest:,} are allowed.")]
        if len(text) < options.shortest:
            return [asked.refuse("short", f"Please write at least {options.shortest:,} characters.")]
        if lacking := [word for word in options.must_contain if not _contains(text, word)]:
            return [asked.refuse("lacks", f"The answer must contain {listed(lacking)}.")]
        if forbidden := [word for word in options.must_not_contain if _contains(text, word)]:
            return [asked.refuse("forbidden", f"The answer must not contain {listed(forbidden, 'or')}.")]
        if options.starts_as and text == tidied(asked.texts.get(options.starts_as, "")):
            return [asked.ask("unchanged", "You have not changed the text. Submit it as it is?")]
        return []

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        return tidied(form.get(asked.field(), ""))

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        return {asked.field(): value}

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        options = asked.options
        text = form.get(asked.field(), asked.texts.get(options.starts_as, ""))
        return {"lines": options.lines, "longest": options.longest, "text": text}

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        return shortened(value, MOST_IN_A_LINE)

    def series(self, name: str, options: TextOptions) -> Sequence[SeriesOf]:
        return (SeriesOf(name, "item", Scale.TEXT, closeness=word_f1),)

    def labels(self, name: str, options: TextOptions, value: Any) -> Mapping[str, Labels]:
        return {name: value}

    def closeness(self, options: TextOptions, left: Any, right: Any) -> float:
        return word_f1(left, right)

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        return f"We would have written “{self.line(asked, known)}”."

    def known(self, options: TextOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        return tidied(value) if isinstance(value, str) else value

    def repeatable(self, options: TextOptions, value: Any) -> Sequence[str]:
        return (same_words(value)[:MOST_IN_A_LINE],)

    # ---- Follow-ups

    def follow_ups(self, name: str, options: Any) -> Sequence[FollowUpKind]:
        return (RateTexts(name, options.ask), ChooseBest(name, options.ask))

    # ---- Files

    def answer_type(self, name: str, about: str, options: TextOptions) -> Field:
        return Field(name, about)

    def rules(self, options: TextOptions) -> Sequence[RuleOffer]:
        return (CLUSTERS,)

    def consensus(
        self,
        options: TextOptions,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        """Return the texts, those of the same words together, the most frequent first, as it was first written."""
        first: dict[str, str] = {}
        for value in values:
            first.setdefault(same_words(value), value)
        votes = Counter(map(same_words, values))
        ordered = sorted(first, key=lambda words: -votes[words])  # stable: the first written comes first
        if rule is None:
            return [{"text": first[words], "support": votes[words]} for words in ordered]
        if len(values) < rule.least_answers:
            return None
        kept = [words for words in ordered if votes[words] >= rule.numbers[LEAST_SUPPORT.name]]
        return [{"text": first[words], "support": votes[words], "rule": rule.name} for words in kept]

    def consensus_type(self, name: str, about: str, options: TextOptions, rule: ChosenRule | None = None) -> Field:
        fields = (Field("text", about), SUPPORT, *self.rule_fields(options, rule))
        return Field(name, about, fields=fields, many=True)

    def consensus_line(self, options: TextOptions, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        if not agreed:
            return "no text with enough support"
        return " · ".join(f"{' '.join(own['text'].split())[:MOST_IN_A_LINE]} × {own['support']}" for own in agreed[:3])

    def cells(self, name: str, options: TextOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        return {name: value}

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        options = asked.options
        words = " ".join(asked.texts.values()).split() or ["a", "short", "answer"]
        start = usual(asked, len(words)) if says_the_usual(person, rng) else rng.randrange(len(words))
        text = " ".join([*options.must_contain, *(words[start:] + words)[:8]])
        while len(text) < options.shortest:
            text = f"{text} and so on"
        for word in options.must_not_contain:
            text = re.sub(re.escape(word), "…", text, flags=re.IGNORECASE)
        return tidied(text[: options.longest])


def tidied(text: str) -> str:
    """Return a text without blanks around it and at the ends of its lines; characters in their composed form."""
    lines = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def word_f1(left: str, right: str) -> float:
    """Return the F1 of the words of two texts, each word as often as it occurs."""
    first, second = Counter(same_words(left).split()), Counter(same_words(right).split())
    both = sum((first & second).values())
    size = sum(first.values()) + sum(second.values())
    return 2 * both / size if size else 1.0


def _contains(text: str, word: str) -> bool:
    return unicodedata.normalize("NFC", word).casefold() in text.casefold()


TEXT: Part = TextPart()
