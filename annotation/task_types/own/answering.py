"""The parts of an own task as they are asked about one item, and the answer that a form gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.parts import PARTS
from annotation.parts.base import Part, Prompt
from annotation.task_types.base import OF_THE_ANSWER, FieldRemark, JsonObject, Level, Remark, answer_field
from annotation.task_types.own.description import as_list
from kernel.values import Json

SKIP = answer_field("skip")
SKIPPED = "yes"


@dataclass(frozen=True)
class AskedPart:
    """A part with its kind, as one person is asked it."""

    use: Any  # its place in the description: name, ask, help, its options …
    part: Part
    asked: Prompt

    @property
    def name(self) -> str:
        return str(self.use.name)


def asked_parts(
    uses: Sequence[Any], question: Mapping[str, Any], shown: Mapping[str, Any] | None = None
) -> list[AskedPart]:
    texts, orders = question.get("texts", {}), (shown or {}).get("order", {})
    parts = []
    for use in uses:
        part = PARTS[use.kind]
        columns = (*part.columns(use), *part.extra_columns(use))
        own = {name: texts[name] for name in columns if name in texts}
        parts.append(AskedPart(use, part, Prompt(use.name, use, own, orders.get(use.name, ()))))
    return parts


def is_skipped(form: Mapping[str, str]) -> bool:
    return bool(form.get(SKIP))


def answered(parts: Sequence[AskedPart], form: Mapping[str, str]) -> Iterator[tuple[AskedPart, Json]]:
    """Yield each part with its answer, None where it is not shown, was left out or cannot stand."""
    values: dict[str, Any] = {}
    for own in parts:
        is_asked = is_shown(own.use, parts, values) and not own.part.is_empty(own.asked, form)
        refused = is_asked and any(
            objection.remark.level == Level.BLOCK for objection in own.part.remarks(own.asked, form)
        )
        values[own.name] = own.part.read(own.asked, form) if is_asked and not refused else None
        yield own, values[own.name]


def is_shown(use: Any, parts: Sequence[AskedPart], values: Mapping[str, Any]) -> bool:
    return all(_has(name, wanted, parts, values) for name, wanted in use.show_when.items())


def _has(name: str, wanted: str | Sequence[str], parts: Sequence[AskedPart], values: Mapping[str, Any]) -> bool:
    """Tell whether a part was answered with one of these values."""
    own = next(own for own in parts if own.name == name)
    value = values.get(name)
    return value is not None and not {*as_list(wanted)}.isdisjoint(own.part.chosen_values(value))


def remarks_on(task: Any, parts: Sequence[AskedPart], form: Mapping[str, str]) -> list[FieldRemark]:
    """Return everything that can be said about a form, in the order of the parts."""
    if is_skipped(form) and task.skip:
        return []
    remarks: list[FieldRemark] = []
    values: dict[str, Any] = {}
    for own, value in answered(parts, form):
        if is_shown(own.use, parts, values):
            if not own.part.is_empty(own.asked, form):
                remarks += own.part.remarks(own.asked, form)
            elif not own.use.optional:
                remarks.append(own.part.missing(own.asked))
        values[own.name] = value
    return [*remarks, *_together(task, parts, values)]


def _together(task: Any, parts: Sequence[AskedPart], values: Mapping[str, Any]) -> Iterator[FieldRemark]:
    for number, check in enumerate(task.checks):
        if all(_has(name, wanted, parts, values) for name, wanted in check.together.items()):
            field = answer_field(list(check.together)[-1])
            yield FieldRemark(field, Remark(f"together_{number}", check.level, check.say))


def part_of(remark: FieldRemark) -> str:
    """Return the name of the part that a remark is about."""
    return remark.field.removeprefix(OF_THE_ANSWER).partition(".")[0]


def as_answer(parts: Sequence[AskedPart], form: Mapping[str, str]) -> JsonObject:
    return {own.name: value for own, value in answered(parts, form)}
