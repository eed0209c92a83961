"""Simulated participants are marked wherever they appear, and never counted, paid or published as people."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from annotation.models import Annotation, Campaign, Participation, Worker
from annotation.selectors import exporting
from annotation.selectors.progress import count_progress
from annotation.services import assessing, campaigns, joining, simulating
from tesa_site.kernel.roles import Role
from tests.annotation.researching import text
from tests.make import make_answer, make_campaign, make_participation, make_user

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
        ({"provider": "local", "is_demo": True}, True),
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
        "/agreement/",
        f"/agreement/{campaign.pk}/",
        "/admin/review/",
        f"/admin/review/{campaign.pk}/",
    ]

    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert "simulated" in text(answer).lower(), page
    assert "by 1 person and 1 simulated participant to 3 instances" in text(client.get(f"/agreement/{campaign.pk}/"))
    people = text(client.get(f"/campaigns/{campaign.pk}/people/"))
    assert people.count('<span class="badge">simulated</span>') == 1


def test_raw_annotations_are_marked_in_files_and_through_the_api(client):
    campaign = mixed_campaign()
    client.force_login(make_user("ben"))

    rows = [json.loads(line) for line in exporting.lines(campaign, "jsonl")]
    table = [line.strip().split(",") for line in exporting.lines(campaign, "csv")]
    told = client.get(f"/api/v1/campaigns/{campaign.pk}/annotations/").json()["results"]

    assert [row["is_simulated"] for row in rows] == [True] * 3 + [False] * 3
    assert [line[-1].strip('"') for line in table] == ["is_simulated"] + ["true"] * 3 + ["false"] * 3
    assert [row["is_simulated"] for row in told] == [True] * 3 + [False] * 3
    progress = client.get(f"/api/v1/campaigns/{campaign.pk}/").json()["progress"]
    assert (progress["people"], progress["simulated"]) == (1, 1)
