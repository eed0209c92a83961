"""The first page of a campaign: how it is going, and what needs attention."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.models import Assignment, Campaign, ReviewItem, WorkerVerdict
from annotation.selectors.days import DAYS
from annotation.selectors.overview import overview
from annotation.selectors.progress import count_progress
from annotation.services import campaigns
from tests.annotation.answered import answered_campaign, in_turn
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def test_answers_per_day_end_with_the_day_of_the_last_answer():
    campaign = make_campaign(size=3, redundancy=1)
    assert not overview(campaign, count_progress(campaign))["days"]
    person = make_participation(campaign)
    for days in (0, 0, 2):
        pk = make_answer(person).assignment_id
        turn = Assignment.objects.get(pk=pk)
        Assignment.objects.filter(pk=pk).update(ended_at=turn.ended_at - timedelta(days=days))

    bars = overview(campaign, count_progress(campaign))["days"]

    assert [bar.height for bar in bars] == [0] * (DAYS - 3) + [70, 0, 140]
    assert [bar.tip.split(": ")[1] for bar in bars[-3:]] == ["1 answer", "0 answers", "2 answers"]


def test_a_draft_shows_what_is_left_to_do_in_place_of_figures(researcher):
    campaign = make_campaign(size=2, is_running=False, gold_every=5)

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))

    assert "Before you open this campaign" in page
    assert "2 of 2 tasks created" in page
    assert "None chosen yet" in page
    assert "Answers per day" not in page


def test_needs_attention_names_warnings_and_what_waits_for_review(researcher):
    campaign = answered_campaign({"ann": ["botanists"], "bob": ["painters"]}, redundancy=2)
    for task in campaign.tasks.all():
        ReviewItem.objects.create(task=task, campaign=campaign, score=0.5, answers=2, state="contested")
    person = campaign.participations.get(number=2)
    WorkerVerdict.objects.create(participation=person, filter="speed", level="strong", evidence="6 s per answer")

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))

    assert "1 task to review" in page
    assert "1 contested" in page
    assert "Participant 2</span>" in page


def test_a_draft_says_that_its_tasks_are_being_created_while_the_job_runs(researcher):
    campaign = make_campaign(size=2, is_running=False)
    Campaign.objects.filter(pk=campaign.pk).update(tasks_made=0)
    assert "Create the tasks</b>" in shown(researcher.get(f"/campaigns/{campaign.pk}/"))

    campaigns.start_job("make_tasks", campaign, by=None)

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert "Tasks are being created</b>" in page
    assert "0 of 2 tasks created so far" in page


def test_tabs_answers_per_day_and_latest_answers_of_an_open_campaign_are_read_again_by_themselves(researcher):
    page = shown(researcher.get(f"/campaigns/{make_campaign().pk}/"))

    for part in ("campaign-tabs", "per-day-card", "latest-card", "progress", "figures"):
        assert f'id="{part}" data-live' in page, part


def test_the_tab_counts_tasks_to_review_as_the_review_does(researcher):
    campaign = in_turn(size=3)

    page = shown(researcher.get(f"/admin/review/{campaign.pk}/"))

    assert 'To review <span class="pill" id="number-waiting">3</span>' in page
    assert 'Review<span class="pill hot" id="to-review">3<' in page


def test_answered_tasks_need_attention_before_the_quality_checks_ran(researcher):
    campaign = in_turn(size=3)
    ReviewItem.objects.filter(campaign=campaign).delete()

    assert "3 tasks to review" in " ".join(shown(researcher.get(f"/campaigns/{campaign.pk}/")).split())
