"""The key of a test (AnswerKey): scores for combinations of options, and how their sum becomes a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from marketplace.qualification_tests.answers import FormAnswer
from marketplace.qualification_tests.form import ChoiceField, FormQuestion, QuestionForm, TextField
from marketplace.qualification_tests.reading import Part, read_root, shortened

DOCUMENT = "AnswerKey"
HIGHEST_SCORE = 1_000_000
HIGHEST_VALUE = 2**31 - 1
MOST_DIGITS = 20


@dataclass(frozen=True)
class KeyedQuestion:
    """The scores of a question by the options that are selected, no more and no fewer."""

    scores: Mapping[frozenset[str], int]
    default: int = 0

    def score(self, selected: tuple[str, ...]) -> int:
        return self.scores.get(frozenset(selected), self.default)


@dataclass(frozen=True)
class Mapped:
    """How a sum of scores becomes a value: times a factor, rounded half away from zero, or by its range."""

    factor: Fraction = Fraction(1)
    ranges: tuple[tuple[int, int, int], ...] = ()  # lowest sum, highest sum, value
    otherwise: int | None = None  # the value of a sum within no range

    def value(self, total: int) -> int:
        if self.otherwise is not None:
            return next((value for low, high, value in self.ranges if low <= total <= high), self.otherwise)
        exact = total * self.factor
        return int(abs(exact) + Fraction(1, 2)) * (-1 if exact < 0 else 1)


@dataclass(frozen=True)
class Key:
    questions: Mapping[str, KeyedQuestion]
    mapped: Mapped = field(default_factory=Mapped)

    def total(self, answers: Mapping[str, FormAnswer]) -> int:
        """Return the sum of the scores; a question that the key does not name adds nothing."""
        return sum(
            question.score(answers.get(identifier, FormAnswer()).selected)
            for identifier, question in self.questions.items()
        )

    def value(self, answers: Mapping[str, FormAnswer]) -> int:
        """Return the value of the qualification that these answers earn."""
        return self.mapped.value(self.total(answers))


def read_key(xml: str, form: QuestionForm) -> Key:
    """Return the key of this test; raise a BadTest that names the line unless both fit together."""
    root = read_root(DOCUMENT, xml, "AnswerKey")
    children = root.parts("Question", "QualificationValueMapping")
    by_identifier = {question.identifier: question for question in form.questions}
    for question in form.questions:
        _check_can_be_scored(root, question)
    questions: dict[str, KeyedQuestion] = {}
    for part in children:
        if part.name == "Question":
            identifier, keyed = _question(part, by_identifier)
            if identifier in questions:
                raise part.wrong(f"the question “{identifier}” has two keys.")
            questions[identifier] = keyed
    if not questions:
        raise root.wrong("<AnswerKey> needs at least one <Question>.")
    mappings = [part for part in children if part.name == "QualificationValueMapping"]
    if len(mappings) > 1 or (mappings and children[-1].name != "QualificationValueMapping"):
        raise mappings[0].wrong("<QualificationValueMapping> comes once, after the questions.")
    key = Key(questions, _mapping(mappings[0]) if mappings else Mapped())
    _check_values(mappings[0] if mappings else root, key)
    return key


def _check_can_be_scored(root: Part, question: FormQuestion) -> None:
    if isinstance(question.field, TextField):
        raise root.wrong(
            f"the question “{question.identifier}” of the test is answered with text, which a key cannot score. "
            "Leave the AnswerKey out and decide the requests yourself, or ask with a SelectionAnswer."
        )
    if question.field.other:
        raise root.wrong(
            f"the question “{question.identifier}” of the test has an OtherSelection, which a key cannot score."
        )


def _question(part: Part, questions: Mapping[str, FormQuestion]) -> tuple[str, KeyedQuestion]:
    children = part.parts("QuestionIdentifier", "AnswerOption", "DefaultScore")
    names = [child.name for child in children]
    is_in_order = names == sorted(names, key=["QuestionIdentifier", "AnswerOption", "DefaultScore"].index)
    if not is_in_order or names.count("QuestionIdentifier") != 1 or names.count("DefaultScore") > 1:
        raise part.wrong("<Question> has a QuestionIdentifier, then AnswerOptions, then at most one DefaultScore.")
    if "AnswerOption" not in names:
        raise part.wrong("<Question> needs at least one <AnswerOption>.")
    identifier = children[0].name_text()
    if identifier not in questions:
        raise children[0].wrong(f"the test has no question “{shortened(identifier)}”.")
    asked = questions[identifier].field
    scores: dict[frozenset[str], int] = {}
    for option in children[1:]:
        if option.name == "AnswerOption" and isinstance(asked, ChoiceField):
            combination, score = _option(option, asked)
            if combination in scores:
                raise option.wrong("an earlier <AnswerOption> of this question has the same selections.")
            scores[combination] = score
    default = children[-1].number(-HIGHEST_SCORE, HIGHEST_SCORE) if names[-1] == "DefaultScore" else 0
    return identifier, KeyedQuestion(scores, default)


def _option(part: Part, asked: ChoiceField) -> tuple[frozenset[str], int]:
    children = part.parts("SelectionIdentifier", "AnswerScore")
    if [child.name for child in children].count("AnswerScore") != 1 or children[-1].name != "AnswerScore":
        raise part.wrong("<AnswerOption> has SelectionIdentifiers, then one AnswerScore.")
    selected = [child.name_text() for child in children[:-1]]
    offered = {selection.identifier for selection in asked.selections}
    for child, identifier in zip(children, selected, strict=False):
        if identifier not in offered:
            raise child.wrong(f"the question of the test has no selection “{shortened(identifier)}”.")
    if not asked.fewest <= len(set(selected)) <= asked.most and selected:
        raise part.wrong(f"nobody can select {len(set(selected))} of them: the question asks for {asked.hint()}.")
    if not selected:
        raise part.wrong("<AnswerOption> needs at least one <SelectionIdentifier>.")
    return frozenset(selected), children[-1].number(-HIGHEST_SCORE, HIGHEST_SCORE)


def _mapping(part: Part) -> Mapped:
    kinds = part.parts("PercentageMapping", "ScaleMapping", "RangeMapping")
    if len(kinds) != 1:
        raise part.wrong("<QualificationValueMapping> has one PercentageMapping, ScaleMapping or RangeMapping.")
    kind = kinds[0]
    if kind.name == "PercentageMapping":
        highest = kind.in_order("MaximumSummedScore")["MaximumSummedScore"].number(1, HIGHEST_VALUE)
        return Mapped(factor=Fraction(100, highest))
    if kind.name == "ScaleMapping":
        return Mapped(factor=_decimal(kind.in_order("SummedScoreMultiplier")["SummedScoreMultiplier"]))
    return _ranges(kind)


def _decimal(part: Part) -> Fraction:
    text = part.text().strip()
    if len(text) > MOST_DIGITS or not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", text):
        raise part.wrong(f"<{part.name}> is “{shortened(text)}”; it must be a decimal number such as 3 or 0.5.")
    return Fraction(text)


def _ranges(part: Part) -> Mapped:
    children = part.parts("SummedScoreRange", "OutOfRangeQualificationValue")
    if len(children) < 2 or [child.name for child in children].count("OutOfRangeQualificationValue") != 1:
        raise part.wrong("<RangeMapping> has SummedScoreRanges and one OutOfRangeQualificationValue.")
    if children[-1].name != "OutOfRangeQualificationValue":
        raise part.wrong("<OutOfRangeQualificationValue> comes after the ranges.")
    ranges: list[tuple[int, int, int]] = []
    for child in children[:-1]:
        inner = child.in_order("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue")
        low, high, value = (bound.number(-HIGHEST_VALUE, HIGHEST_VALUE) for bound in inner.values())
        if low > high:
            raise child.wrong(f"the range from {low} to {high} is empty.")
        if any(low <= other_high and other_low <= high for other_low, other_high, _ in ranges):
            raise child.wrong(f"the range from {low} to {high} overlaps an earlier one.")
        ranges.append((low, high, value))
    return Mapped(ranges=tuple(ranges), otherwise=children[-1].number(-HIGHEST_VALUE, HIGHEST_VALUE))


def _check_values(part: Part, key: Key) -> None:
    """Raise unless every value that the test can give is a number of 32 bits."""
    possible = [[*question.scores.values(), question.default] for question in key.questions.values()]
    for total in (sum(map(min, possible)), sum(map(max, possible))):
        if abs(key.mapped.value(total)) > HIGHEST_VALUE:
            raise part.wrong(f"a sum of {total} would become a value beyond {HIGHEST_VALUE}.")
