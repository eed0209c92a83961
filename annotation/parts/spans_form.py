"""The form in which people mark pieces of a text: one field, with a list of offsets from the script, or with lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.parts.base import Prompt
from annotation.parts.span_drawing import text_html
from annotation.parts.span_lines import A_LIST, read_lines, write_marks
from annotation.parts.span_marks import BadMark, MarkedSpan, contradicting, read_marks, why_contradicting
from annotation.parts.span_pages import linked, page_attributes
from annotation.parts.span_suggestions import SUGGESTED
from annotation.parts.spans_options import MOST_SPANS, WORDS, SpansOptions, offered_labels
from annotation.task_types.base import FieldRemark
from kernel.values import canonical_json, counted

TAKEN = "taken"  # of the field's name


def has_none(asked: Prompt, form: Mapping[str, str]) -> bool:
    """Tell whether the box for nothing to mark is there and ticked."""
    return bool(asked.options.none and form.get(asked.field("none")))


def has_marks(asked: Prompt, form: Mapping[str, str]) -> bool:
    return _sent(asked, form).strip() not in ("", "[]") or bool(_taken(asked, form))


def sent_marks(asked: Prompt, form: Mapping[str, str]) -> tuple[list[MarkedSpan], list[FieldRemark]]:
    """Return the marks of a form, those that a reviewer took from answers included, and why some cannot stand."""
    marked, refused = written_marks(asked, form)
    taken, why = taken_marks(asked, form)
    text = asked.texts.get(asked.options.text, "")
    if not (refused or why) and (twice := contradicting([*marked, *taken])):
        why = [asked.refuse("twice", why_contradicting(text, twice, asked.options), TAKEN)]
    marks = linked(text, sorted({*marked, *taken}), asked.options)
    return marks.spans, [*refused, *why, *(asked.refuse("page", own) for own in marks.refused)]


def taken_marks(asked: Prompt, form: Mapping[str, str]) -> tuple[list[MarkedSpan], list[FieldRemark]]:
    """Return the marks that a reviewer took from answers: a field of its own, one mark on each line."""
    sent = _taken(asked, form)
    if not sent:
        return [], []
    try:
        return read_marks(asked.texts.get(asked.options.text, ""), f"[{','.join(sent)}]", asked.options), []
    except BadMark as error:
        return [], [asked.refuse("taken", str(error), TAKEN)]


def written_marks(asked: Prompt, form: Mapping[str, str]) -> tuple[list[MarkedSpan], list[FieldRemark]]:
    """Return the marks of the field itself, and why some cannot stand."""
    text, sent = asked.texts.get(asked.options.text, ""), _sent(asked, form)
    if sent == "[]" or sent.startswith(A_LIST):
        try:
            return read_marks(text, sent, asked.options), []
        except BadMark as error:
            return [], [asked.refuse("mark", str(error))]
    spans, problems = read_lines(text, sent, asked.options)
    return spans, [asked.refuse(f"line_{number}", why) for number, why in problems.items()]


def form_inputs(asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what the template draws. `marks` is what the script begins with: it cannot read lines.

    Suggestions are drawn where the form says which of them nobody has touched: on the pages of people who answer.
    """
    options, text = asked.options, asked.texts.get(asked.options.text, "")
    spans, _ = sent_marks(asked, form)
    labels = offered_labels(options)
    return {
        "column": options.text,
        "html": text_html(text, options, spans),
        "labels": labels,
        "overlap": options.overlap,
        "most": options.most,
        "none": options.none,
        "none_field": asked.field("none"),
        "is_none": has_none(asked, form),
        "sent": _sent(asked, form),
        "lines": _as_lines(asked, form),
        "marks": canonical_json([span.to_json() for span in spans]),
        "has_suggestions": asked.field(SUGGESTED) in form,
        "suggested_field": asked.field(SUGGESTED),
        "suggested": form.get(asked.field(SUGGESTED), ""),
        "is_by_words": options.unit == WORDS,
        "limits": _limits(options),
        "attributes": options.attributes,
        "has_pages": bool(page_attributes(options)),
    }


def _as_lines(asked: Prompt, form: Mapping[str, str]) -> str:
    """Return the marks of the field as lines, which people read: a draft that the script saved holds offsets."""
    sent = _sent(asked, form)
    if not sent.startswith(A_LIST):
        return sent
    spans, refused = written_marks(asked, form)
    return sent if refused else write_marks(asked.texts.get(asked.options.text, ""), spans, asked.options)


def _limits(options: SpansOptions) -> str:
    """Return how many pieces people must mark, unless any number will do."""
    if options.least == options.most:
        return f"Mark exactly {counted(options.least, 'piece')} of the text."
    if options.most < MOST_SPANS:
        return f"Mark {options.least:,} to {counted(options.most, 'piece')} of the text."
    return f"Mark at least {options.least:,} pieces of the text." if options.least > 1 else ""


def _sent(asked: Prompt, form: Mapping[str, str]) -> str:
    return form.get(asked.field(), "")


def _taken(asked: Prompt, form: Mapping[str, str]) -> list[str]:
    return form.get(asked.field(TAKEN), "").splitlines()
