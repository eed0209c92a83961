"""A whole description: read, and tried with its own practice questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.task_types.base import EMPTY, Level
from annotation.task_types.own.answering import as_answer, part_of
from annotation.task_types.own.description import OwnSettings
from annotation.task_types.own.reading import BadLine, InvalidDescription, Path, read_with_lines
from annotation.task_types.own.type import OwnType
from corpus.items import ITEM_KINDS
from kernel.errors import InvalidInput
from kernel.values import Json

UNKEPT = "own-1@1"  # the version of a description that was not kept yet


def checked_description(text: str) -> Any:
    """Return the description (an `OwnTask`), or raise InvalidDescription with everything that is wrong."""
    task, lines = read_with_lines(text)
    if problems := [*_in_practice(task, lines)] or [*_in_texts(task, lines)]:
        raise InvalidDescription(problems)
    return task


def _in_texts(task: Any, lines: Mapping[Path, int]) -> Iterator[BadLine]:
    """Yield what is wrong with the names of texts: an item must be able to have them."""
    try:
        example_item(type_of_description(task))
    except InvalidInput as error:
        yield BadLine(lines.get(("show",), lines.get(("parts",), 0)), "texts", error.sentence.rstrip("."))


def type_of_description(task: Any, version: str = UNKEPT) -> OwnType:
    return OwnType(OwnSettings(version=version, description=task))


def _in_practice(task: Any, lines: Mapping[Path, int]) -> Iterator[BadLine]:
    """Yield what is wrong with the practice questions: their known answers must be answers."""
    type_ = type_of_description(task)
    names = [use.name for use in task.parts]
    for number, lesson in enumerate(task.practice):
        place: Path = ("practice", number)
        line = lines.get((*place, "answers"), lines.get(place, 0))
        if unknown := [name for name in lesson.answers if name not in names]:
            yield BadLine(line, f"practice {number + 1}, answers", f"there is no part “{unknown[0]}”")
            continue
        try:
            item = ITEM_KINDS[type_.item_kind].from_row(dict(lesson.item))
        except InvalidInput as error:
            where = lines.get((*place, "item"), line)
            yield BadLine(where, f"practice {number + 1}, item", error.sentence.rstrip("."))
            continue
        if missing := type_.missing_texts(item):
            where = lines.get((*place, "item"), line)
            known = ", ".join(type_.texts(item))
            why = f"there is no text “{missing[0]}”, which the page shows; there are {known}"
            yield BadLine(where, f"practice {number + 1}, item", why)
        elif why := type_.bad_suggestion(item):
            yield BadLine(lines.get((*place, "item"), line), f"practice {number + 1}, item", why)
        elif why := _wrong_answer(type_, item, lesson.answers):
            yield BadLine(line, f"practice {number + 1}, answers", why.rstrip("."))


def _wrong_answer(type_: OwnType, item: Any, answers: Mapping[str, Any]) -> str:
    """Return why these answers cannot be right; "" if they can. Parts without a right answer may be left out."""
    question = type_.question(item)
    known = type_.known(answers, item)
    if type_.is_skip(known) and not type_.task.skip:
        return "this answers no question, and people cannot skip (skip)"
    try:
        form = type_.form(question, known)
        is_same = as_answer(type_.parts(question), form) == known
        refused = [own for own in type_.checks(question, form) if own.remark.level == Level.BLOCK]
    except (KeyError, TypeError, ValueError, AttributeError):
        refused, is_same = [], False
    if whys := [own.remark.why for own in refused if part_of(own) in answers or own.remark.code != EMPTY]:
        return whys[0]
    return "" if is_same else "this is no answer that people can give; see the kind of the part for the way to write it"


def example_item(type_: OwnType) -> Any:
    """Return an item to show the page with: that of the first practice question, or one that only names its texts."""
    if type_.practice:
        return type_.practice[0].item
    names = [*(own.text for own in type_.task.show), *type_.needed] or ["text"]
    texts: dict[str, Json] = {name: f"Here people read “{name}”." for name in names}
    if type_.item_kind != "rows":
        texts = {"title": "A text", "text": texts.get("text", "…")}
    return ITEM_KINDS[type_.item_kind].from_row(texts)
