"""A campaign is made on a form that shows the cost while it is filled in, or by a command."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Campaign
from kernel.models import Job
from tests.annotation.researching import filled, requirements
from tests.make import make_answer, make_campaign, make_participation, make_sample
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def estimate(researcher: Client, fields: dict[str, object]) -> str:
    """Return the cost card as the page asks for it while somebody types."""
    typed = {name: value for name, value in fields.items() if name != "save"}
    return shown(researcher.post("/campaigns/new/", typed, headers={"HX-Request": "true"}))


def test_a_draft_is_created_from_the_form(researcher: Client):
    answer = researcher.post("/campaigns/new/", filled(make_sample(size=4)))

    campaign = Campaign.objects.get()
    assert answer.headers["Location"] == f"/campaigns/{campaign.pk}/"
    assert (campaign.status, campaign.estimated_s, campaign.time_limit_s) == ("draft", 90, 900)
    assert Job.objects.get().kind == "make_tasks"


def test_the_cost_is_worked_out_while_the_form_is_filled_in(researcher: Client):
    fields = filled(make_sample(size=4), name="", contact="", gold_every=5)

    card = estimate(researcher, fields)

    assert "<html" not in card
    assert "$2.25" in card
    assert "4 tasks × 3 answers × $0.15" in card
    assert "About 3 answers to check tasks" in card
    assert "22 minutes" in card
    assert "$6.00" in card
    assert not Campaign.objects.exists()


def test_the_form_opens_with_the_cost_of_what_it_holds(researcher: Client):
    sample, draft = make_sample(size=4), make_campaign("First", is_running=False, reward=Decimal("0.15"))

    assert "4 tasks × 3 answers × $0.00" in shown(researcher.get(f"/campaigns/new/?sample={sample.pk}"))
    assert "3 tasks × 3 answers × $0.15" in shown(researcher.get(f"/campaigns/{draft.pk}/edit/"))
    assert "to see the cost" in shown(researcher.get("/campaigns/new/"))


@pytest.mark.parametrize("wrong", [{"redundancy": "9" * 400}, {"reward": "x"}, {"sample": ""}, {"gold_every": -3}])
def test_a_cost_that_cannot_be_known_is_left_open(researcher: Client, wrong: dict[str, object]):
    card = estimate(researcher, filled(make_sample()) | wrong)

    assert "to see the cost" in card


def test_one_press_raises_the_reward_to_the_target_wage_also_without_a_script(researcher: Client):
    fields = filled(make_sample(size=4))
    card = estimate(researcher, fields)
    assert 'name="reward" value="0.23"' in card
    del fields["save"]

    page = shown(researcher.post("/campaigns/new/", fields | {"reward": ["0.15", "0.23"]}))

    assert "Meets the target." in page
    assert re.search(r'name="reward" value="0.23"', page)
    assert not Campaign.objects.exists()


def test_a_wage_in_another_currency_is_not_compared(researcher: Client):
    card = estimate(researcher, filled(make_sample(), currency="eur"))

    assert "EUR 1.35" in card
    assert "cannot be compared with EUR" in card
    assert "Raise the reward" not in card


def test_requirements_are_kept_as_the_api_takes_them_and_come_back_as_lines(researcher: Client):
    first, second = make_campaign("A"), make_campaign("B")
    rows = requirements(
        {"property": "min_answers", "number": 20}, {"property": "not_in", "campaign": first.pk}, {"property": ""},
        {"property": "not_in", "campaign": second.pk}, {"property": "first language", "text": "English"},
        {"property": "other", "name": "age", "text": "over 18"},
    )  # fmt: skip

    researcher.post("/campaigns/new/", filled(first.sample, name="C") | rows)

    campaign = Campaign.objects.get(name="C")
    assert campaign.qualifications == {
        "min_answers": "20", "not_in": f"{first.pk}, {second.pk}", "first language": "English", "age": "over 18",
    }  # fmt: skip
    page = shown(researcher.get(f"/campaigns/new/?from={campaign.pk}"))
    for field in ('number" value="20"', 'text" value="English"', 'name" value="age"'):
        assert re.search(rf'name="requirement-\d-{field}', page), field  # PostgreSQL stores them in another order
    assert page.count("selected>Did not take part in") == 2


def test_a_form_that_claims_thousands_of_requirements_shows_at_most_fifty_lines(researcher: Client):
    claimed = requirements() | {"requirement-TOTAL_FORMS": 10**300}

    answer = researcher.post("/campaigns/new/", filled(make_sample()) | claimed)

    assert answer.status_code == 422
    assert len(set(re.findall(r'name="requirement-(\d+)-property"', shown(answer)))) <= 51, "and one to add"


def test_the_form_says_how_many_known_people_meet_the_requirements(researcher: Client):
    before = make_campaign("Before", size=2)
    make_answer(make_participation(before))
    make_participation(make_campaign("Other"))
    row = {"property": "took_part_in", "campaign": before.pk}

    cards = [
        estimate(researcher, filled(before.sample, provider=provider) | requirements(*rows))
        for provider, rows in (("local", (row,)), ("local", ()), ("panel", (row,)))
    ]

    assert [re.findall(r"(\d) known", card) for card in cards] == [["1"], [], ["0"]]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"redundancy": 0}, "Must be between 1 and 50"),
        ({"gold_every": 1}, "would make every task a check task"),
        ({"practice": 99}, "between 0 and"),
        ({"currency": "$"}, "three letters"),
        ({"currency": "ABC"}, "a currency in use"),
        ({"time_limit_minutes": "0.1"}, "Must be between 60 and"),
        ({"provider": "panel", "panel": "prolific", "code_completed": "a b"}, "Must be letters, digits"),
        (
            {
                "provider": "panel",
                "panel_worker": "id",
                "code_completed": "C1",
                "panel_redirect": "http://x.invalid/{code}",
            },
            "Must be a link that begins with https://",
        ),
        (requirements({"property": "min_answers", "number": "many"}), "Enter a whole number"),
        (requirements({"property": "not_in", "campaign": 99}), "Select a valid choice"),
        (requirements({"property": "took_part_in"}), "Fill this in, or remove the requirement"),
        (requirements({"property": "other", "text": "English"}), "Fill this in, or remove the requirement"),
        ({"sample": 0}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(researcher, fields, sentence):
    answer = researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    assert answer.status_code == 422
    assert sentence in shown(answer)
    assert not Campaign.objects.exists()


def test_all_that_a_panel_lacks_is_said_at_once(researcher):
    fields = {"provider": "panel", "panel": "other", "name": ""}

    page = shown(researcher.post("/campaigns/new/", filled(make_sample()) | fields))

    assert "This field is required" in page
    assert "Enter the name of the parameter that holds" in page
    assert "Enter the code for people who complete the work." in page


@pytest.mark.parametrize(
    "fields", [{"panel": "sona"}, {"panel_worker": "id", "panel_redirect": "https://x.invalid/{code}"}]
)
def test_a_panel_asks_for_a_code_wherever_people_need_one(researcher, fields):
    page = shown(researcher.post("/campaigns/new/", filled(make_sample()) | {"provider": "panel"} | fields))

    assert "Enter the code for people who complete the work." in page
    assert "Enter the name of the parameter" not in page


def test_a_panel_needs_no_more_than_its_name_and_a_code(researcher):
    fields = {"provider": "panel", "panel": "prolific", "code_completed": "C1A2B3"}

    researcher.post("/campaigns/new/", filled(make_sample()) | fields)

    campaign = Campaign.objects.get()
    assert campaign.provider_settings == {"preset": "prolific", "codes": {"completed": "C1A2B3"}}
    page = shown(researcher.get(f"/campaigns/new/?from={campaign.pk}"))
    assert "C1A2B3" in page


def test_each_outcome_of_a_panel_visit_has_its_code_in_the_form(researcher):
    codes = {"completed": "C1", "screened_out": "S1", "left_early": "L1", "failed": "F1"}
    fields = {"provider": "panel", "panel": "prolific"}

    researcher.post(
        "/campaigns/new/", filled(make_sample()) | fields | {f"code_{name}": code for name, code in codes.items()}
    )

    assert Campaign.objects.get().provider_settings["codes"] == codes


def test_a_name_is_given_once(researcher):
    campaign = make_campaign("First", reward=Decimal(1))

    answer = researcher.post("/campaigns/new/", filled(campaign.sample))

    assert answer.status_code == 422
    assert "There is already a campaign with this name." in shown(answer)


def test_a_pilot_becomes_the_main_campaign_with_another_sample(researcher):
    pilot = make_campaign("Pilot", is_pilot=True, reward=Decimal("0.25"), qualifications={"first language": "English"})
    other = make_sample("Main", size=2)

    page = shown(researcher.get(f"/campaigns/new/?from={pilot.pk}"))
    assert "Pilot – main" in page
    assert 'name="requirement-0-text" value="English"' in page
    researcher.post(f"/campaigns/new/?from={pilot.pk}", filled(other))

    main = Campaign.objects.get(name="First")
    assert (main.made_from, main.is_pilot, main.sample) == (pilot, False, other)


def test_the_command_makes_the_tasks_and_opens_the_campaign(capsys):
    make_sample("S", size=3)

    for _ in range(2):
        call_command("create_campaign", "By hand", "S", contact="Ben", reward="0.10", start=True)

    campaign = Campaign.objects.get()
    assert (campaign.status, campaign.tasks.count()) == ("running", 3)
    assert "9 answers come to $0.90" in capsys.readouterr().out
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
        ({"provider": "nobody"}, "known: local, mturk, panel"),
    ],
)
def test_the_command_says_what_is_wrong_with_an_option_and_makes_nothing(options, why):
    make_sample("S")

    with pytest.raises(CommandError, match=re.escape(why)):
        call_command("create_campaign", "By hand", "S", contact="Ben", **options)

    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("per_person", "sentence"), [(2, "For Prolific: 5 places, $0.60 for one visit of 2 answers."), (0, "--per-person")]
)
def test_the_command_makes_a_campaign_for_a_panel_and_says_how_to_set_the_study_up(
    per_person: int, sentence: str, capsys: pytest.CaptureFixture[str]
):
    make_sample("S")
    settings = {"preset": "prolific", "codes": {"completed": "C1"}}
    options = {"provider": "panel", "provider_settings": json.dumps(settings), "reward": "0.30"}

    call_command("create_campaign", "By hand", "S", contact="Ben", per_person=per_person, **options)

    assert Campaign.objects.get().provider_settings == settings
    assert sentence in capsys.readouterr().out


def test_fields_that_start_empty_and_must_be_filled_are_marked(researcher):
    page = shown(researcher.get("/campaigns/new/"))

    marked = re.findall(r">([\w ]+) <span\s+class=\"field__optional\">\(required\)", page)
    assert marked == ["Name", "Sample", "Title of the HITs", "Description", "Contact"]
