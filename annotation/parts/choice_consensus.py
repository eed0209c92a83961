"""What several people picked together in a row of a choice, by the rule that a release's recipe chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from annotation.parts.choice_options import ChoiceOptions, labels_of
from annotation.parts.choice_picks import Pick, without_none
from annotation.task_types.base import JsonObject
from annotation.task_types.consensus_rules import (
    PROBABILITY_DIGITS,
    ChosenRule,
    Estimate,
    RuleNumber,
    RuleOffer,
    offer_of,
)
from kernel.fields import DECIMAL, NUMBER, Field

HALF = "more_than_half"
SHARE = "share"
THRESHOLD = "threshold"
TOO_FEW, NO_MAJORITY, TIE = "too few answers", "no majority", "tie"
BELOW, UNSURE = "no option reaches the share", "low probability"
VOTES = Field("votes", "how many annotations answered", NUMBER)
PROBABILITY = Field("probability", f"how likely this option is, rounded to {PROBABILITY_DIGITS} digits", DECIMAL)
NOTHING = Estimate("", 0.0)
PLURALITY = RuleOffer(
    "plurality", "What most chose, even if fewer than half", "the most frequent option; none at a tie"
)
DAWID_SKENE = RuleOffer(
    "dawid_skene",
    "The likeliest option, by how reliable people are (Dawid–Skene)",
    "the likeliest option by Dawid and Skene's model over all tasks of the release, with its probability, if that is "
    "at least {threshold}; none at a tie",
    (RuleNumber(THRESHOLD, "Minimum probability", 0.5),),
    needs_all=True,
    help="The answers to all tasks of the release show how often each person takes one option for another; people who "
    "are right more often count more. Where each person gave few answers, probabilities are near 1 and say little.",
)
RULES_OF_ONE = (
    RuleOffer(HALF, "What more than half chose", "the option that more than half chose"),
    PLURALITY,
    RuleOffer(
        "majority",
        "What at least a share chose",
        "the most frequent option, if at least {threshold} of the answers chose it; none at a tie",
        (RuleNumber(THRESHOLD, "Minimum share", 0.6, 0.5, 1.0),),
    ),
    DAWID_SKENE,
)
RULES_OF_MANY = (
    RuleOffer(HALF, "Each option that more than half chose", "each option that more than half chose"),
    RuleOffer(
        SHARE,
        "Each option that at least a share chose",
        "each option that at least {threshold} of the answers chose",
        (RuleNumber(THRESHOLD, "Minimum share", 0.5, 0.01, 1.0),),
    ),
)
Reaches: TypeAlias = Callable[[int], bool]  # whether so many of the votes are enough


def rules_of(options: ChoiceOptions) -> Sequence[RuleOffer]:
    return RULES_OF_MANY if options.many else RULES_OF_ONE


def agreed_on(
    options: ChoiceOptions, picks: Sequence[Pick], rule: ChosenRule | None = None, estimate: Estimate | None = None
) -> JsonObject:
    """Return what people picked together in a row. With a rule, also its name and why there is no value."""
    if rule and rule.name == DAWID_SKENE.name:
        row = _likeliest(picks, rule, estimate or NOTHING)
    elif options.many:
        row = _each_option(options, picks, _reaching(rule, len(picks)))
    else:
        row = _most_frequent(picks, _reaching(rule, len(picks)))
    if rule is None:
        return row
    is_few = len(picks) < rule.least_answers
    value = None if is_few else row["value"]
    why = TOO_FEW if is_few else _why_none(options, rule, picks, estimate or NOTHING)
    return {**row, "value": value, "rule": rule.name, "reason": why if value is None else ""}


def _why_none(options: ChoiceOptions, rule: ChosenRule, picks: Sequence[Pick], estimate: Estimate) -> str:
    """Return why a rule gives no value for these picks."""
    if rule.name == DAWID_SKENE.name:
        return UNSURE if estimate.label else TIE
    if options.many:
        return BELOW if rule.name == SHARE else NO_MAJORITY
    (_, most), (_, second) = _two_most_frequent(picks)
    return TIE if most == second else NO_MAJORITY


def _reaching(rule: ChosenRule | None, votes: int) -> Reaches:
    if rule and rule.name == PLURALITY.name:
        return bool
    if rule and THRESHOLD in rule.numbers:
        least = rule.numbers[THRESHOLD]
        return lambda support: support / max(votes, 1) >= least  # 3 / 5 == 0.6 exactly
    return lambda support: 2 * support > votes


def _each_option(options: ChoiceOptions, picks: Sequence[Pick], reaches: Reaches) -> JsonObject:
    counts = Counter(id_ for pick in picks for id_ in without_none(options, pick.ids))
    value = [id_ for id_ in labels_of(options) if reaches(counts[id_])]
    same = sum(without_none(options, pick.ids) == value for pick in picks)
    has_majority = bool(value) or reaches(same)  # of those who chose none
    return {"value": [*value] if has_majority else None, "support": same if has_majority else 0, "votes": len(picks)}


def _most_frequent(picks: Sequence[Pick], reaches: Reaches) -> JsonObject:
    (id_, support), (_, second) = _two_most_frequent(picks)
    return {"value": id_ if support > second and reaches(support) else None, "support": support, "votes": len(picks)}


def _two_most_frequent(picks: Sequence[Pick]) -> list[tuple[str, int]]:
    return [*Counter(pick.ids[0] for pick in picks).most_common(2), ("", 0), ("", 0)][:2]


def _likeliest(picks: Sequence[Pick], rule: ChosenRule, estimate: Estimate) -> JsonObject:
    is_sure = bool(estimate.label) and estimate.probability >= rule.numbers[THRESHOLD]
    return {
        "value": estimate.label if is_sure else None,
        "support": sum(pick.ids[0] == estimate.label for pick in picks),
        "votes": len(picks),
        "probability": estimate.probability,
    }


def agreed_fields(options: ChoiceOptions, rule: ChosenRule | None) -> tuple[Field, ...]:
    """Return the fields of a row, without the one that names the rule."""
    if rule is None:
        what = "ids that more than half chose" if options.many else "the id that more than half chose"
        empty = "" if options.many else "; empty: there is none"
    else:
        words = offer_of(rules_of(options), rule).in_words(rule)
        what, empty = f"{'ids' if options.many else 'id'} of {words}", "; empty: there is none"
    how_many = "how many chose exactly these" if options.many else "how many chose the most frequent option"
    is_likely = rule and rule.name == DAWID_SKENE.name
    if is_likely:
        how_many = "how many chose the likeliest option"
    fields: tuple[Field, ...] = (
        Field("value", f"{what}{empty}", many=options.many),
        Field("support", how_many, NUMBER),
        VOTES,
    )
    return (*fields, PROBABILITY) if is_likely else fields


def reason_fields(options: ChoiceOptions, rule: ChosenRule | None) -> tuple[Field, ...]:
    if rule is None:
        return ()
    words = [*_whys(options, rule), *([TOO_FEW] if rule.least_answers > 1 else [])]
    return (Field("reason", f"why there is no value: {' or '.join(words)}; empty: there is one"),)


def _whys(options: ChoiceOptions, rule: ChosenRule) -> tuple[str, ...]:
    """Return every reason for which a rule may give no value."""
    if rule.name == DAWID_SKENE.name:
        return TIE, UNSURE
    if options.many:
        return (BELOW if rule.name == SHARE else NO_MAJORITY,)
    return (TIE,) if rule.name == PLURALITY.name else (TIE, NO_MAJORITY)
