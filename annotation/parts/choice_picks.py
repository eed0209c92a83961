"""What somebody picked in each row of a choice: from forms and in answers.

A choice without rows has a single row, which has no name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.parts.base import Prompt
from annotation.parts.choice_options import NONE, OTHER, ChoiceOptions, RowsOfLines, labels_of
from annotation.parts.targets import seen
from annotation.parts.words import shortened
from annotation.task_types.base import JsonObject, chosen
from kernel.values import Json

MOST_LINES = 50


@dataclass(frozen=True)
class Pick:
    """The options picked in one row, in the order of the description, and the words for another one."""

    ids: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True)
class Row:
    """A row as somebody is asked about it."""

    name: str = ""  # in answers
    inner: tuple[str, ...] = ()  # in the names of form fields
    label: str = ""
    text: str = ""
    column: str = ""  # the item's text that it shows

    @property
    def words(self) -> str:
        return shortened(self.label or self.text)


def rows_of(asked: Prompt) -> list[Row]:
    """Return the rows that this item has."""
    rows = asked.options.rows
    if rows is None:
        return [Row()]
    if isinstance(rows, RowsOfLines):
        lines = enumerate(_lines(asked.texts.get(rows.lines, "")), 1)
        return [Row(line, (str(number),), text=line) for number, line in lines]
    columns = {target.id: target.text for target in rows}
    described = seen(replace(asked, order=()), rows)  # the order is that of the options
    return [Row(own.id, (own.id,), own.label, own.text, columns[own.id]) for own in described]


def _lines(text: str) -> list[str]:
    """Return the lines of a text that differ, without empty ones."""
    lines = dict.fromkeys(line.strip() for line in text.splitlines())
    return [line for line in lines if line][:MOST_LINES]


# ---- Forms


def sent_ids(asked: Prompt, row: Row, form: Mapping[str, str]) -> list[str]:
    """Return the ids that a form has in a row, in the order of the description; unknown ones come last."""
    sent = dict.fromkeys(chosen(form, ".".join([asked.name, *row.inner])))
    known = labels_of(asked.options)
    return [id_ for id_ in known if id_ in sent] + [id_ for id_ in sent if id_ not in known]


def sent_words(asked: Prompt, row: Row, form: Mapping[str, str]) -> str:
    """Return the words for another option that a form has in a row."""
    return " ".join(unicodedata.normalize("NFC", form.get(asked.field(*row.inner, "words"), "")).split())


def sent_picks(asked: Prompt, form: Mapping[str, str]) -> dict[str, Pick]:
    """Return what a form has in each row that it answers."""
    picks = {}
    for row in rows_of(asked):
        if ids := sent_ids(asked, row, form):
            words = sent_words(asked, row, form) if asked.options.other and OTHER in ids else ""
            picks[row.name] = Pick(tuple(ids), words)
    return picks


def form_of_picks(asked: Prompt, picks: Mapping[str, Pick]) -> dict[str, str]:
    form = {}
    for row in rows_of(asked):
        if pick := picks.get(row.name):
            form[asked.field(*row.inner)] = "\n".join(pick.ids)
            if pick.words:
                form[asked.field(*row.inner, "words")] = pick.words
    return form


# ---- Answers


def answer_of(options: ChoiceOptions, picks: Mapping[str, Pick]) -> Json:
    """Return picks as the answer that is stored."""
    if options.rows is not None:
        return [{"row": row, **_as_object(options, pick)} for row, pick in picks.items()]
    return _as_object(options, picks[""]) if options.other else chosen_of(options, picks[""])


def _as_object(options: ChoiceOptions, pick: Pick) -> JsonObject:
    words: JsonObject = {"words": pick.words} if options.other else {}
    return {"chosen": chosen_of(options, pick), **words}


def chosen_of(options: ChoiceOptions, pick: Pick) -> Json:
    """Return the id that was picked, or the list of ids, which is empty for “none of these”."""
    return [*without_none(options, pick.ids)] if options.many else pick.ids[0]


def without_none(options: ChoiceOptions, ids: Sequence[str]) -> list[str]:
    return [id_ for id_ in ids if not (options.none and id_ == NONE)]


def picks_of(options: ChoiceOptions, value: Any) -> dict[str, Pick]:
    """Return the picks of an answer, by row."""
    if options.rows is not None:
        return {own["row"]: pick_of(own["chosen"], own.get("words", "")) for own in value}
    return {"": pick_of(value["chosen"], value["words"]) if options.other else pick_of(value)}


def pick_of(value: Any, words: str = "") -> Pick:
    ids = (value,) if isinstance(value, str) else tuple(value)
    return Pick(ids or (NONE,), words)


def label_of(options: ChoiceOptions, pick: Pick) -> str | frozenset[str]:
    """Return a pick as agreement measures it."""
    return frozenset(without_none(options, pick.ids)) if options.many else pick.ids[0]


def known_of(options: ChoiceOptions, value: Any) -> Any:
    """Return the answer that a description writes: an id or a list of ids, of each row by its name if there are rows.

    The ids of an answer are in the order of the description.
    """
    if options.rows is None:
        pick = _known_pick(options, value)
        return value if pick is None else answer_of(options, {"": pick})
    if isinstance(options.rows, RowsOfLines) or not isinstance(value, dict):
        return value
    names = [row.id for row in options.rows if row.id in value]
    picks = {name: pick for name in names if (pick := _known_pick(options, value[name]))}
    return answer_of(options, picks) if picks and picks.keys() == value.keys() else value


def _known_pick(options: ChoiceOptions, value: Any) -> Pick | None:
    ids = [str(own) if type(own) is int else own for own in (value if isinstance(value, list) else [value])]
    labels = labels_of(options)
    if not all(isinstance(own, str) and own in labels for own in ids):
        return None
    is_allowed = len(ids) == 1 or (options.many and not (options.none and NONE in ids))
    is_possible = is_allowed and len({*ids}) == len(ids) and not (options.other and OTHER in ids)
    is_none = isinstance(value, list) and not ids and bool(options.none)
    return Pick(tuple(own for own in labels if own in ids)) if is_possible and (ids or is_none) else None


# ---- Comparing


def closeness_of(left: Mapping[str, Pick], right: Mapping[str, Pick]) -> float:
    """Return the mean F1 of the rows; a row that only one of them has counts 0."""
    rows = {*left, *right}
    shared = sum(_f1(left[row].ids, right[row].ids) for row in left.keys() & right.keys())
    return shared / len(rows) if rows else 1.0


def _f1(left: Sequence[str], right: Sequence[str]) -> float:
    return 2 * len({*left} & {*right}) / (len(left) + len(right))
