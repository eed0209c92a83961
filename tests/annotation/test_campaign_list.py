"""The list of campaigns: filters, order, figures, and the same as a file."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign
from annotation.selectors import progress
from annotation.services import assessing, campaigns
from kernel.models import User
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def names(page: str) -> list[str]:
    return re.findall(r'<a class="title" href="/campaigns/\d+/">([^<]+)</a>', page)


def test_campaigns_are_filtered_and_sorted_by_the_address(researcher):
    for name, is_running in (("Harbours", True), ("Rivers", False), ("Harbour pilot", False)):
        make_campaign(name, size=1, is_running=is_running)
    Campaign.objects.filter(name="Rivers").update(created_by=User.objects.get(username="ben"))

    def shows(query: str) -> list[str]:
        return names(shown(researcher.get(f"/campaigns/{query}")))

    assert shows("") == ["Harbour pilot", "Rivers", "Harbours"]
    assert shows("?status=draft") == ["Harbour pilot", "Rivers"]
    assert shows("?words=harbour&sort=name") == ["Harbour pilot", "Harbours"]
    assert shows("?sort=status") == ["Harbours", "Harbour pilot", "Rivers"]
    assert shows("?owner=me") == ["Rivers"]
    assert shows("?status=lost&sort=secret") == shows("")
    assert "No campaign matches" in shown(researcher.get("/campaigns/?words=lakes"))
    page = shown(researcher.get("/campaigns/?words=harbour&sort=-earned"))
    assert 'href="?words=harbour&amp;sort=-earned&amp;status=draft"' in page, "a filter keeps the others"
    assert '<th scope="col" class="number" aria-sort="descending">' in page
    assert 'data-tip="By participants, without the fees of a marketplace">Earned</a>' in page


def test_a_row_says_what_the_campaign_s_own_pages_say(researcher):
    campaign = make_campaign(size=2, redundancy=2, reward=Decimal("0.10"))
    for name in ("ann", "bob"):
        make_answer(make_participation(campaign, name))
    campaigns.close(campaign.pk, by=None)
    list(assessing.assess(campaign))

    row = researcher.get("/campaigns/").context["rows"][0]

    alone = progress.count_progress(campaign)
    assert (row.tasks, row.answers, row.wanted) == (alone.tasks, alone.answers, alone.wanted)
    assert (row.earned, row.wage) == (alone.earned, alone.wage)
    assert (row.lately, row.days[-1][1]) == (2, 2)
    assert row.to_review == researcher.get(f"/admin/review/{campaign.pk}/").context["counts"][""]
    assert row.alpha == researcher.get(f"/campaigns/{campaign.pk}/agreement/").context["alpha"]["value"]


def test_answered_tasks_wait_for_a_review_before_the_quality_checks_ran(researcher):
    campaign = make_campaign(size=2, redundancy=1)
    make_answer(make_participation(campaign, "ann"))

    row = researcher.get("/campaigns/").context["rows"][0]

    assert row.to_review == researcher.get(f"/admin/review/{campaign.pk}/").context["counts"][""] == 1


def test_the_list_needs_no_more_queries_for_more_campaigns(researcher):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert researcher.get("/campaigns/").status_code == 200
        return len(captured)

    make_campaign("A", size=1)
    researcher.get("/campaigns/")
    few = queries()
    for number in range(6):
        make_answer(make_participation(make_campaign(f"B{number}", size=1), f"ann{number}"))

    assert queries() == few


def test_the_file_holds_every_campaign_that_the_list_shows(researcher):
    for name in ("Harbours", "Rivers", "=Harbour()"):
        make_campaign(name, size=1)

    answer = researcher.get("/campaigns/campaigns.csv?words=harbour&sort=name&bom=no")

    rows = [line.split(",")[:2] for line in b"".join(answer).decode().splitlines()]
    assert rows == [['"campaign"', '"status"'], ['"\'=Harbour()"', '"running"'], ['"Harbours"', '"running"']]
