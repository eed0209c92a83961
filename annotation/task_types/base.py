"""What a task type is: what we ask, and what counts as an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.cleaned import CleanedAnswer, Cleaning
from annotation.task_types.comparing import Comparable
from annotation.task_types.consensus_rules import Offers, Rules
from annotation.task_types.releases import ReleaseFacet
from annotation.task_types.suggestions import Changes
from kernel.errors import InvalidInput
from kernel.values import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from annotation.task_types.follow_ups import Columns, FollowUpKind, Naming

JsonObject = dict[str, Json]
OF_THE_ANSWER = "a."  # begins the names of an answer's fields
EMPTY = "empty"  # the code of a remark: nothing was answered
RANKING = "ranking"  # what models can learn from a release: to rank phrases


class Level(StrEnum):
    """How strongly a remark speaks. Values are stored: never rename one."""

    BLOCK = "block"  # cannot be submitted as it is
    ASK = "ask"  # "are you sure?"


@dataclass(frozen=True)
class Remark:
    """One thing a check noticed in an answer. Codes are stable; the sentence is for the annotator."""

    code: str
    level: Level
    why: str


@dataclass(frozen=True)
class FieldRemark:
    """A check that has something to say about one field of the form."""

    field: str
    remark: Remark


def as_objections(remarks: Iterable[FieldRemark]) -> dict[str, str]:
    """Return the sentences of remarks by the codes that confirm them."""
    return {f"{objection.field}:{objection.remark.code}": objection.remark.why for objection in remarks}


class InvalidAnswer(InvalidInput):
    """An answer that cannot stand as it is; `remarks` say why, field by field."""

    code = "invalid_answer"

    def __init__(self, remarks: Sequence[FieldRemark]) -> None:
        self.remarks = tuple(remarks)
        first = self.remarks[0]
        super().__init__(first.remark.why, field=first.field)


@dataclass(frozen=True)
class Gold:
    """Known answers to a question, any of which is right, and the reason why."""

    accepted: tuple[JsonObject, ...]
    reason: str = ""

    def to_json(self) -> JsonObject:
        return {"accepted": [*self.accepted], "reason": self.reason}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Gold:
        return cls(tuple(value["accepted"]), value.get("reason", ""))


@dataclass(frozen=True)
class Judgement:
    """How an answer compares with known ones."""

    is_hit: bool
    score: float  # 0 to 1: how close it comes to the nearest of them
    feedback: tuple[str, ...] = ()  # sentences for somebody who is practising


@dataclass(frozen=True)
class RawColumns:
    """The columns that a task type adds to files of raw answers, in their order."""

    item: tuple[str, ...]  # of `item_facts`
    answer: tuple[str, ...]  # of `answer_cells`
    texts: Mapping[str, str]  # column → field of the frozen item


@dataclass(frozen=True)
class ResultColumns:
    """How a type's answers appear in the result files of other platforms."""

    item: str  # the column that holds an item's key …
    other_id: str  # … or the value of this field of the frozen item, if only one task has it
    ids: str  # the same in words, for the page
    needed: tuple[str, ...]  # columns of the answer
    optional: tuple[str, ...]
    answer: Callable[[Mapping[str, str]], JsonObject]  # from a row's cells; raises InvalidInput


@dataclass(frozen=True)
class NothingFits:
    """The answer that says that nothing fits, and how reviewers' pages call and choose it."""

    answer: JsonObject
    label: str
    key: str  # on the keyboard


@dataclass(frozen=True)
class PracticeQuestion:
    """A question with known answers, asked before the first task."""

    item: Any
    gold: Gold


@dataclass(frozen=True)
class QuizQuestion:
    """A question about the instructions; `right` counts in `choices`."""

    text: str
    choices: tuple[str, ...]
    right: int
    explanation: str


@dataclass(frozen=True)
class InstructionParts:
    """The instructions a task type brings along, in the three parts annotators know."""

    name: str
    summary: str
    details: str
    examples: str


@dataclass(frozen=True)
class ComparedAnswer:
    """One of several answers that a page shows together; `value` is the answer, or what it says in one part."""

    letter: str
    name: str  # of its author
    value: Any


class Crowd(Protocol):
    """How simulated people answer the questions of a type, for rehearsals and the demo. They read before they write."""

    def read_item(self, item: Any) -> TaskReading: ...

    def read_page(self, html: str) -> TaskReading: ...

    def invent(self, reading: Any, person: InventedPerson, rng: Random) -> dict[str, str]:
        """Return the form that this person sends."""


class TaskReading(Protocol):
    """What a simulated person has read of a task; only its type looks further."""

    @property
    def passage(self) -> str: ...


class TaskType(Comparable, Protocol):
    """What we ask a worker, and what counts as an answer. Holds no state and no Django."""

    name: ClassVar[str]
    settings_model: ClassVar[type[BaseModel] | None]  # what a campaign may choose about the task; None: nothing
    variants: ClassVar[Sequence[str]]  # the ways it asks about each item, "" the plain one; nobody meets two of an item
    settles: ClassVar[bool]  # reviewers give a task an answer of its own
    trains: Sequence[str]  # what models can learn from its releases (`RANKING` or others); (): nothing yet
    result_columns: ResultColumns | None  # None for a type that was never asked on another platform

    @property
    def instructions(self) -> InstructionParts: ...

    @property
    def practice(self) -> Sequence[PracticeQuestion]: ...

    @property
    def quiz(self) -> Sequence[QuizQuestion]: ...

    @property
    def lookups(self) -> Mapping[str, str]:
        """By name, what people can look up while they answer; {}: nothing. `annotation/lookups.py` has them all."""

    @property
    def item_texts(self) -> Sequence[str]:
        """The names of the texts that the task shows, as far as it names them."""

    @property
    def texts_read(self) -> Sequence[str]:
        """The names of the texts that people read; (): all that an item has."""

    @property
    def reviews_together(self) -> bool:
        """Whether the form of a task's own answer can show all answers at once: its template gets `compared`."""

    @property
    def consent(self) -> str:
        """What people agree to, unless a campaign says it otherwise."""

    @property
    def nothing_fits(self) -> NothingFits | None:
        """None for a type whose questions always have an answer."""

    @property
    def title(self) -> str:
        """Its name on pages."""

    @property
    def key(self) -> str:
        """What its instructions are kept under: `name`, unless several tasks share it."""

    @property
    def item_kind(self) -> str:
        """What a sample must hold to be asked about: one of ITEM_KINDS."""

    @property
    def scripts(self) -> Sequence[str]:
        """Static files, loaded wherever an answer is shown or given."""

    @property
    def styles(self) -> Sequence[str]:
        """Static files for what its texts and forms look like, loaded in the same places."""

    @property
    def cleanings(self) -> Mapping[str, Cleaning]:
        """By name; a dry run compares the first with `cleaning`."""

    @property
    def cleaning(self) -> Cleaning:
        """The one in use."""

    @property
    def release(self) -> ReleaseFacet:
        """Rows, figures, words and files of releases."""

    @property
    def consensus_rules(self) -> Offers:
        """By part, the rules that can bring its answers together, the usual one first; {}: there is no choice."""

    def release_by(self, rules: Rules) -> ReleaseFacet:
        """Return `release` with answers brought together by these rules, by part; the others by their usual ones."""

    @property
    def follow_ups(self) -> Mapping[str, FollowUpKind]:
        """By name, what people can be asked about answers in a campaign of its own."""

    def follow_up_columns(self, item: Any) -> Columns:
        """Return what the items of a follow-up keep of an item."""

    def follow_up_task(self, kind: FollowUpKind, naming: Naming, most: int) -> JsonObject:
        """Return the own task that asks about items of a follow-up, which have at most `most` pieces."""

    @property
    def crowd(self) -> Crowd: ...

    @property
    def raw_columns(self) -> RawColumns: ...

    def with_settings(self, settings: Any) -> TaskType:
        """Return the type as a campaign with these settings asks; called only where there is a `settings_model`."""

    def read(self, value: Mapping[str, Any]) -> Any:
        """Return the item that a sample froze as this JSON. Only the type itself looks inside."""

    def missing_texts(self, item: Any) -> Sequence[str]:
        """Return the names of the texts that the task shows and the item does not have."""

    def question(self, item: Any, variant: str = "") -> JsonObject:
        """Return what an answer is checked against, and what the form needs to say."""

    def html(self, item: Any, variant: str = "") -> str:
        """Return what the worker reads: the only thing they ever see of the item."""

    def shown(self, question: Mapping[str, Json], rng: Random) -> JsonObject:
        """Return what one person is shown beyond the question, such as an order of options; stored with the answer."""

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldRemark]:
        """Return what can be said about a half-finished answer."""

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        """Return the answer, or raise InvalidAnswer: the only judge, whatever way an answer comes in."""

    def form(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, str]:
        """Return the form that gives this answer, for correcting it."""

    def starting_form(self, question: Mapping[str, Json]) -> dict[str, str]:
        """Return the form that annotators start from: what the item suggests; {} if nothing."""

    def bad_suggestion(self, item: Any) -> str:
        """Return why what an item suggests is no answer; "" if it is one, or there is none."""

    def suggestion_changes(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> Changes:
        """Return by part how much of what the item suggests was kept, changed, deleted and added."""

    def headline(self, question: Mapping[str, Json]) -> str:
        """Return what the question is about, in a few words for lists."""

    def about(self, question: Mapping[str, Json]) -> str:
        """Return what the question is about, as its participants are told."""

    def item_facts(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """Return what files of raw answers say of the item."""

    def answer_cells(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, Json]:
        """Return an answer as cells of a table of raw answers."""

    def summary(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> str:
        """Return the answer in one line, for lists."""

    def cleaned_form(self, question: Mapping[str, Json], cleaned: CleanedAnswer) -> dict[str, str]:
        """Return the form that gives a cleaned answer as displayed, or what rules discarded if that is all of it.

        A correction starts from it.
        """

    def correction(self, question: Mapping[str, Json], form: Mapping[str, str]) -> tuple[JsonObject, list[FieldRemark]]:
        """Return a reviewer's answer and what checks and rules would object to; an empty one raises InvalidInput."""

    def composed(self, question: Mapping[str, Json], answers: Sequence[JsonObject]) -> JsonObject | None:
        """Return the answer of a task that a reviewer starts from, made of these; asked only where `settles` is set."""

    def sources(self, answer: Mapping[str, Json], others: Mapping[int, JsonObject]) -> list[int]:
        """Return which of these answers a task's own answer is made of; asked only where `reviews_together` is set."""

    def hints(self, item: Any, answers: Sequence[CleanedAnswer]) -> list[tuple[str, ...]]:
        """Return for each answer sentences that may help a reviewer, such as likely spellings."""

    def gold(self, question: Mapping[str, Json], form: Mapping[str, str]) -> Gold:
        """Return the known answers that a researcher gave in the type's gold form, or raise InvalidInput."""

    def is_skip(self, answer: Mapping[str, Json]) -> bool:
        """Tell whether an answer says that there is none."""

    def gold_form(self, question: Mapping[str, Json], gold: Gold) -> dict[str, str]:
        """Return the gold form that gives these known answers, for changing them."""

    def judge(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> Judgement:
        """Compare an answer with known ones: for practice, hidden gold and trying a task."""


def answer_field(part: str) -> str:
    """Return the name of a part's field in the forms of a type. No page has a field of its own with such a name."""
    return f"{OF_THE_ANSWER}{part}"


def form_of(sent: Iterable[tuple[str, Sequence[object]]]) -> dict[str, str]:
    """Return a form as types read it. Several values of one `answer_field` are joined by line breaks.

    Of any other name that was sent several times, the last value counts.
    """
    return {
        name: "\n".join(map(str, values)) if name.startswith(OF_THE_ANSWER) else str(values[-1])
        for name, values in sent
        if values
    }


def chosen(form: Mapping[str, str], part: str) -> list[str]:
    """Return the values of a part's field that may have several, such as a list of checkboxes."""
    return [value for value in form.get(answer_field(part), "").splitlines() if value]


def task_key(item_key: str, variant: str) -> str:
    """Return what names a question in releases, reports and files: the item's key, and the variant if it has one."""
    return f"{item_key}:{variant}" if variant else item_key


def item_key(task_key: str) -> str:
    """Return the key of the item that a `task_key` names."""
    return task_key.partition(":")[0]


def template_of(type_: TaskType, part: str) -> tuple[str, ...]:
    """Return the templates for one part of a task type's pages (form, gold, feedback …), of which the first counts.

    What a type has no template of its own for looks plain, with answers in one line.
    """
    return tuple(f"annotation/task_types/{folder}/{part}.html" for folder in (type_.name, "_plain"))
