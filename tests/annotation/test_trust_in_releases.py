"""A recipe may leave out people whose trust is too low. Releases that do not ask keep their bytes."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign, Participation, Release
from annotation.releasing.documents import card, datasheet
from annotation.releasing.recipe import Recipe, make_recipe, trust_note
from annotation.selectors import releases as selectors
from annotation.selectors.release_answers import recipe_for
from annotation.services import gold, releases
from annotation.task_types.aggregation.type import AGGREGATION
from kernel.errors import InvalidInput
from tests.annotation.check_tasks import RIGHT, WRONG, answer_checks, make_checked
from tests.annotation.releasing import freeze
from tests.make import make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
LOOSE: dict[str, Any] = {"least_assignments": 1, "least_answered": 1}


@pytest.fixture
def campaign() -> Campaign:
    """Return a campaign with Ann, 3 of 4 check tasks right, Bob, 1 of 4, and Cleo, 0 of 2."""
    campaign = make_checked()
    for name, phrases in (
        ("ann", (RIGHT, RIGHT, RIGHT, WRONG)),
        ("bob", (RIGHT, WRONG, WRONG, WRONG)),
        ("cleo", (WRONG, WRONG)),
    ):
        answer_checks(make_participation(campaign, name), *phrases)
    return campaign


def authors(release: Release) -> int:
    return len({row["annotator"] for item in release.items.all() for row in item.value["annotations"]})


def test_people_below_are_left_out_with_the_reason_and_people_with_few_check_tasks_stay(campaign):
    release = freeze(recipe_for([campaign.name], least_trust=75, least_tests=4, **LOOSE))

    whys = {(discard.step, discard.why) for discard in release.discards.exclude(step__in=["gold", "instances"])}
    assert whys == {("trust", "The participant got 1 of 4 check tasks right (25%), below the limit of 75%.")}
    assert authors(release) == 2
    funnel = [row["step"] for row in release.statistics["funnel"]]
    assert funnel[funnel.index("workers") :] == ["workers", "trust", "answers", "instances"]
    assert release.statistics["discarded"]["trust"] == release.discards.filter(step="trust").count() > 0


@pytest.mark.parametrize(("least_trust", "people"), [(75, 1), (76, 0), (25, 2)])
def test_exactly_at_the_limit_stays(campaign, least_trust, people):
    recipe = recipe_for([campaign.name], least_trust=least_trust, least_tests=4, **LOOSE)
    statistics: Any = releases.preview_release(recipe).to_json()
    cleo = 1
    assert statistics["released"]["annotators"] == people + cleo


def test_corrected_gold_counts_in_the_next_release(campaign):
    recipe = recipe_for([campaign.name], least_trust=60, least_tests=3, **LOOSE)
    bob = Participation.objects.get(worker__external_id="bob")
    missed = bob.assignments.filter(annotation__is_gold_hit=False).values_list("task_id", flat=True)

    before: Any = releases.preview_release(recipe).to_json()
    for task in missed:
        gold.correct_gold(task, {"phrases": f"{RIGHT}\n{WRONG}"}, by=None)
    after: Any = releases.preview_release(recipe).to_json()

    assert (before["released"]["annotators"], after["released"]["annotators"]) == (2, 3)


def test_card_and_datasheet_say_so(campaign):
    release = freeze(recipe_for([campaign.name], least_trust=75, least_tests=4, **LOOSE))
    plain = freeze(recipe_for([campaign.name], **LOOSE), name="Plain")
    sentence = "Participants with a trust below 75% were left out"

    facts, plain_facts = selectors.facts_of(release), selectors.facts_of(plain)

    assert sentence in card(facts, "jsonl")
    assert sentence in datasheet(facts)
    assert "| trust |" in datasheet(facts)
    assert "rust" not in card(plain_facts, "jsonl") + datasheet(plain_facts)


def test_a_recipe_without_the_filter_says_nothing_of_it_and_one_with_it_is_read_back():
    plain, asked = (make_recipe(AGGREGATION, ["A"], **options) for options in ({}, {"least_trust": 70}))

    assert "trust" not in str(plain.to_json())
    assert trust_note(plain.to_json()) == ""
    assert asked.to_json()["filters"][1] == {"filter": "trust", "least_trust": 70, "least_tests": 5}
    assert [Recipe.from_json(recipe.to_json()) for recipe in (plain, asked)] == [plain, asked]


@pytest.mark.parametrize("fields", [{"least_trust": 101}, {"least_trust": -1}, {"least_tests": 0}])
def test_limits_that_cannot_be_are_refused(fields):
    with pytest.raises(InvalidInput, match="must be between") as refused:
        make_recipe(AGGREGATION, ["A"], **fields)
    assert refused.value.field in fields


def test_the_command_and_the_page_have_the_filter(campaign):
    out = io.StringIO()
    call_command("freeze_release", "W", campaign=[campaign.name], preview=True, least_trust=75, least_tests=4,
                 stdout=out, **LOOSE)  # fmt: skip
    client = Client()
    client.force_login(make_user("ben"))
    asked = {"campaigns": campaign.pk, "cleaning": "tesa", "least_trust": 75, "least_tests": 4, **LOOSE}

    page = shown(client.get(reverse("release-new"), asked))

    assert "\ntrust " in out.getvalue()
    assert "answers of participants below the limit of trust" in page
    assert '<input type="hidden" name="least_trust" value="75">' in page
    assert "without participants below the limit of trust" in page
