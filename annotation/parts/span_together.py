"""All answers in one text, for a reviewer who settles a task: what everybody marked, and each difference.

The field holds the reviewer's own marks. Each mark of an answer is a box that takes it, so that the form works without
a script; with one, the field holds all marks, and the boxes follow it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from annotation.parts.base import Prompt
from annotation.parts.span_attributes import in_words
from annotation.parts.span_differences import SharedMark, SpanComparison, SpanDifference, compare_spans
from annotation.parts.span_lines import write_marks
from annotation.parts.span_marks import MarkedSpan, spans_of
from annotation.parts.spans_form import TAKEN, form_inputs, sent_marks, taken_marks
from annotation.parts.spans_options import offered_labels
from annotation.parts.words import shortened
from annotation.task_types.base import ComparedAnswer
from kernel.values import canonical_json

PATTERNS = 6  # of underlines; further people share them
PIECE = re.compile(r'<span data-start="(?P<start>[0-9]+)"')  # how each piece of the text begins


def together_inputs(asked: Prompt, form: Mapping[str, str], answers: Sequence[ComparedAnswer]) -> Mapping[str, Any]:
    """Return what the template draws: the form with all answers in its text, and boxes for their marks."""
    text, options = str(asked.texts.get(asked.options.text, "")), asked.options
    compared = compare_spans([spans_of(answer.value) for answer in answers], options.overlap)
    marks, refused = sent_marks(asked, form)
    if refused:
        taken, own = taken_marks(asked, form)[0], form.get(asked.field(), "")
    else:
        of_answers = {
            *map(_sent, compared.agreed),
            *(_sent(mark.span) for own in compared.differences for mark in own.marks),
        }
        taken = [span for span in marks if _sent(span) in of_answers]
        own = write_marks(text, [span for span in marks if _sent(span) not in of_answers], options)
    drawn = _Drawing(asked, text, answers, taken)
    inputs = form_inputs(asked, {**form, asked.field(): own, asked.field(TAKEN): ""})
    return {
        **inputs,
        "marks": canonical_json([span.to_json() for span in marks]),
        "html": drawn.decorated(inputs["html"], compared),
        "taken_field": asked.field(TAKEN),
        "people": [
            {"letter": answer.letter, "name": answer.name, "line": pattern_of(number)}
            for number, answer in enumerate(answers)
        ],
        "lanes": min(len(answers), PATTERNS),
        "agreed": [drawn.box(SharedMark(span, tuple(range(len(answers))))) for span in compared.agreed],
        "differences": [
            {
                "number": number,
                "start": own.start,
                "end": own.end,
                "words": shortened(text[own.start : own.end]),
                "boxes": [drawn.box(mark) for mark in own.marks],
                "without": [answer.letter for place, answer in enumerate(answers) if not own.of(place)],
            }
            for number, own in enumerate(compared.differences, 1)
        ],
    }


def pattern_of(number: int) -> int:
    """Return the underline of an answer, by its place among all answers."""
    return number % PATTERNS + 1


def _sent(span: MarkedSpan) -> str:
    """Return a mark as its box sends it."""
    return canonical_json(span.to_json())


class _Drawing:
    """What marks look like on one page."""

    def __init__(
        self, asked: Prompt, text: str, answers: Sequence[ComparedAnswer], taken: Iterable[MarkedSpan]
    ) -> None:
        self.name, self.text, self.taken = asked.name, text, {*map(_sent, taken)}
        self.attributes = asked.options.attributes
        self.letters = [answer.letter for answer in answers]
        self.labels = {own.id: own for own in offered_labels(asked.options)}
        self.attributes = asked.options.attributes

    def box(self, mark: SharedMark) -> dict[str, Any]:
        label = self.labels[mark.span.label]
        return {
            "value": _sent(mark.span),
            "letters": self.letters_of(mark),
            "words": shortened(mark.span.words(self.text)),
            "label": label.words,
            "answers": in_words(mark.span.attributes, self.attributes),
            "colour": label.colour,
            "is_taken": _sent(mark.span) in self.taken,
        }

    def letters_of(self, mark: SharedMark) -> list[str]:
        return [self.letters[number] for number in mark.answers]

    def decorated(self, html: str, compared: SpanComparison) -> str:
        """Return the text of the form: pieces say which underlines they have, and a link stands before each mark."""
        differences, agreed = compared.differences, [*reversed(compared.agreed)]
        begins = defaultdict[int, list[tuple[SharedMark, int]]](list)
        for number, own in enumerate(differences, 1):
            for mark in own.marks:
                begins[mark.span.start].append((mark, number))
        reaching: list[tuple[SharedMark, int]] = []
        quiet_until = 0

        def decorate(piece: re.Match[str]) -> str:
            nonlocal quiet_until
            start = int(piece["start"])
            while agreed and agreed[-1].start <= start:
                quiet_until = max(quiet_until, agreed.pop().end)
            reaching[:] = [*(own for own in reaching if own[0].span.end > start), *begins[start]]
            links = "".join(self._link(mark, number, differences[number - 1]) for mark, number in begins[start])
            quiet = " data-agreed" if start < quiet_until else ""
            return f"{links}{piece[0]}{quiet}{_underlined(reaching)}"

        return PIECE.sub(decorate, html)

    def _link(self, mark: SharedMark, number: int, difference: SpanDifference) -> str:
        letters, label = " ".join(self.letters_of(mark)), self.labels[mark.span.label].words
        has_several = len({own.span.label for own in difference.marks}) > 1
        shown = f"{letters} · {label}" if has_several else letters
        words = f"Difference {number}, {letters}: “{shortened(mark.span.words(self.text))}”, {label}"
        return (
            f'<a class="together__who" href="#{self.name}-{number}" data-difference="{number}" '
            f'data-who="{escape(shown)}" aria-label="{escape(words)}"></a>'
        )


def _underlined(reaching: Sequence[tuple[SharedMark, int]]) -> str:
    """Return attributes that say which answers and differences have a mark here."""
    if not reaching:
        return ""
    lines = sorted({pattern_of(number) for mark, _ in reaching for number in mark.answers})
    numbers = sorted({number for _, number in reaching})
    return f' data-lines="{" ".join(map(str, lines))}" data-in="{" ".join(map(str, numbers))}"'
