"""A test as a page shows it: each question with its control, what was answered, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from marketplace.qualification_tests.answers import Fields, FormAnswer, field_name, text_in
from marketplace.qualification_tests.form import Block, ChoiceField, FormQuestion, Overview, QuestionForm, TextField


@dataclass(frozen=True)
class ShownOption:
    identifier: str
    text: str
    html: str
    is_chosen: bool


@dataclass(frozen=True)
class ShownPart:
    """A question, or content between questions (which has no control)."""

    content: tuple[Block, ...]
    control: str = ""  # line, lines, radio, checkbox, select
    field: str = ""
    title: str = ""
    is_required: bool = False
    is_numeric: bool = False
    rows: int = 1
    text: str = ""
    options: tuple[ShownOption, ...] = ()
    has_other: bool = False
    hint: str = ""
    problem: str = ""


@dataclass(frozen=True)
class ShownAnswer:
    """An answer for the person who decides about it: the question, and what was selected or typed."""

    title: str
    content: tuple[Block, ...]
    selected: tuple[str, ...]
    text: str


def shown_parts(form: QuestionForm, sent: Fields | None, problems: Mapping[str, str]) -> list[ShownPart]:
    """Return the parts of a page; before anything was sent, texts stand at their default."""
    parts: list[ShownPart] = []
    number = 0
    for part in form.parts:
        if isinstance(part, Overview):
            parts.append(ShownPart(part.content))
            continue
        number += 1
        parts.append(_shown(part, number, sent, problems.get(part.identifier, "")))
    return parts


def shown_answers(form: QuestionForm, answers: Mapping[str, FormAnswer]) -> list[ShownAnswer]:
    """Return the answers in the order of the questions, with options in their own words."""
    rows: list[ShownAnswer] = []
    for number, question in enumerate(form.questions, start=1):
        answer, field = answers.get(question.identifier, FormAnswer()), question.field
        options = field.selections if isinstance(field, ChoiceField) else ()
        selected = tuple(option.text for option in options if option.identifier in answer.selected)
        rows.append(ShownAnswer(_title(question, number), question.content, selected, answer.text))
    return rows


def _shown(question: FormQuestion, number: int, sent: Fields | None, problem: str) -> ShownPart:
    name, field = field_name(number), question.field
    title = _title(question, number)
    if isinstance(field, TextField):
        text = field.default if sent is None else text_in(sent, name)
        return ShownPart(
            question.content, "lines" if field.lines > 1 else "line", name, title, question.is_required,
            field.is_numeric, field.lines, text, hint=field.hint(), problem=problem,
        )  # fmt: skip
    chosen = set((sent or {}).get(name, ()))
    options = tuple(
        ShownOption(option.identifier, option.text, option.html, option.identifier in chosen)
        for option in field.selections
    )
    text = text_in(sent or {}, f"{name}-other")
    if sent is None and field.other:
        text = field.other.default
    return ShownPart(
        question.content, field.control, name, title, question.is_required, text=text, options=options,
        has_other=field.other is not None, hint=_hint(field), problem=problem,
    )  # fmt: skip


def _title(question: FormQuestion, number: int) -> str:
    return question.name or f"Question {number}"


def _hint(field: ChoiceField) -> str:
    """Return how many options to select, where the control does not say it; and what the text beside them must be."""
    if field.other:
        count = "Select an option" if field.most == 1 else f"Select {field.hint()}; a text counts as one"
        return f"{count}{', or write another answer' if field.most == 1 else ''}. {field.other.hint()}".strip()
    return f"Select {field.hint()}." if field.control == "checkbox" else ""
