"""One instance and what people answered, turned into a row of a release or left out, with a reason for everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from annotation.quality.filters import Given, instances_with_enough, non_conforming
from annotation.releasing.recipe import Recipe
from annotation.task_types.cleaned import CleanedAnswer, Cleaning
from corpus.frozen import FrozenInstance
from tesa_site.kernel.values import Json, counted

# In the order in which they are applied; the last three are the paper's.
STEPS = ("gold", "simulated", "people", "late", "reviews", "workers", "answers", "instances")
ACCEPT, CORRECT, EXCLUDE, NOT_AGGREGATABLE = "accept", "correct", "exclude", "not_aggregatable"
DECISIONS = (ACCEPT, CORRECT, EXCLUDE, NOT_AGGREGATABLE)

GOLD = "A task with a known answer, made to check people: never part of the data."
SIMULATED = "Written by a simulated participant, whom the recipe leaves out."
TWICE = "The same person annotated this instance in another campaign."


@dataclass(frozen=True)
class Answer:
    """What one person gave for one instance. `worker` is the same wherever the person answers."""

    worker: str
    phrases: tuple[str, ...]
    impossible: bool = False
    is_late: bool = False
    is_turned_down: bool = False  # late, and the team decided that it does not count
    is_simulated: bool = False  # software wrote it, not a person
    left: str = ""  # why the person does not count: excluded, or withdrawn
    verdict: str = ""  # what reviewers came to
    corrected: tuple[str, ...] | None = None  # the phrases they put in place
    is_looked_at: bool = False  # somebody accepted this very answer, not one of many at once
    why: str = ""  # the reasons of those who excluded it

    @property
    def text(self) -> str:
        return " / ".join(self.phrases) or ("No relevant phrase" if self.impossible else "")


Pair: TypeAlias = tuple[Answer, Given]  # what a person said, raw and cleaned


@dataclass(frozen=True)
class Discard:
    """Something left out: an instance, an annotation of `worker`, or one answer of it."""

    step: str
    why: str
    key: str
    worker: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Tally:
    """Of one instance, after a step: who is left, and how many of them answered."""

    people: frozenset[str]
    simulated: frozenset[str]  # participants who are not people
    answered: int
    not_aggregatable: int
    by_simulated: int  # annotations of simulated participants


@dataclass(frozen=True)
class Built:
    """The row (None: left out), what was discarded, and what was left after each step."""

    row: dict[str, Any] | None
    discarded: tuple[Discard, ...]
    tallies: Mapping[str, Tally]  # "collected", then by step
    judged: tuple[tuple[str, bool], ...] = ()  # who found a phrase and who did not, before instances are left out


@dataclass(frozen=True)
class Builder:
    """Builds rows by one recipe. `done` counts each worker's assignments over everything that is read."""

    recipe: Recipe
    cleaning: Cleaning
    done: Mapping[str, int]
    pseudonym: Callable[[str], str]

    def build(self, instance: FrozenInstance, answers: Sequence[Answer], *, is_gold: bool = False) -> Built:
        if is_gold:
            return Built(None, (Discard("gold", GOLD, instance.key),), {})
        pairs = [(answer, self._given(instance, answer)) for answer in answers]
        tallies = {"collected": _tally(pairs, tried=True)}
        pairs, discarded = self._annotations(instance, pairs, tallies)
        left = [given for _, given in pairs]
        for one in non_conforming(left):
            discarded.append(Discard("answers", one.reason, instance.key, one.worker, one.answer or ""))
        tallies["answers"] = _tally(pairs, tried=False)
        kept, poor = instances_with_enough(left, self.recipe.least_answered)
        discarded += [Discard("instances", one.reason, instance.key) for one in poor]
        if not left:
            discarded.append(Discard("instances", "No annotation of it is left.", instance.key))
        tallies["instances"] = _tally(pairs if kept else [], tried=False)
        judged = tuple((given.worker, bool(given.cleaned.units)) for given in left)
        return Built(self._row(instance, pairs) if kept else None, tuple(discarded), tallies, judged)

    def _annotations(
        self, instance: FrozenInstance, pairs: list[Pair], tallies: dict[str, Tally]
    ) -> tuple[list[Pair], list[Discard]]:
        """Return the annotations that pass the steps which look at a whole annotation, and the others."""
        discarded: list[Discard] = []
        seen: set[str] = set()
        judges = {
            "simulated": self._simulated,
            "people": self._person,
            "late": self._late,
            "reviews": self._review,
            "workers": self._worker,
        }
        for step, judge in judges.items():
            kept = []
            for answer, given in pairs:
                why = judge(answer)
                if step == "people" and not why:
                    why = TWICE if answer.worker in seen else ""
                    seen.add(answer.worker)
                if why:
                    text = "" if step == "people" else answer.text
                    discarded.append(Discard(step, why, instance.key, answer.worker, text))
                else:
                    kept.append((answer, self._reviewed(instance, answer) if step == "reviews" else given))
            pairs = kept
            tallies[step] = _tally(pairs, tried=True)
        return pairs, discarded

    def _given(self, instance: FrozenInstance, answer: Answer) -> Given:
        said = {"phrases": list(answer.phrases), "impossible": answer.impossible}
        cleaned = self.cleaning.clean(_question(instance), said)
        return Given("", instance.key, answer.worker, cleaned)

    def _reviewed(self, instance: FrozenInstance, answer: Answer) -> Given:
        """Return the answers as reviewers decided: their word stands even where a rule has a doubt."""
        given, verdict = self._given(instance, answer), self._verdict(answer)
        if verdict == NOT_AGGREGATABLE:
            return replace(given, cleaned=CleanedAnswer(()))
        if verdict == CORRECT:
            words = self.cleaning.settle(_question(instance), {"phrases": list(answer.corrected or ())})
            return replace(given, cleaned=words)
        return replace(given, cleaned=self.cleaning.accept(given.cleaned)) if verdict and answer.is_looked_at else given

    def _verdict(self, answer: Answer) -> str:
        """Return what reviewers decided, if the recipe asks; "" where nobody did, or not yet."""
        return answer.verdict if self.recipe.use_reviews and answer.verdict in DECISIONS else ""

    # ---- Why an annotation is left out; "" = it stays ------------------------------------------------

    def _simulated(self, answer: Answer) -> str:
        return SIMULATED if answer.is_simulated and not self.recipe.simulated else ""

    def _person(self, answer: Answer) -> str:
        return answer.left

    def _late(self, answer: Answer) -> str:
        if answer.is_turned_down:
            return "Submitted after its time, and the team decided not to count it."
        is_accepted = self._verdict(answer) in (ACCEPT, CORRECT, NOT_AGGREGATABLE)
        return "Submitted after its time, and not accepted by a reviewer." if answer.is_late and not is_accepted else ""

    def _review(self, answer: Answer) -> str:
        why = f"Excluded by a reviewer: {answer.why}" if answer.why else "Excluded by a reviewer, without a reason."
        return why if self._verdict(answer) == EXCLUDE else ""

    def _worker(self, answer: Answer) -> str:
        done, least = self.done.get(answer.worker, 0), self.recipe.least_assignments
        return f"The worker did {counted(done, 'task')}, fewer than {least}." if done < least else ""

    # ---- The row -------------------------------------------------------------------------------------

    def _row(self, instance: FrozenInstance, pairs: Sequence[Pair]) -> dict[str, Any]:
        annotations = [
            {
                "annotator": self.pseudonym(answer.worker),
                "answers": list(answer.phrases),
                "cleaned": list(given.cleaned.units),
                "not_aggregatable": given.cleaned.is_empty,
                "verdict": self._verdict(answer),
                "simulated": answer.is_simulated,
            }
            for answer, given in sorted(pairs, key=lambda pair: self.pseudonym(pair[0].worker))
        ]
        return {
            **instance.to_json(),
            "aggregations": aggregations((given.cleaned, answer.is_simulated) for answer, given in pairs),
            "annotations": annotations,
        }


def aggregations(annotations: Iterable[tuple[CleanedAnswer, bool]]) -> list[Json]:
    """Return each phrase with its most usual display and how many annotations gave it, the best supported first.

    Each annotation comes with whether it is simulated; `simulated` says how many of the support are.
    """
    support: Counter[str] = Counter()
    simulated: Counter[str] = Counter()
    displays: dict[str, Counter[str]] = {}
    for annotation, is_simulated in annotations:
        for part in annotation.parts:
            if part.unit is not None:
                support[part.unit] += 1
                simulated[part.unit] += is_simulated
                displays.setdefault(part.unit, Counter())[part.display] += 1
    return [
        {
            "phrase": phrase,
            "display": min(displays[phrase].items(), key=lambda one: (-one[1], one[0]))[0],
            "support": number,
            "simulated": simulated[phrase],
        }
        for phrase, number in sorted(support.items(), key=lambda one: (-one[1], one[0]))
    ]


def _question(instance: FrozenInstance) -> dict[str, Any]:
    return {"entities": instance.entities, "entity_type": instance.entity_type}


def _tally(pairs: Sequence[Pair], *, tried: bool) -> Tally:
    answered = sum(given.tried if tried else bool(given.cleaned.units) for _, given in pairs)
    people, simulated = (
        frozenset(answer.worker for answer, _ in pairs if answer.is_simulated is kind) for kind in (False, True)
    )
    by_simulated = sum(answer.is_simulated for answer, _ in pairs)
    return Tally(people, simulated, answered, len(pairs) - answered, by_simulated)
