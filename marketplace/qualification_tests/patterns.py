"""Regular expressions of requesters (AnswerFormatRegex), in the syntax of JavaScript, matched in linear time.

The answer is compared with every state of the expression at once, so no expression can take longer than its number of
states times the length of the answer. What cannot be matched in this way (back references, looking ahead and behind) is
refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_CHARACTERS = 1000
MOST_STATES = 500
MOST_REPEATS = 1000
DEEPEST = 40
DIGITS = (("0", "9"),)
WORD = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
SPACE = (("\t", "\r"), (" ", " "), ("\xa0", "\xa0"), ("\u1680", "\u1680"), ("\u2000", "\u200a"), ("\u2028", "\u2029"),
         ("\u202f", "\u202f"), ("\u205f", "\u205f"), ("\u3000", "\u3000"), ("\ufeff", "\ufeff"))  # fmt: skip
LINE_ENDS = (("\n", "\n"), ("\r", "\r"), ("\u2028", "\u2029"))
CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE}
CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}
MOST_KNOWN = 20_000
MOST_REMEMBERED = 200  # steps of one search that are kept, so that a repeated step costs nothing
Ranges = tuple[tuple[str, str], ...]


class BadPattern(Exception):
    """An expression that is wrong, or that this module cannot match; the text says why."""


@dataclass(frozen=True)
class Characters:
    """One character of a set. `others` are classes with the opposite meaning, such as \\D within brackets."""

    ranges: Ranges
    is_negated: bool = False
    others: tuple[Ranges, ...] = ()

    def has(self, character: str, *, ignore_case: bool) -> bool:
        forms = {character, character.lower(), character.upper()} if ignore_case else {character}
        return any(self._has(form) for form in forms) != self.is_negated

    def _has(self, character: str) -> bool:
        return _within(character, self.ranges) or any(not _within(character, ranges) for ranges in self.others)


@dataclass(frozen=True)
class Place:
    """A place between characters: ^, $, b (edge of a word) or B."""

    kind: str


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    part: Node
    low: int
    high: int | None


Node = Characters | Place | Sequence | Choice | Repeat


@dataclass
class Step:
    """A state: it accepts a character, or leads to others at once (if its place fits)."""

    accepts: Characters | None = None
    place: str = ""
    leads: list[int] = field(default_factory=list)


class Pattern:
    """A compiled expression."""

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        """Raise a BadPattern unless the expression can be matched safely."""
        if len(text) > MOST_CHARACTERS:
            raise BadPattern(f"it has more than {MOST_CHARACTERS} characters")
        tree = _Parser(text).whole()
        if _size(tree) > MOST_STATES:
            raise BadPattern(f"it has more than {MOST_STATES} states; use smaller numbers in its braces")
        self.ignore_case = ignore_case
        self.steps: list[Step] = []
        self.known: dict[tuple[int, str], bool] = {}  # whether a state accepts a character
        self.end = self._add(Step())
        self.start = self._build(tree, self.end)

    @property
    def states(self) -> int:
        return len(self.steps)

    def occurs_in(self, text: str) -> bool:
        """Return whether any part of the text matches."""
        active: frozenset[int] = frozenset()
        remembered: dict[tuple[frozenset[int], str, tuple[bool, ...]], frozenset[int] | None] = {}
        for position in range(len(text) + 1):
            character = text[position] if position < len(text) else ""
            before = text[position - 1] if position else ""
            around = (position == 0, not character, _is_word(before), _is_word(character))
            key = (active, character, around)
            if key not in remembered:
                if len(remembered) >= MOST_REMEMBERED:
                    remembered.clear()
                remembered[key] = self._advance(active, character, around)
            following = remembered[key]
            if following is None:
                return True
            active = following
        return False

    def _advance(self, active: frozenset[int], character: str, around: tuple[bool, ...]) -> frozenset[int] | None:
        """Return the states after this character; None if the expression has matched before it."""
        following: set[int] = set()
        seen: set[int] = set()
        waiting = [*active, self.start]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if number == self.end:
                return None
            step = self.steps[number]
            if step.accepts is not None:
                if character and self._accepts(number, step.accepts, character):
                    following.add(step.leads[0])
            elif not step.place or _fits(step.place, around):
                waiting.extend(step.leads)
        return frozenset(following)

    def _accepts(self, number: int, characters: Characters, character: str) -> bool:
        key = (number, character)
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = characters.has(character, ignore_case=self.ignore_case)
        return self.known[key]

    def _add(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _build(self, node: Node, after: int) -> int:
        """Add the states of a node that lead on to `after`; return the first."""
        if isinstance(node, Characters):
            return self._add(Step(accepts=node, leads=[after]))
        if isinstance(node, Place):
            return self._add(Step(place=node.kind, leads=[after]))
        if isinstance(node, Choice):
            return self._add(Step(leads=[self._build(option, after) for option in node.options]))
        if isinstance(node, Repeat):
            return self._repeated(node, after)
        for part in reversed(node.parts):
            after = self._build(part, after)
        return after

    def _repeated(self, node: Repeat, after: int) -> int:
        if node.high is None:
            again = Step(leads=[after])
            after = self._add(again)
            again.leads.append(self._build(node.part, after))
        else:
            last = after
            for _ in range(node.high - node.low):
                after = self._add(Step(leads=[last, self._build(node.part, after)]))
        for _ in range(node.low):
            after = self._build(node.part, after)
        return after


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0

    def whole(self) -> Node:
        tree = self.choice()
        if self.at < len(self.text):
            raise self.wrong("a closing parenthesis has no opening one")
        return tree

    def choice(self) -> Node:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self.quantified())
        return Sequence(tuple(parts))

    def quantified(self) -> Node:
        part = self.atom()
        limits = self.quantifier()
        if limits is None:
            return part
        if isinstance(part, Place):
            raise self.wrong("a place such as ^ or \\b cannot be repeated")
        self.take("?")  # whether the shortest or the longest match is taken makes no difference here
        if self.quantifier() is not None:
            raise self.wrong("nothing stands before a quantifier")
        return Repeat(part, *limits)

    def quantifier(self) -> tuple[int, int | None] | None:
        for sign, limits in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(sign):
                return limits
        return self.braces()

    def braces(self) -> tuple[int, int | None] | None:
        """Return the numbers of {2}, {2,} or {2,5}; other braces are characters."""
        end = self.text.find("}", self.at)
        if not self.text.startswith("{", self.at) or end < 0:
            return None
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if not _is_number(low) or (high and not _is_number(high)):
            return None
        if max(len(low), len(high)) > 6 or max(int(low), int(high or 0)) > MOST_REPEATS:
            raise self.wrong(f"braces repeat at most {MOST_REPEATS} times")
        if high and int(high) < int(low):
            raise self.wrong("the numbers in braces are in the wrong order")
        self.at = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def atom(self) -> Node:
        sign = self.text[self.at]
        if sign in "*+?":
            raise self.wrong("nothing stands before a quantifier")
        self.at += 1
        if sign == "(":
            return self.group()
        if sign == "[":
            return self.brackets()
        if sign == "\\":
            return self.escape()
        if sign in "^$":
            return Place(sign)
        return Characters(LINE_ENDS, is_negated=True) if sign == "." else _just(sign)

    def group(self) -> Node:
        start = self.at - 1
        for sign in ("?=", "?!", "?<=", "?<!"):
            if self.text.startswith(sign, self.at):
                raise BadPattern(f"at character {start + 1}: looking ahead or behind, ({sign}…), is not supported")
        if not self.take("?:") and self.take("?"):
            self.name(start)
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadPattern(f"it has more than {DEEPEST} groups within each other")
        tree = self.choice()
        self.depth -= 1
        if not self.take(")"):
            raise BadPattern(f"at character {start + 1}: a parenthesis is not closed")
        return tree

    def name(self, start: int) -> None:
        """Read the name of a group, <name>."""
        end = self.text.find(">", self.at)
        if not self.take("<") or end < 0 or not self.text[self.at : end].isidentifier():
            raise BadPattern(f"at character {start + 1}: a group begins with (, (?: or (?<name>")
        self.at = end + 1

    def escape(self) -> Node:
        if self.take("b"):
            return Place("b")
        if self.take("B"):
            return Place("B")
        kind, negated = self.class_escape()
        if kind:
            return Characters(kind, is_negated=negated)
        return _just(self.character_escape())

    def class_escape(self) -> tuple[Ranges, bool]:
        """Return the class of \\d, \\W and their like, and whether it is the opposite; no class if it is none."""
        sign = self.text[self.at : self.at + 1]
        if sign.lower() not in CLASSES or not sign:
            return (), False
        self.at += 1
        return CLASSES[sign.lower()], sign.isupper()

    def character_escape(self) -> str:
        """Return the character that an escape stands for; `at` is behind the backslash."""
        sign = self.text[self.at : self.at + 1]
        if not sign:
            raise self.wrong("it ends with a backslash")
        if sign in "123456789k":
            raise self.wrong(f"a reference to a group, \\{sign}, is not supported")
        if sign in "pP":
            raise self.wrong(f"a Unicode property, \\{sign}, is not supported")
        self.at += 1
        if sign in "xu":
            return self.hexadecimal(2 if sign == "x" else 4) or sign
        if sign == "c":
            letter = self.text[self.at : self.at + 1]
            if not (letter.isascii() and letter.isalpha()):
                raise self.wrong("\\c needs a letter")
            self.at += 1
            return chr(ord(letter.upper()) - 64)
        return CONTROLS.get(sign, sign)

    def hexadecimal(self, count: int) -> str:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            return ""
        self.at += count
        return chr(int(digits, 16))

    def brackets(self) -> Characters:
        start = self.at
        negated = self.take("^")
        ranges: list[tuple[str, str]] = []
        others: list[Ranges] = []
        while not self.take("]"):
            low = self.member(start, ranges, others)
            if low and self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
                self.at += 1
                high = self.member(start, ranges, others)
                ranges.extend([(low, high)] if high else [(low, low), ("-", "-")])
                if high and high < low:
                    raise self.wrong("a range in brackets is in the wrong order")
            elif low:
                ranges.append((low, low))
        return Characters(tuple(ranges), negated, tuple(others))

    def member(self, start: int, ranges: list[tuple[str, str]], others: list[Ranges]) -> str:
        """Return the next character in brackets; a class is added to the set at once and returned as ""."""
        if self.at >= len(self.text):
            raise BadPattern(f"at character {start}: a bracket is not closed")
        if not self.take("\\"):
            self.at += 1
            return self.text[self.at - 1]
        if self.take("b"):
            return "\b"
        kind, negated = self.class_escape()
        if not kind:
            return self.character_escape()
        if negated:
            others.append(kind)
        else:
            ranges.extend(kind)
        return ""

    def take(self, sign: str) -> bool:
        """Go behind this text if it comes next."""
        is_next = self.text.startswith(sign, self.at)
        self.at += len(sign) if is_next else 0
        return is_next

    def wrong(self, problem: str) -> BadPattern:
        return BadPattern(f"at character {self.at + 1}: {problem}")


def _just(character: str) -> Characters:
    return Characters(((character, character),))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_word(character: str) -> bool:
    return bool(character) and _within(character, WORD)


def _within(character: str, ranges: Ranges) -> bool:
    return any(low <= character <= high for low, high in ranges)


def _fits(place: str, around: tuple[bool, ...]) -> bool:
    at_start, at_end, after_word, before_word = around
    return {"^": at_start, "$": at_end, "b": after_word != before_word, "B": after_word == before_word}[place]


def _size(node: Node) -> int:
    """Return how many states a node becomes."""
    if isinstance(node, Repeat):
        copies, forks = (node.low + 1, 1) if node.high is None else (node.high, node.high - node.low)
        return copies * _size(node.part) + forks
    if isinstance(node, Sequence):
        return sum(map(_size, node.parts))
    return 1 + (sum(map(_size, node.options)) if isinstance(node, Choice) else 0)
