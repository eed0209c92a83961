"""The questions of a test, as a QuestionForm describes them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from marketplace.qualification_tests.patterns import Pattern

MOST_TYPED = 5000  # characters of an answer that somebody types


@dataclass(frozen=True)
class Block:
    """A piece of content: a title, text, a list (its items), or html (safe, see formatted.py)."""

    kind: str
    text: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A regular expression that an answer must match, and what its writer reads otherwise."""

    pattern: Pattern
    error: str


@dataclass(frozen=True)
class TextField:
    """A text that somebody types, and what it must be."""

    is_numeric: bool = False
    low: int | None = None
    high: int | None = None
    shortest: int = 0
    longest: int = MOST_TYPED
    formats: tuple[Format, ...] = ()
    default: str = ""
    lines: int = 1

    def problem(self, text: str) -> str:
        """Return what is wrong with a text that is not empty; "" if nothing is."""
        if not self.shortest <= len(text) <= self.longest:
            return self._length_problem(len(text))
        if self.is_numeric and (problem := self._number_problem(text)):
            return problem
        return next((form.error for form in self.formats if not form.pattern.occurs_in(text)), "")

    def hint(self) -> str:
        """Return what the text must be, in words; "" if anything will do."""
        parts = ["a number" + self._bounds()] if self.is_numeric else []
        if self.shortest or self.longest < MOST_TYPED:
            parts.append(self._lengths())
        return f"{', '.join(parts)}.".capitalize() if parts else ""

    def _length_problem(self, length: int) -> str:
        return f"The answer has {_characters(length)}; it must have {self._lengths()}."

    def _lengths(self) -> str:
        if not self.shortest:
            return f"at most {_characters(self.longest)}"
        if self.longest == MOST_TYPED:
            return f"at least {_characters(self.shortest)}"
        if self.shortest == self.longest:
            return f"exactly {_characters(self.longest)}"
        return f"from {self.shortest} to {_characters(self.longest)}"

    def _number_problem(self, text: str) -> str:
        number = number_in(text)
        if number is None:
            return "The answer must be a number, for example 12 or 0.5."
        is_within = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return "" if is_within else f"The answer must be a number{self._bounds()}."

    def _bounds(self) -> str:
        if self.low is None:
            return "" if self.high is None else f" up to {self.high}"
        return f" from {self.low} on" if self.high is None else f" from {self.low} to {self.high}"


@dataclass(frozen=True)
class Selection:
    """An option. `html` is safe; `text` is the same for lists that show text only."""

    identifier: str
    text: str
    html: str


@dataclass(frozen=True)
class ChoiceField:
    """Options of which somebody selects some; `other` is a text field beside them."""

    selections: tuple[Selection, ...]
    fewest: int = 1
    most: int = 1
    style: str = ""
    other: TextField | None = None

    @property
    def control(self) -> str:
        """Return how the options are shown: radio, checkbox or select. Lists of several are checkboxes, too."""
        if self.most > 1 or self.style == "checkbox":
            return "checkbox"
        return "select" if self.style in ("list", "dropdown", "combobox") else "radio"

    def problem(self, count: int) -> str:
        """Return what is wrong with this number of selections; "" if nothing is."""
        if self.fewest <= count <= self.most:
            return ""
        return f"Select {self.hint()}; you selected {count}."

    def hint(self) -> str:
        if self.fewest == self.most:
            return f"{self.most} {'answer' if self.most == 1 else 'answers'}"
        return f"at most {self.most}" if not self.fewest else f"from {self.fewest} to {self.most} answers"


@dataclass(frozen=True)
class FormQuestion:
    """A question, with what is shown above its field."""

    identifier: str
    name: str
    is_required: bool
    content: tuple[Block, ...]
    field: TextField | ChoiceField


@dataclass(frozen=True)
class Overview:
    """Content between questions."""

    content: tuple[Block, ...]


@dataclass(frozen=True)
class QuestionForm:
    """A whole test: questions and overviews in their order."""

    parts: tuple[FormQuestion | Overview, ...]

    @property
    def questions(self) -> list[FormQuestion]:
        return [part for part in self.parts if isinstance(part, FormQuestion)]


def number_in(text: str) -> Decimal | None:
    """Return the number that a text is; None if it is none."""
    digits = text.strip().lstrip("+-")
    is_number = digits.isascii() and digits.replace(".", "", 1).isdigit() and len(text.strip()) - len(digits) <= 1
    return Decimal(text.strip()) if is_number else None


def _characters(count: int) -> str:
    return f"{count} {'character' if count == 1 else 'characters'}"
