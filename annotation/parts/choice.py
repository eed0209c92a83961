"""A choice of one or several options: once, or in each row of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from annotation.parts.base import NO_TEXTS, AnswerPiece, Part, PartOptions, Prompt, says_the_usual, usual
from annotation.parts.choice_consensus import NO_MAJORITY, agreed_fields, agreed_on, reason_fields, rules_of
from annotation.parts.choice_options import NONE, OTHER, ChoiceOptions, RowsOfLines, labels_of, offered
from annotation.parts.choice_picks import (
    Pick,
    Row,
    answer_of,
    closeness_of,
    form_of_picks,
    known_of,
    label_of,
    pick_of,
    picks_of,
    rows_of,
    sent_ids,
    sent_picks,
    sent_words,
)
from annotation.parts.targets import columns_of
from annotation.parts.words import listed, shortened
from annotation.quality.series import Label, Labels, Scale, SeriesOf
from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import EMPTY, FieldRemark, JsonObject
from annotation.task_types.consensus_rules import NO_ESTIMATES, ChosenRule, Estimate, RuleOffer
from kernel.fields import Field
from kernel.values import Json, counted

LONGEST_WORDS = 500
MOST_ROWS_IN_A_SENTENCE = 3
INVENTED_WORDS = ("Something between them", "It depends", "None of them quite")


class ChoicePart(Part):
    kind: ClassVar[str] = "choice"
    has_buttons: ClassVar[bool] = True
    options_model: ClassVar[type[PartOptions]] = ChoiceOptions
    scripts: ClassVar[Sequence[str]] = ("annotation/parts/choice.js",)
    styles: ClassVar[Sequence[str]] = ("annotation/parts/choice.css",)

    # ---- What is asked

    def columns(self, options: ChoiceOptions) -> Sequence[str]:
        if isinstance(options.rows, RowsOfLines):
            return (options.rows.lines,)
        return columns_of(options.rows or [])

    def shown(self, options: ChoiceOptions, rng: Random) -> Sequence[str]:
        ids = [option.id for option in options.options]
        return rng.sample(ids, len(ids)) if options.shuffle else ()

    def values(self, options: ChoiceOptions) -> Sequence[str]:
        return [*labels_of(options)] if options.rows is None else ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        rows = rows_of(asked)  # an item without any row has nothing to answer
        return bool(rows) and not any(sent_ids(asked, row, form) for row in rows)

    def missing(self, asked: Prompt) -> FieldRemark:
        rows = rows_of(asked) or [Row()]
        why = "Please choose an answer." if asked.options.rows is None else "Please choose an answer in each row."
        return asked.refuse(EMPTY, why, *rows[0].inner)

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        rows = rows_of(asked)
        remarks = [remark for row in rows for remark in self._remarks_of_row(asked, row, form)]
        still_open = next((row for row in rows if not sent_ids(asked, row, form)), None)
        if still_open and asked.options.rows is not None:
            remarks.append(
                asked.refuse("open", f"Please choose an answer for “{still_open.words}”.", *still_open.inner)
            )
        return remarks

    def _remarks_of_row(self, asked: Prompt, row: Row, form: Mapping[str, str]) -> list[FieldRemark]:
        ids, labels = sent_ids(asked, row, form), labels_of(asked.options)
        if unknown := [id_ for id_ in ids if id_ not in labels]:
            return [asked.refuse("unknown", f"“{shortened(unknown[0])}” is not one of the options.", *row.inner)]
        if why := _wrong_number(asked.options, ids):
            return [asked.refuse("number", why, *row.inner)]
        if not (asked.options.other and OTHER in ids):
            return []
        words = sent_words(asked, row, form)
        if not words:
            return [asked.refuse("no_words", f"Please say more about “{asked.options.other}”.", *row.inner, "words")]
        if len(words) > LONGEST_WORDS:
            why = f"This is {len(words):,} characters long; {LONGEST_WORDS} are allowed."
            return [asked.refuse("long", why, *row.inner, "words")]
        return []

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        return answer_of(asked.options, sent_picks(asked, form))

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        return form_of_picks(asked, picks_of(asked.options, value))

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        options = asked.options
        return {
            "is_grid": options.rows is not None,
            "type": "checkbox" if options.many else "radio",
            "hint": _hint(options),
            "longest": LONGEST_WORDS,
            "lines_of": _lines_of(asked),
            "rows": [
                _inputs_of_row(asked, row, form, is_first=number == 0) for number, row in enumerate(rows_of(asked))
            ],
        }

    def chosen_values(self, value: Any) -> Sequence[str]:
        if isinstance(value, dict):
            return self.chosen_values(value["chosen"])
        return pick_of(value).ids if isinstance(value, str) or not any(isinstance(own, dict) for own in value) else ()

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        picks = picks_of(asked.options, value)
        if asked.options.rows is None:
            return _in_words(asked.options, picks[""])
        about = {row.name: row.words for row in rows_of(asked)}
        rows = [f"{about.get(row, shortened(row))}: {_in_words(asked.options, own)}" for row, own in picks.items()]
        return "; ".join(rows) or "No rows"

    def pieces(self, asked: Prompt, value: Any, others: Sequence[Any]) -> list[AnswerPiece]:
        options = asked.options
        about = {row.name: row.words for row in rows_of(asked)}
        rivals = [picks_of(options, other) for other in others]
        return [
            AnswerPiece(
                about.get(row, shortened(row)),
                _in_words(options, pick),
                sum({*pick.ids} == {*rival[row].ids} for rival in rivals if row in rival) / len(rivals)
                if rivals
                else None,
            )
            for row, pick in picks_of(options, value).items()
        ]

    def series(self, name: str, options: ChoiceOptions) -> Sequence[SeriesOf]:
        unit = "item" if options.rows is None else "row"
        scale = Scale.SET if options.many else Scale.NOMINAL
        return (SeriesOf(name, unit, scale, has_units=options.rows is not None),)

    def labels(self, name: str, options: ChoiceOptions, value: Any) -> Mapping[str, Labels]:
        labels: dict[str, Label] = {row: label_of(options, pick) for row, pick in picks_of(options, value).items()}
        return {name: labels[""] if options.rows is None else labels}

    def closeness(self, options: ChoiceOptions, left: Any, right: Any) -> float:
        return closeness_of(picks_of(options, left), picks_of(options, right))

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        options = asked.options
        ours, theirs = picks_of(options, known), picks_of(options, value)
        if options.rows is None:
            return f"We would have chosen {_quoted(options, ours[''])}."
        different = [row for row in ours if row not in theirs or {*theirs[row].ids} != {*ours[row].ids}] or [*ours]
        about = {row.name: row.words for row in rows_of(asked)}
        named = [
            f"{_quoted(options, ours[row])} for “{about.get(row, shortened(row))}”"
            for row in different[:MOST_ROWS_IN_A_SENTENCE]
        ]
        rest = ", and something else in other rows" if len(different) > MOST_ROWS_IN_A_SENTENCE else ""
        return f"We would have chosen {'; '.join(named) or 'nothing'}{rest}."

    def known(self, options: ChoiceOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        return known_of(options, value)

    # ---- Habits

    def has_rows(self, options: ChoiceOptions) -> bool:
        return options.rows is not None

    def row_answers(self, options: ChoiceOptions, value: Any) -> Sequence[str]:
        return ["|".join(pick.ids) for pick in picks_of(options, value).values()] if options.rows is not None else ()

    def merits(self, options: ChoiceOptions, value: Any) -> Mapping[str, float]:
        if options.rows is not None:
            return {}
        chosen = picks_of(options, value)[""].ids
        return {id_: float(id_ in chosen) for id_ in labels_of(options)}

    def repeatable(self, options: ChoiceOptions, value: Any) -> Sequence[str]:
        is_set = options.rows is None and options.many
        return picks_of(options, value)[""].ids if is_set else super().repeatable(options, value)

    # ---- Files

    def answer_type(self, name: str, about: str, options: ChoiceOptions) -> Field:
        if options.rows is None and not options.other:
            return Field(name, about, many=options.many)
        fields: tuple[Field, ...] = (Field("chosen", _about_ids(options), many=options.many),)
        if options.other:
            fields += (Field("words", f"what “{options.other}” stands for; empty: it was not chosen"),)
        if options.rows is None:
            return Field(name, about, fields=fields)
        return Field(name, about, fields=(_row_field(options), *fields), many=True)

    def rules(self, options: ChoiceOptions) -> Sequence[RuleOffer]:
        return rules_of(options)

    def consensus(
        self,
        options: ChoiceOptions,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        picks = [picks_of(options, value) for value in values]
        if options.rows is None:
            return agreed_on(options, [own[""] for own in picks], rule, estimates.get(""))
        rows = dict.fromkeys(row for own in picks for row in own)
        if not isinstance(options.rows, RowsOfLines):
            rows = dict.fromkeys(target.id for target in options.rows if target.id in rows)
        return [
            {"row": row, **agreed_on(options, [own[row] for own in picks if row in own], rule, estimates.get(row))}
            for row in rows
        ]

    def consensus_type(self, name: str, about: str, options: ChoiceOptions, rule: ChosenRule | None = None) -> Field:
        fields = (*agreed_fields(options, rule), *self.rule_fields(options, rule), *reason_fields(options, rule))
        if options.rows is None:
            return Field(name, about, fields=fields)
        return Field(name, about, fields=(_row_field(options), *fields), many=True)

    def consensus_line(self, options: ChoiceOptions, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        if options.rows is None:
            return _agreed_in_words(options, agreed)
        labels = {} if isinstance(options.rows, RowsOfLines) else {own.id: own.label or own.id for own in options.rows}
        rows = [f"{shortened(labels.get(own['row'], own['row']))}: {_agreed_in_words(options, own)}" for own in agreed]
        return "; ".join(rows) or "No rows"

    def cells(self, name: str, options: ChoiceOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        picks = {} if value is None else picks_of(options, value)
        if isinstance(options.rows, RowsOfLines):
            return _cells_of_lines(name, options, picks, is_answered=value is not None)
        columns = {"": name} if options.rows is None else {own.id: f"{name}.{own.id}" for own in options.rows}
        cells: JsonObject = {}
        for row, column in columns.items():
            pick = picks.get(row)
            cells[column] = "|".join(pick.ids) if pick else None
            if options.other:
                cells[f"{column}.other"] = pick.words if pick else None
        return cells

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        rows = rows_of(asked)
        return answer_of(asked.options, {row.name: _invented(asked, row, person, rng) for row in rows})


def _wrong_number(options: ChoiceOptions, ids: Sequence[str]) -> str:
    """Return why so many options cannot be chosen together; "" if they can, or if there are none."""
    if options.none and NONE in ids:
        return f"“{options.none}” cannot be chosen together with another option." if len(ids) > 1 else ""
    if not options.many:
        return "Please choose only one option." if len(ids) > 1 else ""
    if 0 < len(ids) < options.least:
        return f"Please choose at least {counted(options.least, 'option')}."
    if options.most is not None and len(ids) > options.most:
        return f"Please choose at most {counted(options.most, 'option')}: there are {len(ids)} now."
    return ""


def _lines_of(asked: Prompt) -> JsonObject | None:
    """Return the text whose lines are the rows, and its name."""
    rows = asked.options.rows
    return {"name": rows.lines, "text": asked.texts.get(rows.lines, "")} if isinstance(rows, RowsOfLines) else None


def _hint(options: ChoiceOptions) -> str:
    least, most = options.least, options.most
    if not options.many:
        return ""
    if most is None:
        return "You may choose several." if least == 1 else f"Choose at least {least}."
    if least == most:
        return f"Choose {least}."
    return f"Choose at most {most}." if least == 1 else f"Choose {least} to {most}."


def _inputs_of_row(asked: Prompt, row: Row, form: Mapping[str, str], *, is_first: bool) -> JsonObject:
    ids = sent_ids(asked, row, form)
    options = offered(asked.options, asked.order)
    stop = next((option.id for option in options if option.id in ids), options[0].id)  # where the focus goes
    drawn: list[Json] = [
        {
            "id": option.id, "words": option.words, "key": option.key, "help": option.help,
            "is_none": option.is_none, "is_other": option.is_other,
            "is_chosen": option.id in ids, "is_stop": option.id == stop,
        }
        for option in options
    ]  # fmt: skip
    field = asked.field(*row.inner)
    shown: JsonObject = {"is_first": is_first, "label": row.label, "text": row.text, "column": row.column}
    words: JsonObject = {"words": form.get(f"{field}.words", ""), "words_field": f"{field}.words"}
    return {"field": field, **shown, "options": drawn, "has_other": bool(asked.options.other), **words}


def _labels(options: ChoiceOptions, ids: Sequence[str]) -> list[str]:
    labels = labels_of(options)
    return [labels.get(id_, id_) for id_ in ids]


def _in_words(options: ChoiceOptions, pick: Pick) -> str:
    labels = ", ".join(_labels(options, pick.ids))
    return f"{labels}: {pick.words}" if pick.words else labels


def _quoted(options: ChoiceOptions, pick: Pick) -> str:
    return listed(_labels(options, pick.ids))


def _agreed_in_words(options: ChoiceOptions, agreed: Any) -> str:
    share = f"({agreed['support']} of {agreed['votes']})"
    if agreed["value"] is None:
        return f"{agreed.get('reason', NO_MAJORITY)} {share}"
    if agreed["value"] == []:
        return f"{options.none or 'nothing by a majority'} {share}"
    return f"{', '.join(_labels(options, pick_of(agreed['value']).ids))} {share}"


def _about_ids(options: ChoiceOptions) -> str:
    if not options.many:
        return "the id of the option"
    return f"the ids of the options; none: “{options.none}”" if options.none else "the ids of the options"


def _row_field(options: ChoiceOptions) -> Field:
    lines = isinstance(options.rows, RowsOfLines)
    return Field("row", "the line of the item's text" if lines else "the id of the row")


def _cells_of_lines(name: str, options: ChoiceOptions, picks: Mapping[str, Pick], *, is_answered: bool) -> JsonObject:
    chosen = "; ".join(f"{row}={'|'.join(pick.ids)}" for row, pick in picks.items())
    cells: JsonObject = {name: chosen if is_answered else None}
    if options.other:
        words = "; ".join(f"{row}={pick.words}" for row, pick in picks.items() if pick.words)
        cells[f"{name}.other"] = words if is_answered else None
    return cells


def _invented(asked: Prompt, row: Row, person: InventedPerson, rng: Random) -> Pick:
    """Return what an invented person picks in a row."""
    options: ChoiceOptions = asked.options
    if options.none and person.habit == Habit.REFUSES:
        return Pick((NONE,))
    ids = [option.id for option in options.options]
    of_row = replace(asked, name=".".join([asked.name, *row.inner]))
    start, size = usual(of_row, len(ids)), options.least
    if not says_the_usual(person, rng):
        start = 0 if person.habit == Habit.SAME else rng.randrange(len(ids))
        size = (
            rng.randint(options.least, min(options.most or len(ids), len(ids), options.least + 1))
            if options.many
            else 1
        )
        if options.other and options.least == 1 and rng.random() < 0.2:
            return Pick((OTHER,), rng.choice(INVENTED_WORDS))
    picked = {*(ids + ids)[start : start + size]}
    return Pick(tuple(id_ for id_ in ids if id_ in picked))


CHOICE: Part = ChoicePart()
