"""A task that a group describes itself: its settings are the description, its answers are made of parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from random import Random
from typing import Any, ClassVar, Self

from pydantic import BaseModel

from annotation.lookups import LOOKUPS
from annotation.parts import PARTS
from annotation.parts.base import AnswerPiece
from annotation.parts.words import ended_once
from annotation.quality.habit_filters import ALWAYS_THE_SAME_OPTION, STRAIGHT_LINE
from annotation.quality.habits import AnswerPattern
from annotation.quality.marks import PlacedMark
from annotation.quality.series import Labels, SeriesOf
from annotation.quality.thresholds import Thresholds, is_same
from annotation.quality.worker_filters import WorkerFilter
from annotation.releasing.exports.base import Format
from annotation.task_types.base import (
    EMPTY,
    ComparedAnswer,
    FieldRemark,
    Gold,
    InstructionParts,
    InvalidAnswer,
    JsonObject,
    Judgement,
    Level,
    NothingFits,
    PracticeQuestion,
    QuizQuestion,
    RawColumns,
    Remark,
    answer_field,
)
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.comparing import NO_QUESTION
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates, Offers, Rules
from annotation.task_types.defaults import Defaults
from annotation.task_types.follow_ups import FollowUpKind, Naming
from annotation.task_types.own import suggesting
from annotation.task_types.own.answering import (
    SKIP,
    SKIPPED,
    AskedPart,
    as_answer,
    asked_parts,
    is_skipped,
    part_of,
    remarks_on,
)
from annotation.task_types.own.crowd import OwnCrowd
from annotation.task_types.own.description import CONSENT, OwnSettings, as_list
from annotation.task_types.own.follow_ups import context_of, follow_ups_of
from annotation.task_types.own.html import TITLE, item_html
from annotation.task_types.own.together import in_common, is_together, of_part, sources_of
from annotation.task_types.plain_release import Consensus, PlainRelease
from annotation.task_types.releases import ReleaseFacet
from annotation.task_types.suggestions import Changes, SuggestionFigures
from corpus.items import ITEM_KINDS
from corpus.items.columns import in_words
from corpus.items.rows import ROWS
from kernel.fields import Fields
from kernel.values import Json

NO_ANSWER = "No answer"  # of somebody who ticked the box for items that cannot be answered
USUAL: Rules = {}
NOTHING = InstructionParts("Own tasks", "", "", "")


class OwnType(Defaults):
    """Bound to a description by a campaign's settings; without one it asks nothing."""

    name: ClassVar[str] = "own"
    settings_model: ClassVar[type[BaseModel] | None] = OwnSettings
    settles: ClassVar[bool] = True

    def __init__(self, settings: OwnSettings | None = None) -> None:
        self.settings = settings
        task: Any = settings.description if settings else None
        self.task = task
        self.uses: Sequence[Any] = task.parts if settings else ()
        self.title = task.name if settings else "Own task"
        self.item_kind = task.items if settings else "text"
        kinds = [PARTS[kind] for kind in dict.fromkeys(use.kind for use in self.uses)]
        is_moving = any(use.show_when or _can_be_cleared(use) for use in self.uses)
        waiting = ("annotation/own/form.js",) if is_moving else ()
        self.scripts = (*waiting, *(path for part in kinds for path in part.scripts))
        self.styles = ("annotation/own/form.css", *(path for part in kinds for path in part.styles))
        self.consent = task.consent if settings else CONSENT
        self.reviews_together = any(map(is_together, self.uses))
        self.thresholds = Thresholds(same=min((PARTS[use.kind].same for use in self.uses), default=1.0))

    def with_settings(self, settings: Any) -> Self:
        return type(self)(settings)

    @property
    def key(self) -> str:
        return self.settings.version.partition("@")[0] if self.settings else self.name

    # ---- What people learn from

    @cached_property
    def instructions(self) -> InstructionParts:
        if not self.settings:
            return NOTHING
        texts = self.task.instructions
        return InstructionParts(f"{self.title} ({self.key})", texts.summary, texts.details, texts.examples)

    @cached_property
    def practice(self) -> Sequence[PracticeQuestion]:  # type: ignore[override]
        return tuple(self._lesson(lesson) for lesson in self.task.practice) if self.settings else ()

    def _lesson(self, lesson: Any) -> PracticeQuestion:
        item = ITEM_KINDS[self.item_kind].from_row(dict(lesson.item))
        return PracticeQuestion(item, Gold((self.known(lesson.answers, item),), lesson.reason))

    def known(self, answers: Mapping[str, Any], item: Any) -> JsonObject:
        """Return the answer to an item as it is stored; None for a part that the description leaves out."""
        texts = self.texts(item)
        return {use.name: PARTS[use.kind].known(use, answers.get(use.name), texts) for use in self.uses}

    @cached_property
    def quiz(self) -> Sequence[QuizQuestion]:  # type: ignore[override]
        asked = self.task.quiz if self.settings else ()
        return tuple(
            QuizQuestion(own.question, tuple(own.choices), own.choices.index(own.right), own.explanation)
            for own in asked
        )

    # ---- The item

    def texts(self, item: Any) -> dict[str, str]:
        """Return the item's texts by name; of rows also numbers and truths, as words."""
        if self.item_kind != ROWS.name:
            return dict(ITEM_KINDS[self.item_kind].texts(item))
        return {name: in_words(value) for name, value in item.columns.items() if value is not None}

    def question(self, item: Any, variant: str = "") -> JsonObject:
        texts = self.texts(item)
        return {
            **super().question(item),
            "texts": {name: texts[name] for name in (*self.needed, *self.extra) if name in texts},
        }

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The names of the texts that parts show or look at."""
        return tuple(dict.fromkeys(name for use in self.uses for name in PARTS[use.kind].columns(use)))

    @cached_property
    def extra(self) -> Sequence[str]:
        """The names of columns that parts read where an item has them, such as suggestions."""
        return tuple(dict.fromkeys(name for use in self.uses for name in PARTS[use.kind].extra_columns(use)))

    @cached_property
    def lookups(self) -> Mapping[str, str]:  # type: ignore[override]
        return {name: LOOKUPS[name] for use in self.uses for name in PARTS[use.kind].lookups(use)}

    @cached_property
    def item_texts(self) -> Sequence[str]:  # type: ignore[override]
        return tuple(dict.fromkeys((*(own.text for own in self.task.show), *self.needed)))

    @property
    def texts_read(self) -> Sequence[str]:  # type: ignore[override]
        return self.item_texts if self.task.show else ()

    def missing_texts(self, item: Any) -> Sequence[str]:
        texts = self.texts(item)
        return [name for name in self.item_texts if not texts.get(name, "").strip()]

    def html(self, item: Any, variant: str = "") -> str:
        texts = self.texts(item)
        return item_html(texts, self._shown_above(texts), self.task)

    def _shown_above(self, texts: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the names and headings of the texts that stand above the form."""
        in_parts = {*self.extra, *(name for use in self.uses for name in PARTS[use.kind].whole_texts(use))}
        if self.task.show:
            return [(own.text, own.label) for own in self.task.show if own.text not in in_parts]
        rest = [name for name in texts if name not in in_parts and (name not in self.needed or name == "text")]
        has_headings = sum(name != TITLE for name in rest) > 1
        return [(name, name.capitalize() if has_headings and name != TITLE else "") for name in rest]

    def page_texts(self, item: Any) -> dict[str, str]:
        """Return the texts that people read on the page, above the form and in it."""
        texts = self.texts(item)
        names = dict.fromkeys([*(name for name, _ in self._shown_above(texts)), *self.needed])
        return {name: texts[name] for name in names if name in texts}

    def shown(self, question: Mapping[str, Json], rng: Random) -> JsonObject:
        orders: dict[str, Json] = {}
        for use in self.uses:
            if order := PARTS[use.kind].shown(use, rng):
                orders[use.name] = [*order]
        return {"order": orders} if orders else {}

    # ---- An answer

    def parts(self, question: Mapping[str, Json], shown: Mapping[str, Json] | None = None) -> list[AskedPart]:
        return asked_parts(self.uses, question, shown)

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldRemark]:
        return remarks_on(self.task, self.parts(question), form)

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        remarks = self.checks(question, form)
        sure = form.get("confirmed", "").split()
        if open_ones := [own for own in remarks if not (own.remark.level == Level.ASK and _code(own) in sure)]:
            raise InvalidAnswer(open_ones)
        if is_skipped(form) and self.task.skip:
            return {use.name: None for use in self.uses}
        answer = as_answer(self.parts(question), form)
        if all(value is None for value in answer.values()):
            why = "Please answer at least one question."
            raise InvalidAnswer([FieldRemark(answer_field(self.uses[0].name), Remark(EMPTY, Level.BLOCK, why))])
        return answer

    def form(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, str]:
        if self.is_skip(answer):
            return {SKIP: SKIPPED}
        form: dict[str, str] = {}
        for own in self.parts(question):
            if answer.get(own.name) is not None:
                form |= own.part.write(own.asked, answer[own.name])
        return form

    def composed(self, question: Mapping[str, Json], answers: Sequence[JsonObject]) -> JsonObject | None:
        answered = [answer for answer in answers if not self.is_skip(answer)]
        if len(answers) < 2 or not (self.reviews_together and answered):
            return super().composed(question, answers)
        common = in_common(self.uses, answered)
        return None if len(answered) < 2 or self.is_skip(common) else common

    def sources(self, answer: Mapping[str, Json], others: Mapping[int, JsonObject]) -> list[int]:
        return sources_of(self.uses, answer, others)

    def starting_form(self, question: Mapping[str, Json]) -> dict[str, str]:
        return suggesting.starting_form(self.parts(question)) if self.extra else {}

    def bad_suggestion(self, item: Any) -> str:
        return suggesting.bad_suggestion(self.parts(self.question(item))) if self.extra else ""

    def suggestion_changes(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> Changes:
        return suggesting.changes_of(self.parts(question), answer)

    def is_skip(self, answer: Mapping[str, Json]) -> bool:
        return all(answer.get(use.name) is None for use in self.uses)

    @cached_property
    def nothing_fits(self) -> NothingFits | None:  # type: ignore[override]
        if not (self.settings and self.task.skip):
            return None
        return NothingFits({use.name: None for use in self.uses}, NO_ANSWER, "z")

    def summary(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> str:
        if self.is_skip(answer):
            return NO_ANSWER
        lines = [
            own.part.line(own.asked, answer[own.name])
            for own in self.parts(question)
            if answer.get(own.name) is not None
        ]
        return " · ".join(lines)

    def pieces(
        self, question: Mapping[str, Json], answer: Mapping[str, Json], others: Sequence[Mapping[str, Json]] = ()
    ) -> list[tuple[str, list[AnswerPiece]]]:
        """Return each part's question with the pieces of its answer, against the other answers."""
        rows = []
        for own in self.parts(question):
            if (value := answer.get(own.name)) is not None:
                known = [other[own.name] for other in others if other.get(own.name) is not None]
                rows.append((str(own.use.ask), own.part.pieces(own.asked, value, known)))
        return rows

    # ---- Comparing

    @cached_property
    def scales(self) -> Sequence[SeriesOf]:  # type: ignore[override]
        return tuple(series for use in self.uses for series in PARTS[use.kind].series(use.name, use))

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Labels]:
        labels: dict[str, Labels] = {}
        for use in self.uses:
            if cleaned.is_answered and (value := cleaned.answer.get(use.name)) is not None:
                labels |= PARTS[use.kind].labels(use.name, use, value)
        return labels

    def marks_of(self, cleaned: CleanedAnswer) -> Mapping[str, Sequence[PlacedMark]]:
        values = [(use, cleaned.answer.get(use.name)) for use in self.uses if cleaned.is_answered]
        marks = {use.name: PARTS[use.kind].placed_marks(use, value) for use, value in values if value is not None}
        return {name: own for name, own in marks.items() if own is not None}

    def patterns(
        self, cleaned: CleanedAnswer, shown: Mapping[str, Json], question: Mapping[str, Json] = NO_QUESTION
    ) -> Mapping[str, AnswerPattern]:
        values = [(own, cleaned.answer.get(own.name)) for own in self.parts(question, shown)]
        return {
            own.name: own.part.pattern(own.use, value, own.asked.order, own.asked.texts)
            for own, value in values
            if value is not None
        }

    @cached_property
    def worker_filters(self) -> Sequence[WorkerFilter]:  # type: ignore[override]
        own = [STRAIGHT_LINE] if any(PARTS[use.kind].has_rows(use) for use in self.uses) else []
        own += [ALWAYS_THE_SAME_OPTION] if self.uses else []
        kinds = dict.fromkeys(use.kind for use in self.uses)
        of_kinds = [check for kind in kinds for check in PARTS[kind].worker_filters]
        return (*Defaults.worker_filters, *own, *of_kinds)

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        if not (left.is_answered and right.is_answered):
            return float(left.outcome == right.outcome)
        shares = [share for use in self.uses if (share := self._closeness(use, left, right)) is not None]
        return sum(shares) / len(shares) if shares else 1.0

    def _closeness(self, use: Any, left: CleanedAnswer, right: CleanedAnswer) -> float | None:
        """Return how close two answers are in one part; None where neither has an answer."""
        first, second = left.answer.get(use.name), right.answer.get(use.name)
        if first is None and second is None:
            return None
        if first is None or second is None:
            return 0.0
        return PARTS[use.kind].closeness(use, first, second)

    def gold(self, question: Mapping[str, Json], form: Mapping[str, str]) -> Gold:
        """Parts that are left empty have no right answer: whatever people say there counts."""
        parts = self.parts(question)
        empty = {own.name for own in parts if own.part.is_empty(own.asked, form)}
        blocking = [own for own in self.checks(question, form) if own.remark.level == Level.BLOCK]
        if wrong := [own for own in blocking if own.remark.code != EMPTY or part_of(own) not in empty]:
            raise InvalidAnswer(wrong)
        answer = as_answer(parts, form)
        if is_skipped(form) or self.is_skip(answer):
            return super().gold(question, form)
        return Gold((answer,), " ".join(form.get("gold_reason", "").split()))

    def judge(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> Judgement:
        score = max(self._likeness(answer, known) for known in gold.accepted)
        if is_same(score, self.thresholds.same):
            return Judgement(True, score)
        return Judgement(False, score, tuple(self._feedback(answer, gold.accepted[0], question)))

    def _likeness(self, answer: Mapping[str, Json], known: Mapping[str, Json]) -> float:
        """Return how close an answer comes to a known one; a part that this one leaves out does not count."""
        if self.is_skip(answer) or self.is_skip(known):
            return float(self.is_skip(answer) and self.is_skip(known))
        asked = {use.name for use in self.uses if known.get(use.name) is not None}
        return self.closeness(*(CleanedAnswer({name: own.get(name) for name in asked}) for own in (answer, known)))

    def _feedback(
        self, answer: Mapping[str, Json], known: Mapping[str, Json], question: Mapping[str, Json]
    ) -> Iterable[str]:
        if self.is_skip(answer) or self.is_skip(known):
            return
        for own in self.parts(question):
            value, right = answer.get(own.name), known.get(own.name)
            if value is None or right is None or own.part.closeness(own.use, value, right) >= own.part.same:
                continue
            yield ended_once(own.part.feedback(own.asked, value, right))

    # ---- Files and invented people

    @cached_property
    def answer_fields(self) -> Fields:  # type: ignore[override]
        return tuple(PARTS[use.kind].answer_type(use.name, use.ask, use) for use in self.uses)

    @property
    def consensus_fields(self) -> Fields:
        return self._consensus_fields({})

    def _consensus_fields(self, rules: Rules) -> Fields:
        return tuple(PARTS[use.kind].consensus_type(use.name, use.ask, use, rules.get(use.name)) for use in self.uses)

    @cached_property
    def consensus_rules(self) -> Offers:
        return {use.name: PARTS[use.kind].rules(use) for use in self.uses}

    def release_by(self, rules: Rules) -> ReleaseFacet:
        if not rules:
            return self.release
        says, agreed = self._consensus_fields(rules), partial(self.agreed, rules=rules)
        return self._release(says, agreed)

    @cached_property
    def release(self) -> ReleaseFacet:
        return self._release(self.consensus_fields, self.agreed)

    def _release(self, says: Fields, agreed: Consensus) -> ReleaseFacet:
        kind = self.item_kind
        figures = partial(SuggestionFigures, self._changes_in_row) if self.extra else None
        return PlainRelease(
            self.answer_fields,
            says,
            agreed,
            self.settles,
            item_kind=kind,
            own_formats=self.formats,
            own_figures=figures,
        )

    def _changes_in_row(self, row: Mapping[str, Any], answer: Mapping[str, Any]) -> Changes:
        return self.suggestion_changes(self.question(self.read(row)), answer)

    @cached_property
    def formats(self) -> Sequence[Format]:
        """The files of releases that only the kinds of the task's parts know."""
        kinds = dict.fromkeys(use.kind for use in self.uses)
        uses = {kind: [use for use in self.uses if use.kind == kind] for kind in kinds}
        return [own for kind in kinds for own in PARTS[kind].formats(uses[kind], self._texts_of_row)]

    def _texts_of_row(self, row: Mapping[str, Any]) -> dict[str, str]:
        return self.texts(self.read(row))

    def agreed(
        self,
        answers: Sequence[Mapping[str, Json]],
        estimates: Estimates = NO_ESTIMATES,
        rules: Rules = USUAL,
    ) -> JsonObject:
        """Return what answers to one question say together, part by part."""
        together: JsonObject = {}
        for use in self.uses:
            values = [answer[use.name] for answer in answers if answer.get(use.name) is not None]
            rule, own = rules.get(use.name), estimates.get(use.name, {})
            together[use.name] = PARTS[use.kind].consensus(use, values, rule, own) if values else None
        return together

    def agreed_lines(self, together: Mapping[str, Any], question: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return each part's question with what answers say together, in one line."""
        known = [(own, together.get(own.name)) for own in self.parts(question)]
        return [
            (own.use.ask, own.part.consensus_line(own.use, value, own.asked.texts))
            for own, value in known
            if value is not None
        ]

    def answer_cells(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, Json]:
        cells: dict[str, Json] = {}
        for own in self.parts(question):
            cells |= own.part.cells(own.name, own.use, answer.get(own.name), own.asked.texts)
        return cells

    @property
    def raw_columns(self) -> RawColumns:
        texts = {"title": "title", "passage": "text"} if self.item_kind == "text" else {}
        return RawColumns(item=(), answer=tuple(self.answer_cells({}, {})), texts=texts)

    @cached_property
    def crowd(self) -> OwnCrowd:
        return OwnCrowd(self)

    # ---- Follow-ups

    @cached_property
    def follow_ups(self) -> Mapping[str, FollowUpKind]:
        return follow_ups_of(self.uses)

    def follow_up_task(self, kind: FollowUpKind, naming: Naming, most: int) -> JsonObject:
        context = context_of(self.task, self.needed, naming.taken)
        return {**kind.description(context, naming, most), "texts": self.task.texts.model_dump(mode="json")}

    # ---- The page

    def asked(
        self,
        question: Mapping[str, Json],
        form: Mapping[str, str],
        findings: Mapping[str, Any],
        shown: Any = None,
        compared: Sequence[ComparedAnswer] = (),
    ) -> list[dict[str, Any]]:
        """Return what the form's template draws of each part, with all `compared` answers where it can show them."""
        rows: list[dict[str, Any]] = []
        for own in self.parts(question, shown):
            together = of_part(own.use, compared)
            field, inner = own.asked.field(), f"{own.asked.field()}."
            when = [(answer_field(name), " ".join(as_list(values))) for name, values in own.use.show_when.items()]
            rows.append(
                {
                    "name": own.name, "kind": own.use.kind,
                    "template": f"annotation/parts/{own.use.kind}{'_together' if together else ''}.html",
                    "field": field, "ask": own.use.ask, "help": own.use.help, "optional": own.use.optional,
                    "when": when,
                    "can_be_cleared": _can_be_cleared(own.use), "is_first": not rows,
                    "inputs": own.part.together(own.asked, form, together) if together
                    else own.part.inputs(own.asked, form),
                    "is_wrong": any(name == field or name.startswith(inner) for name in findings or ()),
                }
            )  # fmt: skip
        return rows


def _can_be_cleared(use: Any) -> bool:
    return bool(use.optional) and PARTS[use.kind].has_buttons


def _code(objection: FieldRemark) -> str:
    return f"{objection.field}:{objection.remark.code}"


OWN = OwnType()
