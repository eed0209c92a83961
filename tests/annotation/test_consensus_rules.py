"""A release's recipe chooses how the answers to each part of an own task are brought together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.parts import PARTS
from annotation.parts.base import Part
from annotation.releasing.asked_rules import RULES_OF, as_number, asked_rules, rules_id, sent_rules
from annotation.releasing.croissant import croissant
from annotation.releasing.documents import card, datasheet
from annotation.releasing.recipe import Recipe
from annotation.task_types.aggregation.type import AGGREGATION
from annotation.task_types.consensus_rules import ChosenRule, read_rules
from kernel.errors import InvalidInput
from kernel.values import canonical_json
from tests.annotation.parts.examples import EXAMPLES, Example
from tests.annotation.ruled import ANSWERS, TYPE, answer, build, facts_of, hash_of, item, weather_recipe
from tests.annotation.shapes import fits

pytestmark = pytest.mark.usefixtures("invented_titles")
# Computed before recipes could choose a rule: a release that chooses none must stay as it was.
USUAL_HASH = "a9aa722dc31534fc0ad75f04be77485d4d713fe54069c996e839bdd63c3d7c0e"
USUAL_DOCUMENTS = "0e95b064c0e016d61d8c43c7cc195130cd6a13696e1fdc6e4379c3bf839f08ad"


def test_a_recipe_that_chooses_no_rule_gives_the_same_release_as_ever():
    recipe = weather_recipe()
    built = build(recipe)
    facts = facts_of(recipe, built)
    documents = card(facts, "jsonl"), datasheet(facts), canonical_json(croissant(facts, {"instances": ""}))

    assert "consensus" not in recipe.to_json()
    assert hash_of(recipe, built) == USUAL_HASH
    assert hashlib.sha256("".join(documents).encode()).hexdigest() == USUAL_DOCUMENTS


# ---- Choosing


def together(part: str, values: Sequence[Any], **chosen: Any) -> Any:
    """Return what these answers to a part of the example say together, by the rule that is chosen for it."""
    use = next(use for use in TYPE.uses if use.name == part)
    rule = read_rules(TYPE.consensus_rules, {part: chosen}).get(part)
    return PARTS[use.kind].consensus(use, values, rule)


@pytest.mark.parametrize(
    ("chosen", "field", "why"),
    [
        ({"moon": {"rule": "majority"}}, "consensus", "no part “moon”: its parts are sky, signs"),
        ({"sky": {"rule": "vote"}}, "consensus.sky.rule", "no rule “vote” for this part: choose more_than_half, plur"),
        ({"sky": {"rule": ["majority"]}}, "consensus.sky.rule", "no rule"),
        ({"sky": {"rule": "majority", "threshold": 1.2}}, "consensus.sky.threshold", "a number from 0.5 to 1, and 1.2"),
        ({"sky": {"rule": "majority", "threshold": "most"}}, "consensus.sky.threshold", "“most” is not a number"),
        ({"sky": {"rule": "majority", "threshold": True}}, "consensus.sky.threshold", "“True” is not a number"),
        ({"sky": {"rule": "majority", "threshold": float("nan")}}, "consensus.sky.threshold", "and nan is not"),
        ({"sky": {"rule": "majority", "treshold": 0.6}}, "consensus.sky", "no number “treshold”: it has threshold and"),
        ({"sky": {"least_answers": 2.5}}, "consensus.sky.least_answers", "a whole number from 1 to 1,000"),
        ({"sky": {"least_answers": 10**400}}, "consensus.sky.least_answers", "a whole number from 1 to 1,000"),
        ({"words": {"least_support": 0}}, "consensus.words.least_support", "a whole number from 1 to 1,000, and 0 is"),
        ({"sky": "majority"}, "consensus.sky", "must be an object"),
        (["majority"], "consensus", "must be an object"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_part_and_field(chosen: Any, field: str, why: str):
    with pytest.raises(InvalidInput, match=why) as refused:
        weather_recipe(consensus=chosen)

    assert refused.value.field == field


def test_a_task_without_rules_takes_none():
    with pytest.raises(InvalidInput, match="no rules to choose between"):
        read_rules(AGGREGATION.consensus_rules, {"phrase_1": {"rule": "majority"}})


def test_a_recipe_says_its_rules_and_leaves_out_the_usual_ones():
    chosen = {"sky": {"rule": "majority", "threshold": 1}, "stars": {"rule": "summary", "least_answers": 1}}
    recipe = weather_recipe(consensus=chosen)

    stored = recipe.to_json()

    assert stored["consensus"] == {"sky": {"rule": "majority", "threshold": 1.0, "least_answers": 1}}
    assert Recipe.from_json(stored) == recipe
    assert "consensus" not in weather_recipe(consensus={"sky": {"rule": "more_than_half"}, "words": {}}).to_json()


@given(st.dictionaries(st.sampled_from(["sky", "order", "no"]), st.dictionaries(st.text(), st.text() | st.floats())))
def test_whatever_is_sent_is_a_rule_or_refused_in_a_sentence(chosen: Any):
    with suppress(InvalidInput):
        assert read_rules(TYPE.consensus_rules, chosen).keys() <= TYPE.consensus_rules.keys()


# ---- Each rule


@pytest.mark.parametrize(
    ("votes", "threshold", "value", "reason"),
    [
        ("ggd", 0.6, "grey", ""),
        ("ggd", 0.67, None, "no majority"),
        ("gggdd", 0.6, "grey", ""),  # exactly the threshold
        ("ggdd", 0.5, None, "tie"),
        ("ggdc", 0.5, "grey", ""),
        ("gg", 1.0, "grey", ""),
    ],
)
def test_a_majority_needs_the_share_that_was_asked_for(votes: str, threshold: float, value: str | None, reason: str):
    values = [{"g": "grey", "d": "dark", "c": "clear"}[vote] for vote in votes]

    agreed = together("sky", values, rule="majority", threshold=threshold)

    support = votes.count("g")
    assert agreed == {
        "value": value, "support": support, "votes": len(votes), "rule": "majority", "reason": reason,
    }  # fmt: skip


def test_the_most_frequent_option_may_have_less_than_half_but_not_tie():
    assert together("sky", ["grey", "grey", "dark", "clear", "clear", "grey"], rule="plurality")["value"] == "grey"
    few = together("sky", ["grey", "grey", "dark", "clear", "dim"], rule="plurality")
    tie = together("sky", ["grey", "dark"], rule="plurality")

    assert (few["value"], few["support"], few["votes"]) == ("grey", 2, 5)
    assert (tie["value"], tie["reason"]) == (None, "tie")


def test_each_of_several_options_needs_its_share():
    values = [["rain", "fog"], ["rain"], ["wind", "fog"], ["rain"]]

    assert together("signs", values, rule="share", threshold=0.5)["value"] == ["rain", "fog"]
    assert together("signs", values, rule="share", threshold=0.75)["value"] == ["rain"]
    nothing = together("signs", values, rule="share", threshold=1)
    assert (nothing["value"], nothing["reason"]) == (None, "no option reaches the share")
    assert together("signs", [[], [], ["fog"]], rule="share", threshold=0.6)["value"] == []  # none of these


def test_rows_are_brought_together_one_by_one():
    values = [answer(wet=wet)["lines"] for wet in (("wet", "dry"), ("wet", "wet"), ("wet", "dry"))]

    agreed = together("lines", values, rule="majority", threshold=0.9)

    assert [(row["row"], row["value"], row["reason"]) for row in agreed] == [
        ("first", "wet", ""),
        ("second", None, "no majority"),
    ]


@pytest.mark.parametrize(("rule", "value"), [("mean", 3.0), ("median", 2.0)])
def test_a_rating_has_the_value_that_was_asked_for_beside_the_other_figures(rule: str, value: float):
    values = [answer(stars=(point, None))["stars"] for point in (1, 2, 6)]

    agreed = together("stars", values, rule=rule)

    figures = agreed["style"]["item"]
    assert (figures["value"], figures["mean"], figures["median"], figures["rule"]) == (value, 3.0, 2.0, rule)
    assert agreed["tone"]["item"] is None


def test_a_rating_that_too_few_gave_has_no_figures():
    values = [answer(stars=stars)["stars"] for stars in ((1, 2), (2, None), (3, None))]

    agreed = together("stars", values, rule="summary", least_answers=2)

    assert agreed["style"]["item"]["votes"] == 3
    assert agreed["tone"]["item"] is None


def test_an_order_follows_the_points_or_the_strengths():
    """The first often wins against a weak one, the second now and then against a strong one."""
    games = [("first", "third")] * 6 + [("second", "first")] * 2 + [("first", "second")]
    values = [{winner: 1, loser: 2} for winner, loser in games]
    usual, by_strength = together("order", values), together("order", values, rule="bradley_terry")

    strengths = bradley_terry_by_gradient(games)

    assert usual["places"] == {"first": 1, "second": 2, "third": 3}
    assert by_strength["places"] == {"first": 2, "second": 1, "third": 3}
    assert by_strength["strength"] == pytest.approx(strengths, abs=1e-4)
    assert by_strength["rule"] == "bradley_terry"


def bradley_terry_by_gradient(games: Sequence[tuple[str, str]], extra: float = 0.1) -> Mapping[str, float]:
    """Return the strengths that make these games likeliest, every two with some more, by climbing the likelihood."""
    names = ["first", "second", "third"]
    wins = np.full((3, 3), extra)
    for winner, loser in games:
        wins[names.index(winner), names.index(loser)] += 1
    np.fill_diagonal(wins, 0)
    merit = np.zeros(3)
    for _ in range(20_000):
        chance = 1 / (1 + np.exp(merit[None, :] - merit[:, None]))
        merit += 0.05 * (wins - (wins + wins.T) * chance).sum(axis=1)
    strength = np.exp(merit) / np.exp(merit).sum()
    return dict(zip(names, strength.tolist(), strict=True))


def test_texts_need_the_support_that_was_asked_for():
    values = ["It rained.", "Fog", "it rained"]

    assert together("words", values, least_support=2) == [{"text": "It rained.", "support": 2, "rule": "clusters"}]
    assert together("words", values, least_support=3) == []


@pytest.mark.parametrize("part", ["order", "words"])
def test_too_few_answers_have_no_consensus(part: str):
    value = answer()[part]

    assert together(part, [value] * 2, least_answers=3) is None
    assert together(part, [value] * 3, least_answers=3)


def test_a_choice_says_that_there_were_too_few_answers():
    agreed = together("sky", ["grey"] * 2, least_answers=3)

    assert (agreed["value"], agreed["reason"], agreed["votes"]) == (None, "too few answers", 2)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=[*EXAMPLES])
def test_what_every_rule_gives_has_the_shape_that_files_describe_and_a_line(example: Example):
    part: Part = example.part
    options = example.asked.options
    for offer in part.rules(options):
        for rule in (offer.usual, replace(offer.usual, least_answers=3)):
            for seeds in (range(3), range(1)):
                agreed = part.consensus(options, [example.invented(seed) for seed in seeds], rule)

                assert fits(agreed, part.consensus_type("own", "", options, rule))
                assert agreed is None or isinstance(part.consensus_line(options, agreed), str)
            assert offer.in_words(rule)


# ---- Dawid and Skene


def dawid_skene_by_hand(votes: Mapping[str, Mapping[str, str]], rounds: int = 100) -> dict[str, dict[str, float]]:
    """Return how likely each label of each task is: the equations of the paper (1979), written out."""
    labels = sorted({label for own in votes.values() for label in own.values()})
    people = sorted({person for own in votes.values() for person in own})
    chance = {
        task: {label: sum(vote == label for vote in own.values()) / len(own) for label in labels}
        for task, own in votes.items()
    }
    for _ in range(rounds):
        shares = {label: sum(chance[task][label] for task in votes) / len(votes) for label in labels}
        says: dict[tuple[str, str, str], float] = {}
        for person in people:
            for true in labels:
                seen = {task: own[person] for task, own in votes.items() if person in own}
                total = sum(chance[task][true] for task in seen)
                for label in labels:
                    hits = sum(chance[task][true] for task, vote in seen.items() if vote == label)
                    says[person, true, label] = hits / total if total else 0.0
        for task, own in votes.items():
            odds = {
                true: shares[true] * float(np.prod([says[person, true, vote] for person, vote in own.items()]))
                for true in labels
            }
            chance[task] = {true: odds[true] / sum(odds.values()) for true in labels}
    return chance


CAREFUL = "gdgdcgdcgdcg"
HASTY = ("gggggggggggg", "gggggggdgggg")  # two who mostly say “grey”
LATER = "gdgdcgdcgdgg"


def weather_votes() -> dict[str, dict[str, str]]:
    names = {"g": "grey", "d": "dark", "c": "clear"}
    people = {"ann": CAREFUL, "bob": LATER, "cleo": HASTY[0], "dan": HASTY[1]}
    return {
        f"Day {number}": {person: names[votes[number]] for person, votes in people.items()}
        for number in range(len(CAREFUL))
    }


def fitted_rows(recipe: Recipe, votes: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    answers = {task: {who: answer(vote) for who, vote in own.items()} for task, own in votes.items()}
    built = build(recipe, answers)
    return {str(own.row["columns"]["title"]): own.row["consensus"]["sky"] for own in built if own.row}


def test_dawid_and_skene_weigh_people_as_the_paper_does():
    votes = weather_votes()
    recipe = weather_recipe(consensus={"sky": {"rule": "dawid_skene", "threshold": 0.5}})

    rows = fitted_rows(recipe, votes)

    expected = dawid_skene_by_hand(votes)
    for task, agreed in rows.items():
        label = max(expected[task], key=lambda own: expected[task][own])
        assert agreed["value"] == label
        assert agreed["probability"] == pytest.approx(expected[task][label], abs=2e-4)
        assert agreed["probability"] == round(agreed["probability"], 4)
        assert agreed["support"] == [*votes[task].values()].count(label)
    outvoted = [task for task, own in votes.items() if [*own.values()].count("grey") == 2 and rows[task]["value"]]
    assert any(rows[task]["value"] != "grey" for task in outvoted)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.99])
def test_labels_that_are_equally_likely_are_a_tie_whatever_the_threshold(threshold: float):
    votes = {"Dun": {"ann": "grey", "bob": "dark"}, "Arden": {"ann": "dark", "bob": "grey"}}
    recipe = weather_recipe(consensus={"sky": {"rule": "dawid_skene", "threshold": threshold}})

    rows = fitted_rows(recipe, votes)

    assert {(row["value"], row["probability"], row["reason"]) for row in rows.values()} == {(None, 0.5, "tie")}


def test_a_label_that_is_not_likely_enough_is_no_value():
    rng = Random(3)  # people who are right in seven of ten cases
    votes = {
        f"Day {number}": {who: "grey" if rng.random() < 0.7 else "dark" for who in ("ann", "bob", "cleo")}
        for number in range(20)
    }
    sure = fitted_rows(weather_recipe(consensus={"sky": {"rule": "dawid_skene", "threshold": 0.0}}), votes)
    unsure = min(sure, key=lambda task: float(sure[task]["probability"]))
    assert 0.5 < sure[unsure]["probability"] < 0.999
    assert sure[unsure]["value"]

    above = float(sure[unsure]["probability"]) + 1e-4
    rows = fitted_rows(weather_recipe(consensus={"sky": {"rule": "dawid_skene", "threshold": above}}), votes)

    assert (rows[unsure]["value"], rows[unsure]["reason"]) == (None, "low probability")


def test_where_everybody_says_the_same_dawid_and_skene_do_too():
    votes = {task: {"ann": "grey", "bob": "grey"} for task in ("Dun", "Arden")} | {"Esk": {"ann": "grey"}}

    rows = fitted_rows(weather_recipe(consensus={"sky": {"rule": "dawid_skene"}}), votes)

    assert {(row["value"], row["probability"]) for row in rows.values()} == {("grey", 1.0)}


def test_texts_without_support_are_named_in_a_line():
    assert PARTS["text"].consensus_line(None, []) == "no text with enough support"


def test_the_rows_of_a_grid_have_estimates_of_their_own():
    answers = {
        f"Day {number}": {who: answer(wet=wet) for who, wet in {"ann": ("wet", "dry"), "bob": ("wet", "dry")}.items()}
        for number in range(3)
    }
    recipe = weather_recipe(consensus={"lines": {"rule": "dawid_skene"}})

    rows = [own.row["consensus"]["lines"] for own in build(recipe, answers) if own.row]

    assert {tuple((row["row"], row["value"]) for row in own) for own in rows} == {(("first", "wet"), ("second", "dry"))}


def test_the_same_answers_give_the_same_hash_in_any_order_and_another_rule_another_one():
    recipe = weather_recipe(consensus={"sky": {"rule": "dawid_skene"}, "lines": {"rule": "dawid_skene"}})
    turned = dict(reversed([(name, dict(reversed(own.items()))) for name, own in ANSWERS.items()]))

    first, second = (hash_of(recipe, build(recipe, answers)) for answers in (ANSWERS, turned))

    assert first == second != USUAL_HASH


# ---- Documents


def test_card_datasheet_and_croissant_say_the_rules_and_the_fields_describe_the_rows():
    chosen = {"sky": {"rule": "majority", "threshold": 0.7, "least_answers": 2}, "stars": {"rule": "median"}}
    recipe = weather_recipe(consensus=chosen)
    built = build(recipe)
    facts = facts_of(recipe, built)

    described = croissant(facts, {"instances": ""})
    says = "if at least 70% of the answers chose it; none at a tie; only where there are at least 2"

    assert says in card(facts, "jsonl")
    assert says in datasheet(facts)
    assert says in described["description"]
    assert "how the answers were brought together" in canonical_json(described)
    for own in built:
        assert own.row
        assert fits(own.row["consensus"], next(f for f in facts.tables["instances"] if f.name == "consensus"))


def test_a_rule_of_a_stored_recipe_is_read_back():
    rule = ChosenRule("majority", {"threshold": 0.7}, 2)

    assert ChosenRule.from_json(rule.to_json()) == rule
    assert item("Dun")["key"] != item("Arden")["key"]


# ---- What a form sends


@pytest.mark.parametrize(
    ("text", "is_whole", "number"),
    [
        ("1,000", True, 1000),
        ("2", True, 2),
        ("1,5", True, "1,5"),
        ("2.5", True, 2.5),
        ("0,6", False, 0.6),
        (" 0.75 ", False, 0.75),
        ("half", False, "half"),
    ],
)
def test_a_comma_separates_thousands_or_is_a_decimal_point(text: str, is_whole: bool, number: float | str):
    assert as_number(text, is_whole=is_whole) == number


def test_rules_of_another_task_with_parts_of_the_same_names_are_not_taken():
    many, single = ({"tone": PARTS["choice"].rules(_options(is_many))} for is_many in (True, False))
    sent = {RULES_OF: rules_id(many), "consensus.tone": "share", "consensus.tone.share.threshold": "0.9"}

    assert sent_rules(many, sent) == {"tone": {"rule": "share", "threshold": 0.9}}
    assert sent_rules(single, sent) == {}


def test_a_rule_that_the_part_does_not_have_leaves_its_usual_rule_chosen():
    offers = {"tone": PARTS["choice"].rules(_options(False))}

    (asked,) = asked_rules(offers, {}, {"consensus.tone": "share"})

    assert [rule.is_chosen for rule in asked.rules] == [True, False, False, False]


def _options(many: bool) -> Any:
    return PARTS["choice"].options_model.model_validate({"options": ["a", "b"], "many": many})
