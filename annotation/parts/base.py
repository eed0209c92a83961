"""What a part is: one question of a task, such as a choice or a text, with everything behind it.

A part holds no state. What it asks comes as `options`, which its pydantic model has checked; what one person is asked
about one item comes as `Prompt`. An answer is JSON in a shape that the options decide, so that files can describe it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from annotation.quality.habits import AnswerPattern
from annotation.quality.marks import PlacedMark
from annotation.quality.series import Labels, SeriesOf
from annotation.quality.worker_filters import WorkerFilter
from annotation.releasing.exports.base import Format
from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import ComparedAnswer, FieldRemark, JsonObject, Level, Remark, answer_field
from annotation.task_types.consensus_rules import NO_ESTIMATES, ChosenRule, Estimate, RuleOffer, offer_of
from kernel.fields import Field
from kernel.values import Json, canonical_json

if TYPE_CHECKING:
    from annotation.task_types.follow_ups import FollowUpKind

ID_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,39}$"
NO_TEXTS: Mapping[str, str] = {}
NO_ID = "use letters, digits, “-” and “_” only, at most 40 of them, such as “very_good”"


class PartOptions(BaseModel):
    """What a description may say about a part of one kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Prompt:
    """A part as one person is asked it about one item."""

    name: str
    options: Any  # of the part's `options_model`
    texts: Mapping[str, str] = field(default_factory=dict)  # of the item, by name
    order: Sequence[str] = ()  # ids in the order in which this person sees them; empty: as described

    def field(self, *inner: str) -> str:
        """Return the name of one of the part's form fields."""
        return answer_field(".".join([self.name, *inner]))

    def refuse(self, code: str, why: str, *inner: str) -> FieldRemark:
        return FieldRemark(self.field(*inner), Remark(code, Level.BLOCK, why))

    def ask(self, code: str, why: str, *inner: str) -> FieldRemark:
        return FieldRemark(self.field(*inner), Remark(code, Level.ASK, why))


@dataclass(frozen=True)
class AnswerPiece:
    """A piece of an answer as reviewers see it: what it is about, the answer in words, and how many others agree."""

    about: str
    words: str
    share: float | None = None  # of the other answers that say the same; None: there are no others


class Part:
    """One kind of part. A kind overrides everything that raises NotImplementedError."""

    kind: ClassVar[str]
    options_model: ClassVar[type[PartOptions]]
    scripts: ClassVar[Sequence[str]] = ()  # static files
    styles: ClassVar[Sequence[str]] = ()
    has_buttons: ClassVar[bool] = False  # radio buttons: what is pressed cannot be taken back without a button for it
    is_reviewed_together: ClassVar[bool] = False  # reviewers who settle a task see all answers in one place
    worker_filters: ClassVar[Sequence[WorkerFilter]] = ()  # checks of participants that only this kind needs
    same: ClassVar[float] = 1.0  # from this closeness on, two answers count as the same

    # ---- What is asked

    def columns(self, options: Any) -> Sequence[str]:
        """Return the names of the item's texts that the part shows."""
        return ()

    def whole_texts(self, options: Any) -> Sequence[str]:
        """Return those of `columns` that people read in the part alone: they do not stand above the form, too."""
        return ()

    def extra_columns(self, options: Any) -> Sequence[str]:
        """Return the names of columns that the part reads where an item has them, and that are no texts for people."""
        return ()

    def lookups(self, options: Any) -> Sequence[str]:
        """Return the names of what people can look up while they answer (`annotation/lookups.py`)."""
        return ()

    def shown(self, options: Any, rng: Random) -> Sequence[str]:
        """Return the ids in the order in which one person sees them; () if everybody sees the same order."""
        return ()

    def values(self, options: Any) -> Sequence[str]:
        """Return the values on which another part may depend (`show_when`); () if none may."""
        return ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        """Tell whether nothing was answered."""
        raise NotImplementedError

    def missing(self, asked: Prompt) -> FieldRemark:
        """Return what is said when nothing was answered."""
        raise NotImplementedError

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        """Return what can be said about an answer that is not empty."""
        return []

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        """Return the answer of a form that is not empty and has no remark that refuses it."""
        raise NotImplementedError

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        """Return the form that gives this answer."""
        raise NotImplementedError

    def starting_form(self, asked: Prompt) -> dict[str, str]:
        """Return the form that people start from: what the item suggests; {} if nothing."""
        return {}

    def bad_suggestion(self, asked: Prompt) -> str:
        """Return why what the item suggests is no answer; "" if it is one, or there is none."""
        return ""

    def changes(self, asked: Prompt, value: Any) -> Mapping[str, int]:
        """Count what became of the item's suggestions in an answer; {} if it has none."""
        return {}

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        """Return what the template of the part draws beside its question."""
        return {}

    def chosen_values(self, value: Any) -> Sequence[str]:
        """Return those of `values` that an answer has chosen."""
        return ()

    # ---- All answers in one place

    def together(self, asked: Prompt, form: Mapping[str, str], answers: Sequence[ComparedAnswer]) -> Mapping[str, Any]:
        """Return what `<kind>_together.html` draws: the form of a task's own answer, and all answers.

        Asked only where `is_reviewed_together` is set; for other parts, reviewers fill in the form that annotators do.
        """
        raise NotImplementedError

    def common(self, options: Any, values: Sequence[Any]) -> Json:
        """Return what all these answers say, from which a reviewer starts; None: they share nothing."""
        return values[0] if all(value == values[0] for value in values) else None

    def shared_units(self, options: Any, value: Any) -> Sequence[str]:
        """Return what an answer may have from others: its pieces, or the whole of it."""
        return (canonical_json(value),)

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        """Return the answer in one line."""
        raise NotImplementedError

    def pieces(self, asked: Prompt, value: Any, others: Sequence[Any]) -> list[AnswerPiece]:
        """Return the answer for reviewers, against the other answers to the same question."""
        same = sum(self.closeness(asked.options, value, other) >= self.same for other in others)
        return [AnswerPiece("", self.line(asked, value), same / len(others) if others else None)]

    def series(self, name: str, options: Any) -> Sequence[SeriesOf]:
        """Return what agreement measures."""
        raise NotImplementedError

    def labels(self, name: str, options: Any, value: Any) -> Mapping[str, Labels]:
        """Return the label of each of `series`, or one for each of its units."""
        raise NotImplementedError

    def placed_marks(self, options: Any, value: Any) -> Sequence[PlacedMark] | None:
        """Return the marks of an answer, whose agreement is measured by kind and person; None for other parts."""
        return None

    def closeness(self, options: Any, left: Any, right: Any) -> float:
        """Return how close two answers are, from 0 to 1; 1: they say the same."""
        raise NotImplementedError

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        """Return one sentence for somebody who is practising and did not give the known answer."""
        raise NotImplementedError

    def known(self, options: Any, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        """Return the answer that a description writes, which may be shorter than the one that is stored.

        `texts` are those of the item that is answered. What has no shape that the part knows comes back unchanged.
        """
        return value

    # ---- Habits

    def has_rows(self, options: Any) -> bool:
        """Tell whether an answer may have several rows."""
        return False

    def row_answers(self, options: Any, value: Any) -> Sequence[str]:
        """Return what an answer says in each of its rows; () where it has none."""
        return ()

    def merits(self, options: Any, value: Any) -> Mapping[str, float]:
        """Return how high an answer puts each id that it could choose; {} where it does not choose between any."""
        return {}

    def repeatable(self, options: Any, value: Any) -> Sequence[str]:
        """Return what somebody may give again and again: the answer as a whole, or each option."""
        rows = self.row_answers(options, value)
        words = [*dict.fromkeys(rows)] if len({*rows}) == 1 else rows or _highest(self.merits(options, value))
        return (", ".join(words),) if words else ()

    def pattern(
        self, options: Any, value: Any, order: Sequence[str], texts: Mapping[str, str] = NO_TEXTS
    ) -> AnswerPattern:
        """Return what can show a habit in an answer, given the order in which its author saw the ids.

        `texts` are those of the item.
        """
        merits = self.merits(options, value)
        highest, present = _highest(merits), [id_ for id_ in order if id_ in merits]
        return AnswerPattern(
            rows=self.row_answers(options, value),
            answers=self.repeatable(options, value),
            order=present,
            chosen=highest[0] if len(highest) == 1 else "",
        )

    # ---- Follow-ups

    def follow_ups(self, name: str, options: Any) -> Sequence[FollowUpKind]:
        """Return what can be asked about such answers in a campaign of its own."""
        return ()

    # ---- Files

    def answer_type(self, name: str, about: str, options: Any) -> Field:
        """Return the answer as a field of the release."""
        raise NotImplementedError

    def rules(self, options: Any) -> Sequence[RuleOffer]:
        """Return the rules that can bring answers together, the usual one first."""
        raise NotImplementedError

    def consensus(
        self,
        options: Any,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        """Return what these answers to one question say together, by a rule; None is the usual one.

        `estimates` are what a rule that looks at all tasks found for this one, by row.
        """
        raise NotImplementedError

    def consensus_type(self, name: str, about: str, options: Any, rule: ChosenRule | None = None) -> Field:
        """Return `consensus` as a field of the release."""
        raise NotImplementedError

    def rule_fields(self, options: Any, rule: ChosenRule | None) -> tuple[Field, ...]:
        """Return the field that names the rule, unless it is the usual one."""
        if rule is None:
            return ()
        says = offer_of(self.rules(options), rule).in_words(rule)
        return (Field("rule", f"how the answers were brought together: {says}"),)

    def consensus_line(self, options: Any, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        """Return `consensus` in one line; `texts` are those of the item."""
        raise NotImplementedError

    def cells(self, name: str, options: Any, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        """Return the answer as cells of a table, by column; None: the part was not answered.

        `texts` are those of the item.
        """
        raise NotImplementedError

    def formats(self, uses: Sequence[Any], texts: Callable[[dict[str, Any]], Mapping[str, str]]) -> Sequence[Format]:
        """Return the files of releases that only this kind knows.

        `uses` are the parts of the kind in a task, and `texts` gives those of a row's item.
        """
        return ()

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        """Return the answer of an invented person. What most of them say must depend on the item alone."""
        raise NotImplementedError


def _highest(merits: Mapping[str, float]) -> list[str]:
    top = max(merits.values(), default=0.0)
    return [id_ for id_, merit in merits.items() if merit == top]


def says_the_usual(person: InventedPerson, rng: Random) -> bool:
    """Tell whether an invented person gives the answer that most people give."""
    return person.habit != Habit.SAME and rng.random() < person.skill


def usual(asked: Prompt, choices: int) -> int:
    """Return which of several answers most invented people give: it depends on the item's texts alone."""
    return Random(f"{asked.name} {sorted(asked.texts.items())}").randrange(choices)  # noqa: S311  (must be repeatable)
