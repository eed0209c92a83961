"""What a campaign chooses about its task, seen with a task type that only the tests have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from django.test import Client, override_settings

from annotation.models import Campaign, Task
from annotation.releasing.recipe import Recipe
from annotation.selectors.release_answers import campaigns_of, recipe_for
from annotation.services import editing
from annotation.services.campaigns import CampaignPlan, create_campaign, make_tasks
from annotation.services.instructions import default_instructions
from annotation.task_types import TASK_TYPES, type_of
from annotation.task_types.settings import bound_type, checked_settings, settings_in_words
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.models import User
from tests.annotation.researching import filled
from tests.annotation.test_second_type import HERE
from tests.make import make_campaign, make_sample, make_texts
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(TASK_TYPES.paths, "tone", "tests.annotation.second_type.type:TONE")
    (engine,) = django_settings.TEMPLATES
    with override_settings(TEMPLATES=[{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}]):
        yield


@pytest.fixture
def texts() -> Sample:
    return make_texts()


def campaign_in(place: str, name: str = "Tones", sample: Sample | None = None) -> Campaign:
    return make_campaign(name, sample=sample or make_texts(), task_type="tone", task_settings={"place": place})


def test_a_campaign_keeps_the_settings_it_was_made_with_and_its_tasks_ask_by_them():
    campaign = campaign_in("Arden")

    assert campaign.task_settings == {"place": "Arden"}
    assert all("for everybody in Arden?" in task.html for task in Task.objects.filter(campaign=campaign, variant=""))


def test_settings_that_were_not_given_are_kept_as_their_defaults(texts: Sample):
    campaign = make_campaign("Tones", sample=texts, task_type="tone")

    assert campaign.task_settings == {"place": "the country"}


@pytest.mark.parametrize(
    ("settings", "field"),
    [({"place": "A"}, "task_settings.place"), ({"place": 5}, "task_settings.place"), ({"x": 1}, "task_settings.x")],
)
def test_a_setting_that_cannot_be_is_refused_by_its_name(texts: Sample, settings: dict[str, object], field: str):
    plan = CampaignPlan("Tones", texts, task_type="tone", task_settings=settings, contact="x")

    with pytest.raises(InvalidInput) as refused:
        create_campaign(plan, by=None)

    assert refused.value.field == field


def test_a_task_without_settings_refuses_any():
    with pytest.raises(InvalidInput, match="has no settings"):
        checked_settings("aggregation", {"place": "Arden"})


def test_a_type_without_settings_is_the_registered_one():
    assert bound_type("aggregation", {}) is TASK_TYPES["aggregation"]


def test_types_with_the_same_settings_are_the_same_object():
    assert bound_type("tone", {"place": "Arden"}) is bound_type("tone", {"place": "Arden"})
    assert bound_type("tone", {"place": "Arden"}) is not bound_type("tone", {"place": "Dun"})


def test_settings_stay_as_they_are_when_a_draft_changes():
    plan = CampaignPlan("Tones", make_texts(), task_type="tone", task_settings={"place": "Arden"}, contact="x")
    campaign = create_campaign(plan, by=None)
    for _ in make_tasks(campaign):
        pass

    editing.change_campaign(campaign.pk, {"task_settings": {"place": "Dun"}, "contact": "you"}, by=None)

    campaign.refresh_from_db()
    assert (campaign.task_settings, campaign.contact) == ({"place": "Arden"}, "you")


def test_the_settings_page_shows_them_by_their_labels(client: Client, ben: User):
    page = shown(client.get(f"/campaigns/{campaign_in('Arden').pk}/settings/"))

    assert "<dt>Where people live</dt><dd>Arden</dd>" in page


def test_the_api_gives_them(client: Client, ben: User):
    assert client.get(f"/api/v1/campaigns/{campaign_in('Arden').pk}/").json()["task_settings"] == {"place": "Arden"}


def test_values_are_put_in_words():
    assert settings_in_words("tone", {"place": "Arden", "old": [True, 3]}) == [
        ("Where people live", "Arden"),
        ("old", "yes, 3"),
    ]


def test_a_recipe_keeps_them_and_asks_by_them():
    recipe = recipe_for([campaign_in("Arden").name])

    again = Recipe.from_json(recipe.to_json())

    assert again == recipe
    assert type_of(again) is bound_type("tone", {"place": "Arden"})


def test_a_recipe_of_a_task_without_settings_says_nothing_of_them():
    assert "task_settings" not in recipe_for([make_campaign("Phrases").name]).to_json()


def test_campaigns_with_other_settings_do_not_go_into_one_release(texts: Sample):
    for name, place in (("North", "Arden"), ("South", "Dun")):
        campaign_in(place, name, texts)

    with pytest.raises(InvalidInput, match="the settings of “North” and “South” differ"):
        recipe_for(["North", "South"])


def test_a_campaign_whose_settings_are_not_the_recipes_is_refused():
    campaign = campaign_in("Arden")
    recipe = recipe_for([campaign.name])
    Campaign.objects.filter(pk=campaign.pk).update(task_settings={"place": "Dun"})

    with pytest.raises(InvalidInput, match="other task settings"):
        campaigns_of(recipe)


def test_instructions_of_another_task_are_refused(texts: Sample):
    other = default_instructions(TASK_TYPES["aggregation"])
    plan = CampaignPlan("Tones", texts, task_type="tone", instructions=other, contact="x")

    with pytest.raises(InvalidInput, match="these are for the task “aggregation”"):
        create_campaign(plan, by=None)


def test_the_form_gives_a_campaign_the_consent_and_practice_of_its_own_task(researcher: Client, texts: Sample):
    consent = TASK_TYPES["aggregation"].consent
    form = filled(texts) | {"task_type": "tone", "consent": consent, "practice": "2"}

    researcher.post("/campaigns/new/", form)

    campaign = Campaign.objects.get()
    assert (campaign.consent, campaign.practice) == (TASK_TYPES["tone"].consent, 1)


def test_consent_that_somebody_wrote_stays(researcher: Client):
    researcher.post("/campaigns/new/", filled(make_sample()) | {"consent": "Our own words."})

    assert Campaign.objects.get().consent == "Our own words."


def test_a_new_release_offers_the_standard_cleaning_of_whatever_task_is_chosen(researcher: Client, texts: Sample):
    make_campaign("Phrases")
    make_campaign("Tones", sample=texts, task_type="tone")

    page = shown(researcher.get("/releases/new/"))

    assert '<option value="" selected>The standard one of the task</option>' in page
