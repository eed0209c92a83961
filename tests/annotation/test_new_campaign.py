"""A campaign is made on a form that shows the price first, or by a command."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Campaign
from tesa_site.kernel.models import Job
from tests.annotation.researching import filled, text
from tests.make import make_campaign, make_sample

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_price_is_seen_before_anything_is_made(researcher):
    sample = make_sample(size=4)

    first = researcher.post("/campaigns/new/", filled(sample))

    assert "USD 1.80" in text(first)
    assert "USD 6.00 an hour" in text(first)
    assert not Campaign.objects.exists()

    second = researcher.post("/campaigns/new/", filled(sample, seen_total="1.80"))
    campaign = Campaign.objects.get()
    assert second.url == f"/campaigns/{campaign.pk}/"
    assert (campaign.status, campaign.estimated_s, campaign.time_limit_s) == ("draft", 90, 900)
    assert Job.objects.get().kind == "make_tasks"
    assert "Wait for the job" in text(researcher.get(second.url))


def test_what_costs_something_else_than_was_seen_is_shown_again(researcher):
    answer = researcher.post("/campaigns/new/", filled(make_sample(size=4), seen_total="1.80", redundancy=5))

    assert "USD 3.00" in text(answer)
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"redundancy": 0}, "must be between 1 and 50"),
        ({"gold_every": 1}, "would hide gold in every task"),
        ({"practice": 99}, "between 0 and"),
        ({"currency": "$"}, "three letters"),
        ({"currency": "ABC"}, "a currency in use"),
        ({"time_limit_minutes": "0.1"}, "must be between 60 and"),
        ({"qualifications": "English"}, "is not of the form"),
        ({"provider": "panel", "panel": "prolific", "code_completed": "a b"}, "must be letters, digits"),
        (
            {"provider": "panel", "panel": "other", "panel_worker": "id", "panel_redirect": "http://x.invalid/{code}"},
            "https",
        ),
        ({"qualifications": "min_answers = many"}, "number"),
        ({"qualifications": "not_in = 99"}, "not_in: there is no campaign 99"),
        ({"qualifications": "took_part_in = 98"}, "took_part_in: there is no campaign 98"),
        ({"sample": 0}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(researcher, fields, sentence):
    answer = researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    assert answer.status_code == 422
    assert sentence in text(answer)
    assert not Campaign.objects.exists()


def test_a_panel_needs_no_more_than_its_name_and_a_code(researcher):
    fields = {"provider": "panel", "panel": "prolific", "code_completed": "C1A2B3", "seen_total": "1.35"}

    researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    campaign = Campaign.objects.get()
    assert campaign.provider_settings == {"preset": "prolific", "codes": {"completed": "C1A2B3"}}
    page = text(researcher.get(f"/campaigns/new/?from={campaign.pk}"))
    assert "C1A2B3" in page


def test_each_outcome_of_a_panel_visit_has_its_code_in_the_form(researcher):
    codes = {"completed": "C1", "screened_out": "S1", "left_early": "L1", "failed": "F1"}
    fields = {"provider": "panel", "panel": "prolific", "seen_total": "1.35"}

    researcher.post(
        "/campaigns/new/", filled(make_sample()) | fields | {f"code_{name}": code for name, code in codes.items()}
    )

    assert Campaign.objects.get().provider_settings["codes"] == codes


def test_a_name_is_given_once(researcher):
    campaign = make_campaign("First", reward=Decimal(1))

    answer = researcher.post("/campaigns/new/", filled(campaign.sample, seen_total="1.35"))

    assert answer.status_code == 422
    assert "there is a campaign of this name already" in text(answer)


def test_a_pilot_becomes_the_main_campaign_with_another_sample(researcher):
    pilot = make_campaign("Pilot", is_pilot=True, reward=Decimal("0.25"), qualifications={"language": "English"})
    other = make_sample("Main", size=2)

    page = text(researcher.get(f"/campaigns/new/?from={pilot.pk}"))
    assert "Pilot – main" in page
    assert "language = English" in page
    researcher.post(f"/campaigns/new/?from={pilot.pk}", filled(other, seen_total="0.90"))

    main = Campaign.objects.get(name="First")
    assert (main.made_from, main.is_pilot, main.sample) == (pilot, False, other)


def test_the_command_makes_the_tasks_and_opens_the_campaign(capsys):
    make_sample("S", size=3)

    for _ in range(2):
        call_command("create_campaign", "By hand", "S", contact="Ben", reward="0.10", start=True)

    campaign = Campaign.objects.get()
    assert (campaign.status, campaign.tasks.count()) == ("running", 3)
    assert "9 answers come to USD 0.90" in capsys.readouterr().out
    with pytest.raises(CommandError, match="there is no sample"):
        call_command("create_campaign", "Other", "T", contact="Ben")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"reward": "0.155"}, "reward: give an amount with at most two decimals"),
        ({"reward": "NaN"}, "reward: is not an amount of money"),
        ({"reward": "-Infinity"}, "reward: is not an amount of money"),
        ({"reward": "1e30"}, "reward: must be between"),
        ({"provider_settings": "{"}, "--provider-settings: this is not JSON"),
        ({"provider_settings": "[]"}, "--provider-settings: give a JSON object"),
        ({"provider": "panel"}, "provider_settings"),
        ({"provider": "nobody"}, "known: local, panel"),
    ],
)
def test_the_command_says_what_is_wrong_with_an_option_and_makes_nothing(options, why):
    make_sample("S")

    with pytest.raises(CommandError, match=re.escape(why)):
        call_command("create_campaign", "By hand", "S", contact="Ben", **options)

    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("per_person", "told"), [(2, "For Prolific: 5 places, USD 0.60 for one visit of 2 answers."), (0, "--per-person")]
)
def test_the_command_makes_a_campaign_for_a_panel_and_says_how_to_set_the_study_up(
    per_person: int, told: str, capsys: pytest.CaptureFixture[str]
):
    make_sample("S")
    settings = {"preset": "prolific", "codes": {"completed": "C1"}}
    options = {"provider": "panel", "provider_settings": json.dumps(settings), "reward": "0.30"}

    call_command("create_campaign", "By hand", "S", contact="Ben", per_person=per_person, **options)

    assert Campaign.objects.get().provider_settings == settings
    assert told in capsys.readouterr().out
