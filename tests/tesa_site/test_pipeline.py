"""What the first page proposes next, as a dataset grows."""

from __future__ import annotations

import pytest
from django.conf import settings

from annotation.models import CampaignStatus
from annotation.services import campaigns
from tesa_site.pipeline import next_action
from tests.make import (
    make_answer,
    make_article,
    make_campaign,
    make_corpus,
    make_experiment,
    make_instance,
    make_participation,
    make_sample,
    make_split,
    make_synthetic_release,
    make_worker,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _somebody_works():
    make_worker(queues=settings.QUEUES)


def test_without_anything_an_archive_is_to_be_read():
    make_corpus("Demo newspaper", is_demo=True)

    assert next_action().label == "Read an archive"


def test_an_archive_asks_for_a_sample_and_a_sample_for_a_campaign():
    corpus = make_corpus()
    assert next_action().label == "Read an archive"  # nothing of it was read
    make_article(corpus)
    assert (next_action().label, next_action().url) == ("Look at the corpus", f"/corpus/{corpus.pk}/")
    make_instance(corpus)
    assert next_action().label == "Draw a sample"

    sample = make_sample()
    assert (next_action().label, next_action().url) == ("Make a campaign", f"/campaigns/new/?sample={sample.pk}")


def test_instances_that_came_without_an_archive_go_on_as_well():
    make_sample()

    assert next_action().label == "Make a campaign"


@pytest.mark.parametrize(
    ("status", "label"),
    [("draft", "Start the campaign"), ("running", "See how far it is"), ("paused", "Look at the campaign")],
)
def test_an_open_campaign_is_proposed_by_its_name(status, label):
    campaign = make_campaign("Botany", is_running=False)
    campaign.status = status
    campaign.save()

    action = next_action()

    assert (action.label, action.url) == (label, f"/campaigns/{campaign.pk}/")
    assert "“Botany”" in action.why


def test_a_campaign_in_which_everything_is_answered_is_to_be_closed():
    campaign = make_campaign("Botany", size=1, redundancy=1)
    assert "People can answer" in next_action().why

    make_answer(make_participation(campaign))

    assert "Every task of “Botany” is answered: close it" in next_action().why


def test_a_closed_campaign_is_reviewed_then_frozen_then_learned_from():
    campaign = make_campaign("Botany", redundancy=1)
    make_answer(make_participation(campaign))
    campaigns.close(campaign.pk, by=None)

    assert "1 answered task waits for a reviewer" in next_action().why

    release = make_synthetic_release()
    release.campaigns.add(campaign)
    assert next_action().label == "Train models"

    make_experiment(split=make_split(release))
    assert next_action().label == "Compare models"


def test_a_closed_campaign_with_nothing_to_review_is_frozen():
    campaign = make_campaign("Botany")
    campaign.status = CampaignStatus.CLOSED
    campaign.save()

    assert (next_action().label, next_action().url) == ("Freeze a release", f"/releases/new/?campaigns={campaign.pk}")


def test_a_new_campaign_comes_before_an_old_release():
    release = make_synthetic_release()
    release.campaigns.add(make_campaign("Old"))
    new = make_campaign("New")

    assert next_action().url == f"/campaigns/{new.pk}/"


def test_the_demo_s_campaigns_are_nobody_s_work():
    campaign = make_campaign("Demo")
    campaign.is_demo = True
    campaign.save()

    assert next_action().label == "Make a campaign"
