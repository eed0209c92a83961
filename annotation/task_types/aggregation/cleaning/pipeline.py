"""A cleaning pipeline for phrases: small named rules in a fixed order, with a version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from annotation.task_types.aggregation.cleaning.predicates import NOTHING_KNOWN, About
from annotation.task_types.cleaned import CleanedAnswer, CleanedPart, Mark
from kernel.values import Json, content_hash


@dataclass(frozen=True)
class CleaningStep:
    """An answer on its way through the rules: how it is shown, what it is compared by, and what was marked."""

    display: str
    phrase: str
    about: About = NOTHING_KNOWN
    earlier: tuple[str, ...] = ()  # phrases the same person already gave for this instance
    marks: tuple[Mark, ...] = ()
    ends: bool = False  # nothing is left to look at

    def text(self, text: str) -> CleaningStep:
        """Return the step with both forms replaced: for rules that run before the two part."""
        return self if self.display == self.phrase == text else replace(self, display=text, phrase=text)

    def mark(
        self, rule: str, why: str, *, when: object = True, discards: bool = True, ends: bool = False
    ) -> CleaningStep:
        """Return the step with a mark of this rule; unchanged where `when` is false."""
        if not when:
            return self
        return replace(self, marks=(*self.marks, Mark(rule, why, discards, missing=ends)), ends=ends)


@dataclass(frozen=True)
class Rule:
    """A step of a pipeline: a function, and the word lists it reads (they count for the pipeline's version)."""

    apply: Callable[[CleaningStep], CleaningStep]
    lists: Mapping[str, Iterable[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.apply.__name__

    @property
    def about(self) -> str:
        """The rule in one sentence, for people."""
        return " ".join((self.apply.__doc__ or "").strip().split("\n\n")[0].split())


@dataclass(frozen=True)
class Pipeline:
    """Named, numbered rules in order. Raise the version by hand when a rule's code changes; lists are hashed."""

    name: str
    version: int
    rules: tuple[Rule, ...]

    @cached_property
    def fingerprint(self) -> str:
        """64 hexadecimal digits over the name, the version, and each rule's name and word lists."""
        rules: list[Json] = [
            {"name": rule.name, "lists": {name: [*sorted(words)] for name, words in rule.lists.items()}}
            for rule in self.rules
        ]
        return content_hash({"name": self.name, "version": self.version, "rules": rules})

    @property
    def identity(self) -> str:
        """What a release stores: "tesa 1 · 0a1b2c3d4e5f"."""
        return f"{self.name} {self.version} · {self.fingerprint[:12]}"

    def explain(self, rule: str) -> str:
        return next((known.about for known in self.rules if known.name == rule), "")

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        """Return one annotator's phrases after cleaning; a ticked "nothing fits" box discards phrases beside it."""
        about, parts = about_of(question), list[CleanedPart]()
        for phrase in phrases_of(answer):
            parts.append(self.clean_phrase(phrase, about, tuple(part.unit for part in parts if part.unit is not None)))
        return cleaned_phrases(map(_void, parts) if answer.get("impossible") else parts)

    def clean_phrase(self, raw: str, about: About = NOTHING_KNOWN, earlier: tuple[str, ...] = ()) -> CleanedPart:
        """Apply every rule in order; `earlier` are the annotator's other phrases for the same instance."""
        step, applied = CleaningStep(display=raw, phrase=raw, about=about, earlier=earlier), []
        for rule in self.rules:
            after = rule.apply(step)
            if after is not step and after != step:
                applied.append(rule.name)
            step = after
            if step.ends:
                break
        kept = step.phrase if not any(mark.discards for mark in step.marks) else None
        return CleanedPart(raw, step.display, kept, tuple(applied), step.marks)

    def settle(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        about = about_of(question)
        parts = [_settled(self.clean_phrase(phrase, about)) for phrase in phrases_of(answer) if phrase.strip()]
        return cleaned_phrases([*{part.unit: part for part in reversed(parts)}.values()][::-1])

    def accept(self, cleaned: CleanedAnswer) -> CleanedAnswer:
        return cleaned_phrases(
            _settled(part) if part.offences and not _is_repeated(part) else part for part in cleaned.parts
        )

    def remembering(self) -> Remembering:
        return Remembering(self.name, self.version, self.rules)


class Remembering(Pipeline):
    """A pipeline that cleans the same phrases about the same entities only once."""

    @cached_property
    def _known(self) -> dict[tuple[tuple[str, ...], bool, About], CleanedAnswer]:
        return {}

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        key = (phrases_of(answer), bool(answer.get("impossible")), about_of(question))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = super().clean(question, answer)
        return known


def cleaned_phrases(parts: Iterable[CleanedPart]) -> CleanedAnswer:
    return CleanedAnswer.of_parts("phrases", tuple(parts))


def about_of(question: Mapping[str, Any]) -> About:
    return About(tuple(map(str, question.get("entities") or ())), str(question.get("entity_type") or ""))


def phrases_of(answer: Mapping[str, Any]) -> tuple[str, ...]:
    phrases = answer.get("phrases")
    return tuple(map(str, phrases)) if isinstance(phrases, list) else ()


def _settled(part: CleanedPart) -> CleanedPart:
    """Return a part that a person decided on: its phrase stands, whatever rules objected to."""
    words = part.unit or (part.display.strip() or part.raw).lower()
    return replace(part, unit=" ".join(words.split()), marks=())


def _is_repeated(part: CleanedPart) -> bool:
    return any(mark.rule == "repeated" for mark in part.offences)


def _void(part: CleanedPart) -> CleanedPart:
    mark = Mark("impossible", "The box “I can't find a relevant phrase” was ticked as well, and counts.", missing=True)
    earlier = (replace(other, missing=True) for other in part.marks)  # the box counts, so they object to nothing
    return replace(part, unit=None, applied=(*part.applied, mark.rule), marks=(*earlier, mark))
