"""What the home page shows, as a dataset grows."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import ReviewItem
from annotation.selectors.progress import count_progress, forget
from annotation.services import campaigns
from kernel.clock import now
from modeling.candidates import CandidateOptions
from modeling.models import Experiment, Split
from tesa_site import activity
from tesa_site.pipeline import Overview
from tests.make import (
    make_answer,
    make_article,
    make_background,
    make_campaign,
    make_corpus,
    make_entity,
    make_experiment,
    make_instance,
    make_participation,
    make_sample,
    make_split,
    make_synthetic_release,
    make_user,
    make_worker,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _somebody_works():
    make_worker(queues=settings.QUEUES)


def labels() -> list[str]:
    return [to_do.label for to_do in Overview().to_do()]


def only() -> tuple[str, str, str]:
    (to_do,) = Overview().to_do()
    return to_do.title, to_do.label, to_do.url


def stages() -> dict[str, tuple[str, str, str]]:
    return {stage.label: (stage.figure, stage.note, stage.waits) for stage in Overview().stages()}


def test_without_anything_articles_are_to_be_imported():
    make_corpus("Demo newspaper", is_demo=True)

    assert only() == ("No articles of your own yet", "Import articles", "/corpus/new/")


def test_articles_ask_for_a_sample_and_a_sample_for_a_campaign():
    corpus = make_corpus("Gazette")
    assert labels() == ["Import articles"]  # nothing of it was read
    make_article(corpus)
    assert only() == ("Gazette has no instances yet", "Find instances", f"/corpus/{corpus.pk}/")
    make_instance(corpus)
    assert only() == ("Gazette has no sample yet", "Draw sample", f"/corpus/{corpus.pk}/draw/")

    sample = make_sample()
    assert only()[1:] == ("New campaign", f"/campaigns/new/?sample={sample.pk}")


@pytest.mark.parametrize(
    ("status", "title", "label"),
    [("draft", "Botany is a draft", "Open campaign"), ("paused", "Botany is paused", "Resume campaign")],
)
def test_a_campaign_in_which_nobody_can_answer_is_named(status: str, title: str, label: str):
    campaign = make_campaign("Botany", is_running=False)
    campaign.status = status
    campaign.save()

    assert only() == (title, label, f"/campaigns/{campaign.pk}/")


def test_an_open_campaign_waits_for_nobody_until_everything_is_answered():
    campaign = make_campaign("Botany", size=1, redundancy=1)
    assert not labels()
    ((shown, progress),) = Overview().open_campaigns
    assert (shown, progress.answers, progress.wanted) == (campaign, 0, 1)

    make_answer(make_participation(campaign))
    forget(campaign)

    assert "Botany has all its answers" in [to_do.title for to_do in Overview().to_do()]
    assert labels() == ["Review tasks", "Close campaign"]


def test_a_closed_campaign_is_reviewed_then_released_then_learned_from():
    campaign = make_campaign("Botany", redundancy=1)
    make_answer(make_participation(campaign))
    campaigns.close(campaign.pk, by=None)

    assert only() == ("1 task to review", "Review tasks", f"/admin/review/{campaign.pk}/")
    assert stages()["Answers"] == ("1", "0 campaigns open", "1 task to review")

    ReviewItem.objects.create(
        campaign=campaign, task=campaign.tasks.get(answers=1), score=0, state="settled", answers=1
    )
    assert only() == ("Botany is ready to release", "Create release", f"/releases/new/?campaigns={campaign.pk}")
    assert stages()["Releases"] == ("0", "None yet", "1 campaign ready to release")

    release = make_synthetic_release()
    release.campaigns.add(campaign)
    assert labels() == ["Train models"]

    make_experiment(split=make_split(release))
    assert not labels()


def test_the_demo_is_work_only_while_there_is_nothing_else():
    demo = make_campaign("Demo", redundancy=1)
    make_answer(make_participation(demo))
    campaigns.close(demo.pk, by=None)
    type(demo).objects.update(is_demo=True)
    assert "Review tasks" in labels()

    own = make_campaign("Botany", sample=demo.sample, redundancy=1)
    make_answer(make_participation(own))
    campaigns.close(own.pk, by=None)

    assert [to_do.detail for to_do in Overview().to_do()] == ["Botany"]


def test_backgrounds_and_recognized_names_wait_in_their_corpus():
    corpus = make_corpus("Gazette")
    make_background(make_entity(corpus, "Ida Lind"), status="likely")
    make_entity(corpus, "Karl Moe", is_recognized=True)

    assert labels()[:2] == ["Check backgrounds", "Review names"]
    assert stages()["Instances"][2] == "1 background to check"


def test_more_open_campaigns_need_no_more_queries_and_stand_as_on_their_own_pages():
    numbers = []
    for name in ("Rivers", "Harbours"):
        campaign = make_campaign(name, size=3, redundancy=2)
        make_answer(make_participation(campaign, f"ann of {name}"))
        with CaptureQueriesContext(connection) as queries:
            standing = Overview().open_campaigns
        numbers.append(len(queries) - sum(progress.active > 0 for _, progress in standing))  # one each for the pace

    assert numbers[0] == numbers[1]
    for campaign, progress in standing:
        alone = count_progress(campaign)
        assert (progress.answers, progress.wanted, progress.active, progress.reports) == (1, 6, alone.active, 0)
        assert (progress.answers, progress.wanted) == (alone.answers, alone.wanted)


def test_activity_names_people_and_keeps_who_joins_apart():
    campaign = make_campaign("Botany", is_running=False)
    make_participation(campaigns.start(campaign.pk, by=make_user("ida")))

    deeds = [(deed.who, deed.what, deed.subject) for deed in activity.latest()]

    assert ("ida", "opened", "Botany") in deeds
    assert deeds[0] == ("Participant 1", "joined", "Botany")


def test_activity_is_silent_about_people_who_have_not_agreed():
    person = make_participation(make_campaign("Botany"))
    type(person).objects.update(consented_at=None)

    assert "joined" not in [deed.what for deed in activity.latest()]


def test_tasks_to_review_lead_to_the_review():
    make_answer(make_participation(make_campaign("Botany", redundancy=1)))

    (stage,) = [stage for stage in Overview().stages() if stage.label == "Answers"]

    assert (stage.waits, stage.waits_url) == ("1 task to review", "/admin/review/")


# ---- Best model ----


def finished(name: str, split: Split, **values: float) -> Experiment:
    """Return an experiment whose runs, by ranker, have these figures on validation, and half of them on test."""
    experiment = make_experiment(name, *values, split=split)
    for ranker, value in values.items():
        metrics = {"valid": {"ap": {"mean": value}}, "test": {"ap": {"mean": value / 2}}}
        experiment.runs.filter(ranker=ranker).update(metrics=metrics, finished_at=now())
    return experiment


def test_the_best_model_is_the_best_on_validation_among_comparable_experiments_and_its_release_is_named():
    split = make_split()
    older = finished("Older", split, frequency=0.5)
    finished("Newest", split, random=0.25)

    (stage,) = [stage for stage in Overview().stages() if stage.label == "Best model"]

    assert (stage.figure, stage.note) == ("0.250", "test MAP, frequency on Phrases, version 1")
    assert stage.url == older.get_absolute_url()


def test_the_best_model_shows_its_validation_figure_while_the_test_figure_is_hidden():
    experiment = finished("Open", make_split(), frequency=0.5, random=0.25)
    experiment.runs.filter(ranker="random").update(finished_at=None)

    assert stages()["Best model"][:2] == ("0.500", "validation MAP, frequency on Phrases, version 1")


def test_the_best_model_is_one_on_the_newest_release_that_has_finished_runs():
    newest, empty = make_split(make_synthetic_release("Rivers")), make_split(make_synthetic_release("Empty"))
    finished("Rivers", newest, random=0.25)
    finished("Phrases", make_split(), frequency=0.5).runs.update(finished_at=None)
    make_experiment("Not run", split=empty)

    assert stages()["Best model"][:2] == ("0.125", "test MAP, random on Rivers, version 1")


@pytest.mark.parametrize("change", [{"seed": 2}, {"rule": "unseen"}])
def test_there_is_no_best_model_if_the_experiments_have_other_test_parts(change):
    release = make_synthetic_release()
    finished("One", make_split(release), frequency=0.5)
    finished("Other", make_split(release, **change), random=0.25)

    assert stages()["Best model"] == ("–", "Experiments on Phrases, version 1 cannot be compared", "")


def test_there_is_no_best_model_if_the_experiments_rank_other_candidates():
    split = make_split()
    finished("One", split, frequency=0.5)
    other = make_experiment("Other", "random", split=split, options=CandidateOptions(size=12))
    other.runs.update(finished_at=now(), metrics={"valid": {"ap": {"mean": 0.25}}})

    assert stages()["Best model"][0] == "–"


def test_the_demo_has_the_best_model_only_while_there_is_no_other():
    demo = finished("Demo", make_split(make_synthetic_release("Demo")), frequency=0.5)
    type(demo).objects.update(is_demo=True)
    assert stages()["Best model"][1] == "test MAP, frequency on Demo, version 1"

    finished("Own", make_split(), random=0.25)
    finished("Demo again", demo.split, frequency=0.5)
    type(demo).objects.filter(split=demo.split).update(is_demo=True)

    assert stages()["Best model"][1] == "test MAP, random on Phrases, version 1"
