"""Simulated participants are marked wherever they appear, and never counted, paid or published as people."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Annotation, Campaign, Participation, Release, Worker
from annotation.releasing.recipe import make_recipe
from annotation.selectors import raw_answers
from annotation.selectors.progress import count_progress
from annotation.services import assessing, campaigns, joining, release_exports, releases, simulating
from annotation.task_types.aggregation.type import AGGREGATION
from kernel import clock
from kernel.errors import InvalidInput
from kernel.roles import Role
from tests.annotation import recompute
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def simulated_person(campaign: Campaign) -> Participation:
    """Let one of the simulated crowd in, through the door the command uses."""
    place = simulating.places(campaign, people=1, seed=1)[0]
    joining.consent(place.secret, signals=True)
    joining.read_instructions(place.secret)
    return place


def mixed_campaign() -> Campaign:
    """Return a campaign with one simulated participant, who answered first, and one person."""
    campaign = make_campaign(redundancy=2, reward=Decimal("0.20"))
    people = (simulated_person(campaign), "invented words", 1), (make_participation(campaign, "cleo"), "botanists", 60)
    for person, phrase, seconds in people:
        for _ in range(3):
            make_answer(person, phrase)
        Participation.objects.filter(pk=person.pk).update(active_ms=3 * seconds * 1000)
        Annotation.objects.filter(assignment__participation=person).update(active_ms=seconds * 1000)
    return campaign


@pytest.mark.parametrize(
    ("fields", "is_simulated"),
    [
        ({"provider": "simulation"}, True),
        ({"provider": "demo"}, True),
        ({"provider": "local", "is_demo": True}, False),  # somebody who signed in with an account of the demo
        ({"provider": "local"}, False),
        ({"provider": "mturk"}, False),
    ],
)
def test_a_simulated_worker_is_told_apart_by_its_row(fields, is_simulated):
    assert Worker.objects.create(external_id="x", **fields).is_simulated is is_simulated


def test_progress_counts_people_wages_and_times_without_simulated_participants():
    progress = count_progress(mixed_campaign())

    assert (progress.people, progress.simulated) == (1, 1)
    assert progress.wage == Decimal("12.00")  # 0.20 for a minute
    assert progress.earned == Decimal("0.60")
    assert progress.median_s == 60
    assert progress.answers == 6


def test_a_campaign_with_simulated_participants_alone_has_no_people_and_no_wage():
    campaign = make_campaign(redundancy=1, reward=Decimal("0.20"))
    make_answer(simulated_person(campaign))

    progress = count_progress(campaign)

    assert (progress.people, progress.simulated, progress.wage, progress.median_s) == (0, 1, None, None)


def test_every_page_of_a_campaign_says_which_participants_are_simulated(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    campaign = mixed_campaign()
    campaigns.close(campaign.pk, by=None)
    for _ in assessing.assess(campaign):
        pass
    invented = Participation.objects.get(worker__provider="simulation")
    pages = [
        "/campaigns/",
        f"/campaigns/{campaign.pk}/",
        f"/campaigns/{campaign.pk}/people/",
        f"/campaigns/people/{invented.pk}/",
        f"/campaigns/{campaign.pk}/answers/",
        f"/campaigns/{campaign.pk}/agreement/",
        "/admin/review/",
        f"/admin/review/{campaign.pk}/",
    ]

    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert "simulated" in shown(answer).lower(), page
    agreement = " ".join(shown(client.get(f"/campaigns/{campaign.pk}/agreement/")).split())
    assert "by 1 person and 1 simulated participant to 3 instances" in agreement
    people = shown(client.get(f"/campaigns/{campaign.pk}/people/"))
    assert people.count("Finished · simulated") == 1


def test_somebody_who_signs_in_with_a_demo_account_is_a_person(client):
    campaign = make_campaign(redundancy=2)
    user = make_user("cleo", Role.ANNOTATOR, is_demo=True)
    person = joining.join_as_user(campaign, user)
    joining.consent(person.secret, signals=True)
    joining.read_instructions(person.secret)
    make_answer(person, "botanists")
    client.force_login(make_user("ben"))

    assert (count_progress(campaign).people, count_progress(campaign).simulated) == (1, 0)
    for page in (f"/campaigns/{campaign.pk}/people/", f"/campaigns/people/{person.pk}/"):
        assert "simulated" not in shown(client.get(page)).lower(), page


def test_raw_annotations_are_marked_in_files_and_through_the_api(client):
    campaign = mixed_campaign()
    client.force_login(make_user("ben"))

    rows = [json.loads(line) for line in raw_answers.lines(campaign, "jsonl")]
    table = [line.strip().split(",") for line in raw_answers.lines(campaign, "csv")]
    listed = client.get(f"/api/v1/campaigns/{campaign.pk}/annotations/").json()["results"]

    assert [row["is_simulated"] for row in rows] == [True] * 3 + [False] * 3
    assert [line[-1].strip('"') for line in table] == ["is_simulated"] + ["true"] * 3 + ["false"] * 3
    assert [row["is_simulated"] for row in listed] == [True] * 3 + [False] * 3
    progress = client.get(f"/api/v1/campaigns/{campaign.pk}/").json()["progress"]
    assert (progress["people"], progress["simulated"]) == (1, 1)


# ---- Releases -------------------------------------------------------------------------------------


def frozen(campaign: Campaign, *, simulated: bool) -> Release:
    recipe = make_recipe(AGGREGATION, [campaign.name], least_assignments=1, least_answered=1, simulated=simulated)
    release = releases.create_release(releases.ReleasePlan("Words", recipe, "A test.", "CC0-1.0"), by=None)
    return releases.freeze_release(release, by=None, report=lambda *_: None)


def folder_of(release: Release, folder: Path) -> Path:
    release_exports.write_export(release, "huggingface", folder, lambda done: None)
    return folder


def test_a_release_leaves_simulated_answers_out_and_says_why():
    release = frozen(mixed_campaign(), simulated=False)

    assert release.recipe["simulated"] is False
    assert release.statistics["released"]["annotators"] == 1
    assert release.statistics["released"]["simulated_annotators"] == 0
    collected = release.statistics["collected"]
    assert (collected["annotators"], collected["simulated_annotators"], collected["simulated_annotations"]) == (1, 1, 3)
    assert {(discard.step, discard.answer) for discard in release.discards.all()} == {("simulated", "invented words")}
    assert not release.has_simulated


def test_simulated_answers_that_were_asked_for_are_marked_in_every_row():
    release = frozen(mixed_campaign(), simulated=True)

    for item in release.items.all():
        assert [annotation["simulated"] for annotation in item.value["annotations"]].count(True) == 1
        assert {aggregation["phrase"]: aggregation["simulated"] for aggregation in item.value["aggregations"]} == {
            "botanists": 0,
            "invented words": 1,
        }
        for annotation in item.value["annotations"]:
            assert annotation["annotator"].startswith("sim-") is annotation["simulated"]
    counts = release.statistics["released"]
    assert (counts["annotators"], counts["simulated_annotators"], counts["simulated_annotations"]) == (1, 1, 3)
    assert release.has_simulated


def test_datasheet_card_and_croissant_say_that_answers_are_simulated_and_count_people_alone(tmp_path):
    release = frozen(mixed_campaign(), simulated=True)
    folder = folder_of(release, tmp_path)

    note = "Simulated answers: 1 simulated participant (software, not people) gave 3 of the 6 annotations."
    for name in ("README.md", "DATASHEET.md", "croissant.json"):
        assert note in (folder / name).read_text(), name
    datasheet = (folder / "DATASHEET.md").read_text()
    assert "- Who: 1 person through local; 0 excluded, 0 withdrew; and 1 simulated participant (software)" in datasheet
    assert "actual wage $12.00 an hour" in datasheet
    assert "half of the answers took at most 60 s" in datasheet
    assert "Answers of simulated participants were asked for." in datasheet
    assert json.loads((folder / "recipe.json").read_text())["simulated"] is True


def test_a_release_of_simulated_answers_alone_claims_no_people_and_no_wage(tmp_path):
    campaign = make_campaign(redundancy=1, reward=Decimal("0.20"))
    make_answer(simulated_person(campaign))
    datasheet = (folder_of(frozen(campaign, simulated=True), tmp_path) / "DATASHEET.md").read_text()

    assert "- Who: nobody; 1 simulated participant (software) answered" in datasheet
    assert "- Pay: nobody was paid" in datasheet
    assert "an hour" not in datasheet
    assert not re.search(r"\d (people|person) through", datasheet)


def test_a_campaign_of_simulated_answers_alone_is_refused_with_the_way_to_ask_for_them():
    campaign = make_campaign(redundancy=1)
    make_answer(simulated_person(campaign))

    with pytest.raises(InvalidInput, match="leaves out the answers of simulated participants"):
        frozen(campaign, simulated=False)


@pytest.mark.parametrize("format_", [*AGGREGATION.release.formats])
def test_every_format_marks_simulated_answers_and_a_strangers_script_finds_them(tmp_path, format_):
    release = frozen(mixed_campaign(), simulated=True)
    out = tmp_path / format_
    release_exports.write_export(release, format_, out, lambda done: None)

    figures = recompute.figures(format_, out)

    assert figures["released"].items() <= release.statistics["released"].items()
    text = out.read_text() if out.is_file() else (out / "data" / "annotations.jsonl").read_text()
    assert "sim-" in text or "simulated" in text


def test_no_frozen_file_says_now_in_the_place_of_a_date(tmp_path):
    with clock.at(datetime(2026, 3, 4, 12, tzinfo=UTC)):
        campaign = mixed_campaign()  # still open
    with clock.at(datetime(2026, 3, 9, 12, tzinfo=UTC)):
        release = frozen(campaign, simulated=False)
    folder = folder_of(release, tmp_path)

    assert "- When: 2026-03-04 to 2026-03-09, still open then" in (folder / "DATASHEET.md").read_text()
    for name in ("README.md", "DATASHEET.md", "croissant.json", "statistics.json"):
        assert not re.search(r"\bnow\b", (folder / name).read_text()), name


def test_every_page_of_a_release_says_that_it_holds_simulated_answers(client):
    client.force_login(make_user("ben"))
    campaign = mixed_campaign()
    without, release = frozen(campaign, simulated=False), frozen(campaign, simulated=True)
    base = f"/releases/{release.pk}/"
    pages = ["/releases/", base, f"{base}items/", f"{base}items/0/", f"{base}discarded/"]
    pages.append(f"/releases/compare/?before={without.pk}&after={release.pk}")

    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert "simulated" in shown(answer).lower(), page
    assert shown(client.get("/releases/")).count('<span class="badge">Simulated</span>') == 1
    assert "<dt>Simulated answers</dt> <dd>Left out</dd>" in shown(client.get(f"/releases/{without.pk}/"))


def test_the_form_the_command_and_the_api_ask_for_simulated_answers_by_name(client):
    client.force_login(make_user("ben"))
    campaign = make_campaign(redundancy=1)
    make_answer(simulated_person(campaign))
    asked = {"campaigns": campaign.pk, "cleaning": "tesa", "least_assignments": 1, "least_answered": 1}

    left_out = shown(client.get("/releases/new/", asked))
    included = shown(client.get("/releases/new/", {**asked, "simulated": "on"}))
    out = StringIO()
    names = {"campaign": [campaign.name], "least_assignments": 1, "least_answered": 1}
    call_command("freeze_release", "Words", **names, simulated=True, stdout=out)
    sent = {"name": "By API", "campaigns": [campaign.pk], "simulated": True}
    answer = client.post("/api/v1/releases/", sent, content_type="application/json")

    assert "1 answer of a simulated participant" in left_out
    assert "without simulated participants" in left_out
    assert "without simulated participants" not in included
    assert "Create release with 1 instance" in included
    assert '<input type="hidden" name="simulated" value="on">' in included
    assert Release.objects.get(name="Words").has_simulated
    assert answer.status_code == 202, answer.content
    assert Release.objects.get(name="By API").recipe["simulated"] is True
