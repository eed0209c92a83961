"""Pieces of a text that people mark, each with a label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from annotation.lookups import PAGES
from annotation.parts.base import NO_TEXTS, AnswerPiece, Part, PartOptions, Prompt, says_the_usual, usual
from annotation.parts.span_attributes import SIGN, SpanAttribute, Value, in_words
from annotation.parts.span_consensus import RULES, agreed_fields, agreed_spans, attribute_fields, place_fields
from annotation.parts.span_differences import compare_spans
from annotation.parts.span_files import span_formats
from annotation.parts.span_files.released import ItemTexts
from annotation.parts.span_follow_ups import ConfirmSpans
from annotation.parts.span_invented import invented_attributes
from annotation.parts.span_lines import read_lines, write_marks
from annotation.parts.span_marks import (
    ATTRIBUTES,
    MarkedSpan,
    f1,
    is_answer,
    spans_of,
    why_incomplete,
    why_not_together,
)
from annotation.parts.span_pages import (
    closeness_of_links,
    linked,
    other_pages,
    page_attributes,
    titles_of,
    unknown_remark,
)
from annotation.parts.span_suggestions import (
    SUGGESTED,
    as_keys,
    changes,
    shown_suggestions,
    sound_suggestions,
    why_not_suggested,
)
from annotation.parts.span_together import together_inputs
from annotation.parts.span_tokens import Token, tokens_of
from annotation.parts.spans_form import form_inputs, has_marks, has_none, sent_marks
from annotation.parts.spans_options import SpansOptions, words_of_labels
from annotation.parts.words import shortened
from annotation.quality.habit_filters import MARKS_EVERYTHING, MARKS_NOTHING
from annotation.quality.habits import AnswerPattern
from annotation.quality.marks import PlacedMark
from annotation.quality.series import Labels, Scale, SeriesOf
from annotation.quality.worker_filters import WorkerFilter
from annotation.releasing.exports.base import Format
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import EMPTY, ComparedAnswer, FieldRemark, JsonObject
from annotation.task_types.consensus_rules import NO_ESTIMATES, ChosenRule, Estimate, RuleOffer
from annotation.task_types.follow_ups import FollowUpKind
from kernel.fields import Field
from kernel.values import Json, canonical_json

MOST_IN_A_SENTENCE = 3
NOTHING = "nothing"  # the cell of an answer without marks


class SpansPart(Part):
    kind: ClassVar[str] = "spans"
    options_model: ClassVar[type[PartOptions]] = SpansOptions
    scripts: ClassVar[Sequence[str]] = ("annotation/parts/spans.js",)
    styles: ClassVar[Sequence[str]] = ("annotation/parts/spans.css",)
    is_reviewed_together: ClassVar[bool] = True
    worker_filters: ClassVar[Sequence[WorkerFilter]] = (MARKS_NOTHING, MARKS_EVERYTHING)

    # ---- What is asked

    def columns(self, options: SpansOptions) -> Sequence[str]:
        return (options.text,)

    def whole_texts(self, options: SpansOptions) -> Sequence[str]:
        return (options.text,)

    def extra_columns(self, options: SpansOptions) -> Sequence[str]:
        return (options.suggestions,) if options.suggestions else ()

    def lookups(self, options: SpansOptions) -> Sequence[str]:
        return (PAGES,) if page_attributes(options) else ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        """Tell whether nothing was answered. A text without words leaves nothing to answer."""
        can_be_marked = bool(tokens_of(_text(asked), asked.options.unit))
        return can_be_marked and not (has_none(asked, form) or has_marks(asked, form))

    def missing(self, asked: Prompt) -> FieldRemark:
        box = f", or tick “{asked.options.none}”" if asked.options.none else ""
        return asked.refuse(EMPTY, f"Please mark a piece of the text{box}.")

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        spans, refused = sent_marks(asked, form)
        if refused:
            return refused
        if has_none(asked, form) and spans:
            why = f"“{asked.options.none}” is ticked, but there are marks: remove the marks or the tick."
            return [asked.refuse("both", why)]
        if has_none(asked, form) or not tokens_of(_text(asked), asked.options.unit):
            return []
        if why := why_not_together(_text(asked), spans, asked.options):
            return [asked.refuse("together", why)]
        if why := why_incomplete(_text(asked), spans, asked.options):
            return [asked.refuse("attribute", why)]
        unknown = linked(_text(asked), spans, asked.options).unknown
        return [unknown_remark(asked, unknown)] if unknown else []

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        return [span.to_json() for span in sent_marks(asked, form)[0]]

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        """Return the form of an answer, or of lines that a description could not read as one."""
        if not is_answer(value):
            return {asked.field(): "\n".join(_lines(value))}
        if not value and asked.options.none:
            return {asked.field("none"): "yes"}
        return {asked.field(): write_marks(_text(asked), spans_of(value), asked.options)}

    def starting_form(self, asked: Prompt) -> dict[str, str]:
        suggested = shown_suggestions(asked.texts, asked.options)
        if not suggested:
            return {}
        marks = write_marks(_text(asked), suggested, asked.options)
        return {asked.field(): marks, asked.field(SUGGESTED): as_keys(suggested)}

    def bad_suggestion(self, asked: Prompt) -> str:
        return why_not_suggested(asked.texts, asked.options)

    def changes(self, asked: Prompt, value: Any) -> Mapping[str, int]:
        suggested = sound_suggestions(asked.texts, asked.options)
        return {} if suggested is None else changes(suggested, spans_of(value))

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        return form_inputs(asked, form)

    # ---- All answers in one text

    def together(self, asked: Prompt, form: Mapping[str, str], answers: Sequence[ComparedAnswer]) -> Mapping[str, Any]:
        return together_inputs(asked, form, answers)

    def common(self, options: SpansOptions, values: Sequence[Any]) -> Json:
        """Return the marks that all have; none of them means that nothing is decided, unless nobody marked anything."""
        agreed = compare_spans([spans_of(value) for value in values], options.overlap).agreed
        return [span.to_json() for span in agreed] if agreed or not any(values) else None

    def shared_units(self, options: SpansOptions, value: Any) -> Sequence[str]:
        """Return each mark, with and without the answers about it: a reviewer may change these alone."""
        spans = spans_of(value)
        return [*(span.key for span in spans), *(canonical_json(span.to_json()) for span in spans)] or [NOTHING]

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        marked = [
            _with_label(shortened(span.words(_text(asked))), span, asked.options) + _answers(asked, span)
            for span in spans_of(value)
        ]
        return ", ".join(marked) or asked.options.none or "Nothing marked"

    def pieces(self, asked: Prompt, value: Any, others: Sequence[Any]) -> list[AnswerPiece]:
        """Return each mark with how many others have an overlapping one of this label, and marks that most others have.

        A mark that only others have counts as one that this answer leaves out.
        """
        own, rivals = spans_of(value), [spans_of(other) for other in others]
        labels = words_of_labels(asked.options)

        def share(span: MarkedSpan) -> float | None:
            return sum(_is_near(span, rival) for rival in rivals) / len(rivals) if rivals else None

        pieces = [
            AnswerPiece(labels.get(span.label, span.label), _quoted(asked, span) + _answers(asked, span), share(span))
            for span in own
        ]
        theirs = spans_of(agreed["spans"]) if (agreed := _agreed(rivals)) else []
        for span in theirs:
            if not _is_near(span, own):
                words = f"{_quoted(asked, span)} is not marked"
                pieces.append(AnswerPiece(labels.get(span.label, span.label), words, 1 - (share(span) or 0)))
        if own:
            return pieces
        same = sum(not rival for rival in rivals) / len(rivals) if rivals else None
        return [AnswerPiece("", self.line(asked, value), same), *pieces]

    def series(self, name: str, options: SpansOptions) -> Sequence[SeriesOf]:
        """Return the marks as sets, and what people chose about marks that they made alike."""
        chosen = (SeriesOf(f"{name}.{own.name}", "mark", Scale.NOMINAL, has_units=True) for own in _choices(options))
        linked_to = (
            SeriesOf(f"{name}.{own.name}", "mark", Scale.SET, has_units=True) for own in page_attributes(options)
        )
        return (SeriesOf(name, "text", Scale.SET), *chosen, *linked_to)

    def labels(self, name: str, options: SpansOptions, value: Any) -> Mapping[str, Labels]:
        spans = spans_of(value)
        labels: dict[str, Labels] = {name: frozenset(span.key for span in spans)}
        for own in _choices(options):
            values = ((span, str(dict(span.attributes).get(own.name, ""))) for span in spans)
            labels[f"{name}.{own.name}"] = {span.key: chosen for span, chosen in values if chosen}
        for own in page_attributes(options):
            asked = [span for span in spans if own.is_asked(span.label)]
            labels[f"{name}.{own.name}"] = {span.key: frozenset(titles_of(span, own)) for span in asked}
        return labels

    def placed_marks(self, options: SpansOptions, value: Any) -> Sequence[PlacedMark]:
        labels = words_of_labels(options)
        return [PlacedMark(span.start, span.end, labels.get(span.label, span.label)) for span in spans_of(value)]

    def closeness(self, options: SpansOptions, left: Any, right: Any) -> float:
        """Return the F1 of the marks, and of their pages where people choose some."""
        first, second = spans_of(left), spans_of(right)
        return closeness_of_links(first, second, options) if page_attributes(options) else f1(first, second)

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        ours, theirs = spans_of(known), spans_of(value)
        missing = [span for span in ours if span not in theirs]
        spurious = [span for span in theirs if span not in ours]
        sentences = []
        if missing:
            sentences.append(f"We would also have marked {_some(asked, missing)}.")
        if spurious:
            sentences.append(f"We would not have marked {_some(asked, spurious)}.")
        if pages := other_pages(_text(asked), ours, theirs, asked.options):
            sentences.append(pages)
        return " ".join(sentences) or "We would have marked the same."

    def known(self, options: SpansOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        """Take lines such as “Ada Lind # person”, or objects with `words`, `label` and perhaps `attributes`, in the
        order of the text."""
        lines, text = _lines(value), texts.get(options.text, "")
        if not lines or not text:
            return value
        spans, problems = read_lines(text, "\n".join(lines), options)
        marks = linked(text, spans, options)
        return value if problems or marks.refused else [span.to_json() for span in marks.spans]

    # ---- Habits

    def pattern(
        self, options: SpansOptions, value: Any, order: Sequence[str], texts: Mapping[str, str] = NO_TEXTS
    ) -> AnswerPattern:
        """Return how much is marked. Marking nothing is no habit where there is nothing to mark."""
        tokens = tokens_of(texts.get(options.text, ""), options.unit)
        return AnswerPattern(covered=_marked_tokens(tokens, spans_of(value)) / len(tokens) if tokens else None)

    # ---- Follow-ups

    def follow_ups(self, name: str, options: Any) -> Sequence[FollowUpKind]:
        return (ConfirmSpans(name, options.ask, options.text, words_of_labels(options)),)

    # ---- Files

    def answer_type(self, name: str, about: str, options: SpansOptions) -> Field:
        answers = attribute_fields(options, "the answers about the mark")
        return Field(name, about, fields=(*place_fields(options), *answers), many=True)

    def rules(self, options: SpansOptions) -> Sequence[RuleOffer]:
        return RULES

    def consensus(
        self,
        options: SpansOptions,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        return agreed_spans([spans_of(value) for value in values], rule)

    def consensus_type(self, name: str, about: str, options: SpansOptions, rule: ChosenRule | None = None) -> Field:
        return Field(name, about, fields=agreed_fields(options, self.rule_fields(options, rule), about))

    def consensus_line(self, options: SpansOptions, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        text, votes = texts.get(options.text, ""), agreed["votes"]
        marked = []
        for own, span in zip(agreed["spans"], spans_of(agreed["spans"]), strict=True):
            words = _with_label(shortened(span.words(text)), span, options)
            facts = [f"{own['support']} of {votes}", in_words(span.attributes, options.attributes)]
            marked.append(f"{words} ({'; '.join(filter(None, facts))})")
        return ", ".join(marked) or f"no mark by the rule ({votes} of {votes})"

    def cells(self, name: str, options: SpansOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        """Return marks as “Ada Lind [Person] | Arden [Place]”, and each attribute as a list, a value for each mark."""
        spans = spans_of(value or ())
        marked = [_with_label(span.words(texts.get(options.text, "")), span, options) for span in spans]
        cells: JsonObject = {name: None if value is None else " | ".join(marked) or NOTHING}
        for own in options.attributes:
            values: Json = [_as_cell(dict(span.attributes).get(own.name, "")) for span in spans]
            cells[f"{name}.{own.name}"] = canonical_json(values) if spans else None
        return cells

    def formats(self, uses: Sequence[Any], texts: ItemTexts) -> Sequence[Format]:
        return span_formats(uses, texts)

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        options, text = asked.options, _text(asked)
        tokens = tokens_of(text, options.unit)
        named = [own for own in tokens if own.is_word and text[own.start].isupper()] or [*tokens[::5]]
        usually = named[: options.most]
        rest = [own for own in tokens if own not in usually]
        usually += rest[: max(options.least - len(usually), 0)]
        labels, spans = [own.id for own in options.labels], list[MarkedSpan]()
        for token in usually:
            words = replace(
                asked, texts={**asked.texts, "": text[token.start : token.end]}
            )  # the same word, the same label
            label = labels[usual(words, len(labels))]
            if says_the_usual(person, rng):
                spans.append(MarkedSpan(token.start, token.end, label))
            elif rng.random() < 0.5:
                spans.append(MarkedSpan(token.start, token.end, rng.choice(labels)))
        if len(spans) < options.least and not (options.none and not spans):
            spans = [MarkedSpan(own.start, own.end, labels[0]) for own in usually]
        return [
            replace(span, attributes=invented_attributes(asked, span, person, rng)).to_json() for span in sorted(spans)
        ]


def _as_cell(value: Value) -> Json:
    return value if isinstance(value, str) else [*value]


def _choices(options: SpansOptions) -> list[SpanAttribute]:
    """Return the attributes for which people choose an option."""
    return [own for own in options.attributes if own.options]


def _text(asked: Prompt) -> str:
    return str(asked.texts.get(asked.options.text, ""))


def _lines(value: Any) -> list[str]:
    """Return the lines that a description may write in place of an answer; [] if these are none."""
    if not isinstance(value, list) or is_answer(value):
        return []
    lines = [_line_of(own) if isinstance(own, dict) else own for own in value]
    return lines if all(isinstance(line, str) and "\n" not in line for line in lines) else []


def _line_of(mark: Mapping[str, Any]) -> Any:
    """Return the line of an object with words, a label and perhaps attributes; another object as it is."""
    values = mark.get(ATTRIBUTES, {})
    if not ({"words", "label"} <= mark.keys() <= {"words", "label", ATTRIBUTES} and isinstance(values, dict)):
        return mark
    pairs = ((name, own) for name, value in values.items() for own in (value if isinstance(value, list) else [value]))
    attributes = "".join(f" {SIGN} {name}={own}" for name, own in pairs)
    return f"{mark['words']} {SIGN} {mark['label']}{attributes}"


def _agreed(rivals: Sequence[Sequence[MarkedSpan]]) -> Any:
    return agreed_spans(rivals) if rivals else None


def _is_near(span: MarkedSpan, others: Iterable[MarkedSpan]) -> bool:
    """Tell whether one of the others overlaps a mark and has its label."""
    return any(own.label == span.label and own.start < span.end and span.start < own.end for own in others)


def _with_label(words: str, span: MarkedSpan, options: SpansOptions) -> str:
    """Return a mark as “Ada Lind [Person]”."""
    return f"{words} [{words_of_labels(options).get(span.label, span.label)}]"


def _quoted(asked: Prompt, span: MarkedSpan) -> str:
    return f"“{shortened(span.words(_text(asked)))}”"


def _marked_tokens(tokens: Sequence[Token], spans: Sequence[MarkedSpan]) -> int:
    waiting, reached, marked = sorted(spans, reverse=True), 0, 0
    for token in tokens:
        while waiting and waiting[-1].start <= token.start:
            reached = max(reached, waiting.pop().end)
        marked += token.end <= reached
    return marked


def _answers(asked: Prompt, span: MarkedSpan) -> str:
    """Return the answers about a mark, in brackets; "" if there are none."""
    words = in_words(span.attributes, asked.options.attributes)
    return f" ({words})" if words else ""


def _some(asked: Prompt, spans: Sequence[MarkedSpan]) -> str:
    labels = words_of_labels(asked.options)
    named = [f"{_quoted(asked, span)} as “{labels.get(span.label, span.label)}”" for span in spans[:MOST_IN_A_SENTENCE]]
    rest = len(spans) - len(named)
    return ", ".join(named) + (f" and {rest:,} more" if rest else "")


SPANS: Part = SpansPart()
