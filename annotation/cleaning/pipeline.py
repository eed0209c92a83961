"""A cleaning pipeline: small named rules in a fixed order, with a version.

The raw answer is never changed; a cleaned form says which rules made it, and what a rule had against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from annotation.cleaning.predicates import NOTHING_KNOWN, About
from tesa_site.kernel.values import Json, content_hash


@dataclass(frozen=True)
class Mark:
    """What one rule has against an answer, in one sentence. Only a mark that discards takes the phrase away."""

    rule: str
    why: str
    discards: bool = True
    missing: bool = False  # the person gave no answer at all: nothing to hold against it


@dataclass(frozen=True)
class Step:
    """An answer on its way through the rules: how it is shown, what it is compared by, and what was marked."""

    display: str
    phrase: str
    about: About = NOTHING_KNOWN
    earlier: tuple[str, ...] = ()  # phrases the same person already gave for this instance
    marks: tuple[Mark, ...] = ()
    ends: bool = False  # nothing is left to look at

    def text(self, text: str) -> Step:
        """Return the step with both forms replaced: for rules that run before the two part."""
        return self if self.display == self.phrase == text else replace(self, display=text, phrase=text)

    def mark(self, rule: str, why: str, *, discards: bool = True, ends: bool = False) -> Step:
        return replace(self, marks=(*self.marks, Mark(rule, why, discards, missing=ends)), ends=ends)


@dataclass(frozen=True)
class Rule:
    """A step of a pipeline: a function, and the word lists it reads (they count for the pipeline's version)."""

    apply: Callable[[Step], Step]
    lists: Mapping[str, Iterable[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.apply.__name__

    @property
    def about(self) -> str:
        """The rule in one sentence, for people."""
        return (self.apply.__doc__ or "").strip().split("\n\n")[0]


@dataclass(frozen=True)
class Cleaned:
    """An answer after cleaning. The phrase is its identity; None when a mark discards it."""

    raw: str
    display: str
    phrase: str | None
    applied: tuple[str, ...] = ()  # rules that changed or marked something, in order
    marks: tuple[Mark, ...] = ()

    @property
    def offences(self) -> tuple[Mark, ...]:
        """The marks that discard an answer which the person did give."""
        return tuple(mark for mark in self.marks if mark.discards and not mark.missing)


@dataclass(frozen=True)
class RawAnnotation:
    """What one person gave for one instance: their answers in order, and whether they ticked "impossible"."""

    answers: tuple[str, ...]
    impossible: bool = False
    about: About = NOTHING_KNOWN
    key: str = ""


@dataclass(frozen=True)
class CleanedAnnotation:
    """The answers of one annotation after cleaning, and whether it counts as "not aggregatable"."""

    answers: tuple[Cleaned, ...]
    not_aggregatable: bool

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(answer.phrase for answer in self.answers if answer.phrase is not None)


def settled(cleaned: Cleaned) -> Cleaned:
    """Return an answer as a person decided: whatever a rule has against it, its phrase stands."""
    words = cleaned.phrase or (cleaned.display.strip() or cleaned.raw).lower()
    return replace(cleaned, phrase=" ".join(words.split()), marks=())


def accepted(annotation: CleanedAnnotation) -> CleanedAnnotation:
    """Return an annotation somebody accepted: what a rule discarded is brought back, but for a mere repetition."""
    answers = [settled(one) if one.offences and not _is_repeated(one) else one for one in annotation.answers]
    return CleanedAnnotation(tuple(answers), all(answer.phrase is None for answer in answers))


def _is_repeated(cleaned: Cleaned) -> bool:
    return any(mark.rule == "repeated" for mark in cleaned.offences)


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

    def clean(self, raw: str, about: About = NOTHING_KNOWN, earlier: tuple[str, ...] = ()) -> Cleaned:
        """Return the answer after every rule, in order; `earlier` are the person's phrases for the same instance."""
        step, applied = Step(display=raw, phrase=raw, about=about, earlier=earlier), []
        for rule in self.rules:
            after = rule.apply(step)
            if after is not step and after != step:
                applied.append(rule.name)
            step = after
            if step.ends:
                break
        kept = step.phrase if not any(mark.discards for mark in step.marks) else None
        return Cleaned(raw, step.display, kept, tuple(applied), step.marks)

    def clean_annotation(self, raw: RawAnnotation) -> CleanedAnnotation:
        """Return one person's cleaned answers: no phrase left means "not aggregatable", and a ticked box wins."""
        answers: list[Cleaned] = []
        for text in raw.answers:
            earlier = tuple(answer.phrase for answer in answers if answer.phrase is not None)
            answers.append(self.clean(text, raw.about, earlier))
        if raw.impossible:
            answers = [_void(answer) for answer in answers]
        return CleanedAnnotation(tuple(answers), all(answer.phrase is None for answer in answers))


class Remembering:
    """A pipeline that cleans the same words about the same entities once. It forgets nothing: keep it for one job."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self._known: dict[tuple[tuple[str, ...], bool, About], CleanedAnnotation] = {}

    def clean_annotation(self, raw: RawAnnotation) -> CleanedAnnotation:
        given = (raw.answers, raw.impossible, raw.about)
        known = self._known.get(given)
        if known is None:
            known = self._known[given] = self.pipeline.clean_annotation(raw)
        return known


@dataclass(frozen=True)
class Change:
    """An answer that two pipelines clean differently."""

    key: str
    raw: str
    before: Cleaned
    after: Cleaned

    @property
    def kind(self) -> str:
        """Return "lost", "regained", "renamed", or "noted" when only the display or the marks differ."""
        if self.before.phrase == self.after.phrase:
            return "noted"
        if self.after.phrase is None:
            return "lost"
        return "regained" if self.before.phrase is None else "renamed"

    @property
    def is_visible(self) -> bool:
        """Tell whether it shows where only phrases and the rules that marked them are shown."""
        return self.before.phrase != self.after.phrase or _codes(self.before) != _codes(self.after)


def compare(before: Pipeline, after: Pipeline, annotations: Iterable[RawAnnotation]) -> tuple[Change, ...]:
    """Return what would change if `after` replaced `before`: a dry run, nothing is stored."""
    changes = []
    for annotation in annotations:
        pairs = zip(
            before.clean_annotation(annotation).answers, after.clean_annotation(annotation).answers, strict=True
        )
        for old, new in pairs:
            if (old.phrase, old.display, _codes(old)) != (new.phrase, new.display, _codes(new)):
                changes.append(Change(annotation.key, old.raw, old, new))
    return tuple(changes)


def _codes(cleaned: Cleaned) -> tuple[tuple[str, bool], ...]:
    return tuple((mark.rule, mark.discards) for mark in cleaned.marks)


def _void(answer: Cleaned) -> Cleaned:
    if answer.phrase is None:
        return answer
    mark = Mark("impossible", "The box “I can't find a relevant phrase” was ticked as well, and counts.", missing=True)
    applied = (*answer.applied, mark.rule)
    return replace(answer, phrase=None, applied=applied, marks=(*answer.marks, mark))
