"""Turns one item and its answers into a row of a release, or leaves it out. Everything left out has a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from annotation.quality.series import Labels
from annotation.quality.trust import Trust
from annotation.releasing.recipe import TRUST, Recipe
from annotation.releasing.votes import FIELD as VOTES_FIELD
from annotation.releasing.votes import JudgedPieces, rows_of
from annotation.task_types.base import TaskType, task_key
from annotation.task_types.cleaned import CleanedAnswer, Cleaning, Mark
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates
from annotation.task_types.releases import ReleaseFacet
from corpus.frozen import without_names_from
from kernel.values import Json, counted

# In the order in which they are applied; the last three are the paper's: workers who did too few tasks, answers that
# do not conform, instances that too few people answered.
STEPS = ("gold", "simulated", "people", "late", "reviews", "workers", "answers", "instances")
SETTLEMENTS = "settlements"  # leaves out tasks' own answers; the instances stay
SOURCES = "sources"  # of a follow-up: leaves out items made of answers that no longer count
VOTES = "votes"  # leaves out pieces that too few people confirmed in a follow-up; the instances stay
FURTHER_STEPS = (TRUST, SOURCES, VOTES, SETTLEMENTS)  # counted only where they left something out
ACCEPT, CORRECT, EXCLUDE = "accept", "correct", "exclude"

GOLD = "A check task, whose answers are never part of the data."
SIMULATED = "Written by a simulated participant, whom the recipe leaves out."
OUTDATED = "An answer that it was made of no longer counts, or its author has changed it. It needs another look."
TWICE = "The same person answered about this instance in another campaign."


@dataclass(frozen=True)
class CollectedAnswer:
    """One person's answer to one item. `worker` is the same wherever the person answers."""

    worker: str
    answer: Mapping[str, Any]
    is_late: bool = False
    is_turned_down: bool = False  # late, and the team decided that it does not count
    is_simulated: bool = False  # software wrote it, not a person
    left: str = ""  # why the person does not count: excluded, or withdrawn
    verdict: str = ""  # the reviewers' decision: accept, correct or exclude
    corrected: Mapping[str, Any] | None = None  # the answer that reviewers put in its place
    is_looked_at: bool = False  # somebody accepted this very answer, not one of many at once
    why: str = ""  # the reasons of those who excluded it


@dataclass(frozen=True)
class CollectedSettlement:
    """The answer that reviewers gave the task itself; None where it needs another look before it counts."""

    answer: Mapping[str, Any] | None


Pair: TypeAlias = tuple[CollectedAnswer, CleanedAnswer]


@dataclass(frozen=True)
class Discard:
    """Something left out: an instance, its task's own answer, an annotation of `worker`, or one answer of it."""

    step: str
    why: str
    key: str
    worker: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Tally:
    """The annotations of one instance that are left after a step."""

    people: frozenset[str]
    simulated: frozenset[str]  # participants who are not people
    answered: int
    rejected: int  # by cleaning rules; before the step "answers" these count as answered
    nothing_fits: int  # the annotator, or a reviewer, said so
    by_simulated: int  # annotations of simulated participants


@dataclass(frozen=True)
class Built:
    """The row (None: left out), what was discarded, and what was left after each step."""

    row: dict[str, Any] | None
    discarded: tuple[Discard, ...]
    tallies: Mapping[str, Tally]  # "collected", then by step
    labels: tuple[tuple[str, str], ...] = ()  # (worker, label) for agreement, before instances are left out
    names_from: str = ""  # what the item's names came from, which its row does not say; "" if it is not known
    parts: tuple[tuple[str, Mapping[str, Labels]], ...] = ()  # the same of types that name scales: labels by part


@dataclass(frozen=True)
class Builder:
    """Builds rows by one recipe. `done` counts each worker's assignments over everything that is read.

    `estimates` are what rules that look at all tasks found, by the key of the task.
    """

    recipe: Recipe
    type_: TaskType
    cleaning: Cleaning
    done: Mapping[str, int]
    pseudonym: Callable[[str], str]
    estimates: Mapping[str, Estimates] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)  # why an item is left out, by its key
    judged: JudgedPieces | None = None
    trusted: Mapping[str, Trust] = field(default_factory=dict)  # by worker, over everything that is read

    @cached_property
    def facet(self) -> ReleaseFacet:
        return self.type_.release_by(self.recipe.consensus)

    def build(
        self,
        item: Mapping[str, Any],
        answers: Sequence[CollectedAnswer],
        *,
        variant: str = "",
        is_gold: bool = False,
        settled: CollectedSettlement | None = None,
    ) -> Built:
        """Return what the recipe makes of an item, given as its sample stores it, asked about in this variant.

        `settled` is the task's own answer, if reviewers gave it one.
        """
        key = task_key(item["key"], variant)
        if is_gold:
            return Built(None, (Discard("gold", GOLD, key),), {})
        if why_gone := self.gone.get(item["key"]):
            return Built(None, (Discard(SOURCES, why_gone, key),), {})
        tallies: dict[str, Tally] = {}
        question, pairs, discarded = self._counted(item, answers, variant, tallies)
        for answer, cleaned in pairs:
            for what, mark in self._offences(question, answer, cleaned):
                discarded.append(Discard("answers", f"{mark.rule}: {mark.why}", key, answer.worker, what))
        tallies["answers"] = _tally(pairs, is_cleaned=True)
        pairs, unconfirmed = self._confirmed(key, pairs)
        discarded += unconfirmed
        if why := self._too_few(pairs):
            discarded.append(Discard("instances", why, key))
        tallies["instances"] = _tally([] if why else pairs, is_cleaned=True)
        labels = tuple((answer.worker, self.type_.label(cleaned)) for answer, cleaned in pairs)
        parts = tuple((answer.worker, self.type_.labels_of(cleaned)) for answer, cleaned in pairs if self.type_.scales)
        named = {**item, "key": key, "variant": variant} if variant else item
        settled = settled if self.recipe.use_reviews and not why else None
        if settled and settled.answer is None:
            discarded.append(Discard(SETTLEMENTS, OUTDATED, key))
        final = self.cleaning.settle(question, settled.answer) if settled and settled.answer is not None else None
        row = None if why else {**self._row(without_names_from(named), pairs, final), **self._votes(key, pairs)}
        return Built(row, tuple(discarded), tallies, labels, item.get("names_from", ""), parts)

    def counted(self, item: Mapping[str, Any], answers: Sequence[CollectedAnswer], variant: str = "") -> list[Pair]:
        """Return the answers to an item that count, each after cleaning and review."""
        return self._counted(item, answers, variant, {})[1]

    def _counted(
        self, item: Mapping[str, Any], answers: Sequence[CollectedAnswer], variant: str, tallies: dict[str, Tally]
    ) -> tuple[dict[str, Any], list[Pair], list[Discard]]:
        question = self.type_.question(self.type_.read(item), variant)
        pairs = [(answer, self.cleaning.clean(question, answer.answer)) for answer in answers]
        tallies["collected"] = _tally(pairs, is_cleaned=False)
        return question, *self._annotations(task_key(item["key"], variant), question, pairs, tallies)

    def _annotations(
        self, key: str, question: Mapping[str, Any], pairs: list[Pair], tallies: dict[str, Tally]
    ) -> tuple[list[Pair], list[Discard]]:
        """Return the annotations that pass the steps which judge a whole annotation, and the discarded ones."""
        discarded: list[Discard] = []
        seen: set[str] = set()
        steps = {
            "simulated": self._simulated,
            "people": self._person,
            "late": self._late,
            "reviews": self._review,
            "workers": self._worker,
            **({TRUST: self._trust} if self.recipe.trust_limit else {}),
        }
        for step, why_not in steps.items():
            kept = []
            for answer, cleaned in pairs:
                why = why_not(answer)
                if step == "people" and not why:
                    why = TWICE if answer.worker in seen else ""
                    seen.add(answer.worker)
                if why:
                    text = "" if step == "people" else self.type_.summary(question, answer.answer)
                    discarded.append(Discard(step, why, key, answer.worker, text))
                else:
                    kept.append((answer, self._reviewed(question, answer, cleaned) if step == "reviews" else cleaned))
            pairs = kept
            tallies[step] = _tally(pairs, is_cleaned=False)
        return pairs, discarded

    def _reviewed(self, question: Mapping[str, Any], answer: CollectedAnswer, cleaned: CleanedAnswer) -> CleanedAnswer:
        """Return the answer as reviewers decided: their decision stands even where a rule objects."""
        verdict = self._verdict(answer)
        if verdict == CORRECT:
            return self.cleaning.settle(question, answer.corrected or {})
        return self.cleaning.accept(cleaned) if verdict and answer.is_looked_at else cleaned

    def _verdict(self, answer: CollectedAnswer) -> str:
        """Return what reviewers decided, if the recipe asks; "" where nobody did, or not yet."""
        return answer.verdict if self.recipe.use_reviews and answer.verdict in (ACCEPT, CORRECT, EXCLUDE) else ""

    def _offences(
        self, question: Mapping[str, Any], answer: CollectedAnswer, cleaned: CleanedAnswer
    ) -> Iterator[tuple[str, Mark]]:
        """Yield each thing that rules discard, as it was written, with the first mark that discards it."""
        for part in cleaned.parts:
            yield from ((part.raw, mark) for mark in part.offences[:1])
        whole = [mark for mark in cleaned.marks if mark.discards and not mark.missing]
        yield from ((self.type_.summary(question, answer.answer), mark) for mark in whole[:1])

    # ---- Why something is left out; "" = it stays ----------------------------------------------------

    def _simulated(self, answer: CollectedAnswer) -> str:
        return SIMULATED if answer.is_simulated and not self.recipe.simulated else ""

    def _person(self, answer: CollectedAnswer) -> str:
        return answer.left

    def _late(self, answer: CollectedAnswer) -> str:
        if answer.is_turned_down:
            return "Sent too late, and the team decided not to count it."
        is_accepted = self._verdict(answer) in (ACCEPT, CORRECT)
        return "Sent too late, and not accepted by a reviewer." if answer.is_late and not is_accepted else ""

    def _review(self, answer: CollectedAnswer) -> str:
        why = f"Excluded by a reviewer: {answer.why}" if answer.why else "Excluded by a reviewer, without a reason."
        return why if self._verdict(answer) == EXCLUDE else ""

    def _worker(self, answer: CollectedAnswer) -> str:
        done, least = self.done.get(answer.worker, 0), self.recipe.least_assignments
        return f"The participant did {counted(done, 'task')}, fewer than {least}." if done < least else ""

    def _trust(self, answer: CollectedAnswer) -> str:
        limit, trust = self.recipe.trust_limit, self.trusted.get(answer.worker)
        if limit is None or trust is None or not limit.is_missed(trust):
            return ""
        return f"The participant got {trust.in_words}, below the limit of {limit.percent}%."

    def _too_few(self, pairs: Sequence[Pair]) -> str:
        if not pairs:
            return "No annotation of it is left."
        answered, least = sum(cleaned.is_answered for _, cleaned in pairs), self.recipe.least_answered
        annotations = counted(len(pairs), "annotation")
        return f"{answered} of {annotations} answered, fewer than {least}." if answered < least else ""

    # ---- Votes of a follow-up ------------------------------------------------------------------------

    def _confirmed(self, key: str, pairs: list[Pair]) -> tuple[list[Pair], list[Discard]]:
        """Return the answers without the pieces that too few people confirmed, and these."""
        if not (judged := self.judged) or not judged.chosen.keep:
            return pairs, []
        tallies = judged.tallies.get(key, {})
        words = {piece.unit: piece.words or piece.unit for _, own in pairs for piece in judged.kind.pieces(own)}
        whys = {unit: why for unit in sorted(words) if (why := judged.chosen.why_not(tallies.get(unit, {})))}
        if not whys:
            return pairs, []
        kept = [(answer, judged.kind.without(own, whys.keys(), VOTES)) for answer, own in pairs]
        return kept, [Discard(VOTES, why, key, answer=words[unit]) for unit, why in whys.items()]

    def _votes(self, key: str, pairs: Sequence[Pair]) -> dict[str, Json]:
        """Return the votes on the pieces of a row, where the recipe asks for votes."""
        if not (judged := self.judged):
            return {}
        units = {piece.unit for _, own in pairs for piece in judged.kind.pieces(own)}
        return {VOTES_FIELD: list(rows_of(judged.tallies.get(key, {}), [*units]))}

    # ---- The row -------------------------------------------------------------------------------------

    def _row(self, item: Mapping[str, Any], pairs: Sequence[Pair], final: CleanedAnswer | None) -> dict[str, Any]:
        facet = self.facet
        annotations = [
            {
                "annotator": self.pseudonym(answer.worker),
                **facet.annotation(answer.answer, cleaned, self._verdict(answer)),
                "simulated": answer.is_simulated,
            }
            for answer, cleaned in sorted(pairs, key=lambda pair: self.pseudonym(pair[0].worker))
        ]
        voices = ((cleaned, answer.is_simulated) for answer, cleaned in pairs)
        consensus = facet.consensus(voices, self.estimates.get(item["key"], NO_ESTIMATES))
        settlement = facet.settlement(final)
        return {**item, "schema": facet.schema, **consensus, **settlement, "annotations": annotations}


def _tally(pairs: Sequence[Pair], *, is_cleaned: bool) -> Tally:
    rejected = sum(cleaned.is_rejected for _, cleaned in pairs) if is_cleaned else 0
    nothing_fits = sum(cleaned.says_nothing_fits for _, cleaned in pairs)
    people, simulated = (
        frozenset(answer.worker for answer, _ in pairs if answer.is_simulated is kind) for kind in (False, True)
    )
    by_simulated = sum(answer.is_simulated for answer, _ in pairs)
    return Tally(people, simulated, len(pairs) - rejected - nothing_fits, rejected, nothing_fits, by_simulated)
