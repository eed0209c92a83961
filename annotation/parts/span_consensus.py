"""What several people marked together, by the rule that a release's recipe chose.

A mark has the answers about it that more than half of the people who made it gave, whatever the rule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from annotation.parts.choice_consensus import HALF, THRESHOLD
from annotation.parts.span_attributes import Attributes
from annotation.parts.span_marks import ATTRIBUTES, MarkedSpan
from annotation.parts.spans_options import SpansOptions, words_of_labels
from annotation.task_types.base import JsonObject
from annotation.task_types.consensus_rules import HIGHEST_COUNT, ChosenRule, RuleNumber, RuleOffer
from kernel.fields import NUMBER, Field

LEAST_SUPPORT = RuleNumber("least_support", "Minimum people who made the mark", 2, 1, HIGHEST_COUNT, is_whole=True)
RULES = (
    RuleOffer(HALF, "Each mark that more than half made", "each mark that more than half made"),
    RuleOffer(
        "share",
        "Each mark that at least a share made",
        "each mark that at least {threshold} of the answers have",
        (RuleNumber(THRESHOLD, "Minimum share", 0.5, 0.01, 1.0),),
    ),
    RuleOffer(
        "support",
        "Each mark that at least some people made",
        "each mark that at least {least_support} people made",
        (LEAST_SUPPORT,),
    ),
)


def place_fields(options: SpansOptions) -> tuple[Field, ...]:
    """Return the fields of a mark."""
    labels = ", ".join(f"{id_} ({words})" if words != id_ else id_ for id_, words in words_of_labels(options).items())
    start = f"first character of the piece in “{options.text}”, counted from 0 in Unicode code points"
    return (
        Field("start", start, NUMBER),
        Field("end", "behind its last character", NUMBER),
        Field("label", f"the id of its label: {labels}"),
    )


def attribute_fields(options: SpansOptions, about: str) -> tuple[Field, ...]:
    """Return the field of what is asked about each mark; none where nothing is."""
    asked = tuple(Field(own.name, own.question, many=own.has_pages) for own in options.attributes)
    return (Field(ATTRIBUTES, about, fields=asked),) if asked else ()


def agreed_spans(answers: Sequence[Sequence[MarkedSpan]], rule: ChosenRule | None = None) -> JsonObject | None:
    """Return the marks with the same edges and label that enough people made, with their support."""
    votes = len(answers)
    if rule and votes < rule.least_answers:
        return None
    makers: dict[MarkedSpan, list[Attributes]] = defaultdict(list)
    for answer in answers:
        for span in {*answer}:
            makers[span].append(span.attributes)
    support = {span: len(own) for span, own in makers.items()}
    kept = [span for span in sorted(support) if _is_enough(support[span], votes, rule)]
    named: JsonObject = {"rule": rule.name} if rule else {}
    spans = [replace(span, attributes=agreed_attributes(makers[span])) for span in kept]
    return {"spans": [{**span.to_json(), "support": support[span]} for span in spans], "votes": votes, **named}


def agreed_attributes(of_makers: Sequence[Attributes]) -> Attributes:
    """Return what more than half of the people who made a mark say about it; of pages, each that they chose."""
    makers = len(of_makers)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    several = {name for attributes in of_makers for name, value in attributes if not isinstance(value, str)}
    for attributes in of_makers:
        for name, value in attributes:
            counts[name].update([value] if isinstance(value, str) else set(value))
    usual = {
        name: sorted(own for own, people in own_counts.items() if 2 * people > makers)
        for name, own_counts in counts.items()
    }
    return tuple((name, tuple(own) if name in several else own[0]) for name, own in usual.items() if own)


def _is_enough(support: int, votes: int, rule: ChosenRule | None) -> bool:
    if rule and THRESHOLD in rule.numbers:
        return support / votes >= rule.numbers[THRESHOLD]
    if rule and LEAST_SUPPORT.name in rule.numbers:
        return support >= rule.numbers[LEAST_SUPPORT.name]
    return 2 * support > votes


def agreed_fields(options: SpansOptions, rule_fields: Sequence[Field], about: str) -> tuple[Field, ...]:
    answers = attribute_fields(options, "what more than half of the people who made the mark say about it")
    support = Field("support", "how many annotations have this mark", NUMBER)
    of_each = (*place_fields(options), *answers, support)
    votes = Field("votes", "how many annotations answered", NUMBER)
    return (Field("spans", about, fields=of_each, many=True), votes, *rule_fields)
