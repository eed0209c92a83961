"""The agreement of a task type that names scales and whose answers have no pieces, on pages and in files."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Campaign, Participation
from annotation.quality.series import Scale, SeriesOf
from annotation.selectors.participants import worker_records
from annotation.services import assessing, assigning, submitting
from annotation.task_types import TASK_TYPES
from kernel.models import User
from tests.annotation.graded import RATED
from tests.make import make_campaign, make_participation, make_texts
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASK_TYPES.paths, "rated", "tests.annotation.graded:RATED")


def rate(person: Participation, stars: str) -> None:
    """Give these stars to a campaign's tasks, in their order; "-" says that there are none."""
    for _ in stars:
        turn = assigning.take_turn(person.secret).assignment
        assert turn is not None
        answer = stars[turn.task.position].strip("-")
        submitting.submit(person.secret, turn.pk, {"stars": answer})


def rated_campaign(*everybody: str) -> Campaign:
    sample = make_texts(size=len(everybody[0]))
    campaign = make_campaign("Stars", sample=sample, task_type="rated", redundancy=len(everybody))
    for number, stars in enumerate(everybody):
        rate(make_participation(campaign, f"worker {number}"), stars)
    list(assessing.assess(campaign))
    return campaign


def csv(client: Client, campaign: Campaign, kind: str) -> list[str]:
    return client.get(f"/agreement/{campaign.pk}/{kind}.csv?bom=no").content.decode().splitlines()


def test_the_page_leads_with_alpha_of_the_first_part_and_shows_each_part_with_its_measures(client: Client, ben: User):
    campaign = rated_campaign("1245", "1255")

    text = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))

    assert re.search(r"Stars, Krippendorff(’|&#x27;|')s alpha, ordinal</dt>\s*<dd>0\.\d\d</dd>", text)
    assert "on “stars”" in text
    assert "quadratic-weighted kappa" in text.lower()
    assert re.search(r"Closeness of answers</dt>\s*<dd>0\.94</dd>", text)  # (1 + 1 + 0.75 + 1) / 4
    assert "Two answers count as the same from 0.75 on." in text
    assert 'id="part-2">Kind</h2>' in text
    assert "No item has two judgements" in text  # nobody said what kind it is
    assert "Estimated accuracy" not in text


def test_a_campaign_is_shown_wherever_its_agreement_is_though_its_answers_have_no_pieces(client: Client, ben: User):
    campaign = rated_campaign("1245", "1255", "5-11")

    for page in ("", "agreement/", "answers/", "people/"):
        assert client.get(f"/campaigns/{campaign.pk}/{page}").status_code == 200
    for kind in ("worker", "type", "day"):
        assert client.get(f"/agreement/{campaign.pk}/{kind}.svg").status_code == 200
    assert "undefined" not in shown(client.get("/admin/annotation/agreementreport/"))
    instances = csv(client, campaign, "instance")
    assert instances[0] == '"instance","type","answers","none","same"'
    assert len(instances) == 5
    assert csv(client, campaign, "worker")[0] == '"name","answers","none","same","is_simulated"'
    assert csv(client, campaign, "day")[0] == '"day","instances","same"'
    assert csv(client, campaign, "type")[0] == '"type","instances","alpha","low","high","same"'


def test_texts_that_nobody_answered_twice_are_explained(client: Client, ben: User):
    campaign = rated_campaign("12")

    text = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))

    assert "Not measurable" in text
    assert "No instance was answered by two people." in text


def test_only_items_on_which_people_differ_more_than_counts_as_the_same_are_listed(client: Client, ben: User):
    campaign = rated_campaign("145", "554")

    text = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))

    least = text.partition("Where people disagree most")[2].partition("</section>")[0]
    assert least.count("<tr>") == 2  # the heading, and 1 star against 5
    assert re.search(r'class="number">\s*0\.00<', least)


def test_somebody_one_star_away_from_the_others_agrees_with_all_of_them():
    campaign = rated_campaign("4", "4", "5", "2")

    records = worker_records(campaign)

    assert [record.work[0].agrees for record in records] == [pytest.approx(2 / 3)] * 3 + [0]


def test_where_all_parts_are_texts_the_page_leads_with_closeness(
    client: Client, ben: User, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(RATED, "scales", (SeriesOf("stars", "text", Scale.TEXT, closeness=lambda a, b: 0.25),))
    campaign = rated_campaign("14", "15")

    text = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))

    assert re.search(r'class="tile lead"><dt>Closeness of answers</dt>\s*<dd>0\.88</dd>', text)  # (1 + 0.75) / 2
    assert "How close two people’s texts about the same text are, from 0 to 1." in text
    assert "Krippendorff" not in text
    assert client.get(f"/agreement/{campaign.pk}/type.svg").status_code == 404
    assert "undefined" in shown(client.get("/admin/annotation/agreementreport/"))
    for page in ("/campaigns/", f"/campaigns/{campaign.pk}/"):
        assert client.get(page).status_code == 200
