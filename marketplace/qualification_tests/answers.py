"""What somebody answered in a test: from the fields of the page to XML (QuestionFormAnswers) and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from marketplace.answers import FORBIDDEN, NAMESPACE
from marketplace.qualification_tests.form import ChoiceField, FormQuestion, QuestionForm, TextField
from marketplace.qualification_tests.reading import read_root

REQUIRED = "Please answer this question."
Fields = Mapping[str, Sequence[str]]


class BadAnswers(Exception):
    """Answers that cannot be stored; `problems` says why, by the question's identifier."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems.values()))


@dataclass(frozen=True)
class FormAnswer:
    """The answer to one question: a text that was typed (also beside options), or options that were selected."""

    text: str = ""
    selected: tuple[str, ...] = ()


def field_name(number: int, suffix: str = "") -> str:
    """Return the name of a question's field: q1 for the first, q1-other for the text beside its options."""
    return f"q{number}{suffix}"


def read_answers(form: QuestionForm, fields: Fields) -> tuple[dict[str, FormAnswer], dict[str, str]]:
    """Return the answers, and what is wrong with them, both by the question's identifier."""
    answers: dict[str, FormAnswer] = {}
    problems: dict[str, str] = {}
    for number, question in enumerate(form.questions, start=1):
        answer, problem = _read(question, field_name(number), fields)
        answers[question.identifier] = answer
        if problem:
            problems[question.identifier] = problem
    return answers, problems


def answers_xml(form: QuestionForm, answers: Mapping[str, FormAnswer]) -> str:
    """Return the answers as requesters read them. A text that was left empty is left out."""
    root = etree.Element("QuestionFormAnswers", nsmap={None: NAMESPACE})  # type: ignore[dict-item]
    for question in form.questions:
        answer, is_text = answers.get(question.identifier, FormAnswer()), isinstance(question.field, TextField)
        if is_text and not answer.text:
            continue
        element = etree.SubElement(root, "Answer")
        etree.SubElement(element, "QuestionIdentifier").text = question.identifier
        for identifier in answer.selected:
            etree.SubElement(element, "SelectionIdentifier").text = identifier
        if answer.text:
            etree.SubElement(element, "FreeText" if is_text else "OtherSelectionText").text = answer.text
    return etree.tostring(root, encoding="unicode", xml_declaration=False)


def read_answers_xml(xml: str) -> dict[str, FormAnswer]:
    """Return the answers that answers_xml wrote, by the question's identifier."""
    answers: dict[str, FormAnswer] = {}
    names = ("QuestionIdentifier", "SelectionIdentifier", "FreeText", "OtherSelectionText")
    for part in read_root("Answer", xml, "QuestionFormAnswers").parts("Answer"):
        children = part.parts(*names)
        texts = [child.text() for child in children if child.name in ("FreeText", "OtherSelectionText")]
        selected = tuple(child.text() for child in children if child.name == "SelectionIdentifier")
        answers[children[0].text()] = FormAnswer("".join(texts), selected)
    return answers


def _read(question: FormQuestion, name: str, fields: Fields) -> tuple[FormAnswer, str]:
    if isinstance(question.field, TextField):
        text = text_in(fields, name)
        return FormAnswer(text), _text_problem(question.field, text, is_required=question.is_required)
    return _read_choice(question, question.field, name, fields)


def _read_choice(question: FormQuestion, field: ChoiceField, name: str, fields: Fields) -> tuple[FormAnswer, str]:
    """Options come in the order of the form. A text beside them counts like an option."""
    sent = set(fields.get(name, ()))
    selected = tuple(option.identifier for option in field.selections if option.identifier in sent)
    text = text_in(fields, f"{name}-other") if field.other else ""
    answer, count = FormAnswer(text, selected), len(selected) + bool(text)
    if sent - set(selected) - {""}:
        return answer, "The form has an option that this question does not have. Reload the page."
    if not count:
        return answer, REQUIRED if question.is_required and field.fewest else ""
    problem = _text_problem(field.other, text, is_required=False) if field.other else ""
    return answer, field.problem(count) or problem


def text_in(fields: Fields, name: str) -> str:
    """Return a text with line breaks as \\n and without characters that XML cannot contain."""
    text = next(iter(fields.get(name, ())), "").replace("\r\n", "\n").replace("\r", "\n")
    return FORBIDDEN.sub("\ufffd", text)


def _text_problem(field: TextField, text: str, *, is_required: bool) -> str:
    if not text or (is_required and not text.strip()):
        return REQUIRED if is_required else ""
    return field.problem(text)
