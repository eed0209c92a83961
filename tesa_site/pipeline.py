"""The pipeline on the home page: the size of each stage, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.db.models import F
from django.urls import reverse

from annotation.models import Campaign, CampaignStatus, Release
from annotation.selectors import review
from corpus.models import Corpus, Sample
from corpus.selectors import drawable_corpora
from modeling.models import Experiment
from tesa_site.kernel import selectors


@dataclass(frozen=True)
class Stage:
    """One stage of a dataset; its rows are counted if this version has the model."""

    label: str
    holds: str
    model: str
    tells: str
    url_name: str = ""


@dataclass(frozen=True)
class Action:
    """A suggestion for what to do next, and why."""

    label: str
    why: str
    url: str


STAGES = (
    Stage("Corpus", "articles", "corpus.Article", "A newspaper archive is read; entities are found in it.", "corpora"),
    Stage("Instances", "instances", "corpus.Instance", "Entities of one type, mentioned in one passage.", "corpora"),
    Stage("Samples", "samples", "corpus.Sample", "Some of them are drawn and frozen, to be annotated.", "samples"),
    Stage("Campaigns", "campaigns", "annotation.Campaign", "People write one phrase that names them all.", "campaigns"),
    Stage("Releases", "releases", "annotation.Release", "Answers are reviewed, cleaned and frozen.", "releases"),
    Stage("Runs", "runs", "modeling.Run", "Models learn to rank the phrases.", "experiments"),
)


def stage_counts() -> list[tuple[Stage, int | None]]:
    """Return each stage with its number of rows; None if this version lacks the model."""
    return [(stage, _count(stage.model)) for stage in STAGES]


def _count(label: str) -> int | None:
    try:
        model = apps.get_model(label)
    except LookupError:
        return None
    return int(model._default_manager.count())


def next_action() -> Action:
    """Suggest what to do next: start missing workers first, then continue from the furthest stage reached."""
    if missing := selectors.queues_without_worker():
        why = f"No worker is alive for {', '.join(missing)}: jobs started now will wait."
        return Action("See what the workers do", why, reverse("jobs"))
    if campaign := Campaign.objects.filter(is_demo=False).order_by("pk").last():
        return _after(campaign)
    if sample := Sample.objects.filter(is_demo=False).order_by("pk").last():
        make = f"{reverse('campaign-new')}?sample={sample.pk}"
        return Action("Make a campaign", f"The sample “{sample.name}” is there: put it to people.", make)
    if drawable_corpora().filter(is_demo=False).exists():
        return Action("Draw a sample", "Archives have been read: draw instances to annotate.", reverse("samples"))
    if corpus := Corpus.objects.filter(is_demo=False, articles__isnull=False).order_by("pk").last():
        why = f"“{corpus.name}” was read, but no instances were found in it yet."
        return Action("Look at the corpus", why, reverse("corpus", args=[corpus.pk]))
    why = "The demo newspaper is there to look at." if Corpus.objects.exists() else "There is no corpus yet."
    return Action("Read an archive", f"{why} Read an archive of your own.", reverse("corpus-new"))


def _has_open_task(campaign: Campaign) -> bool:
    return campaign.tasks.filter(is_gold=False, answers__lt=F("slots")).exists()


def _after(campaign: Campaign) -> Action:
    """Suggest the next step after the newest campaign: answers, then a review and release, then models."""
    page, name = reverse("campaign", args=[campaign.pk]), f"“{campaign.name}”"
    if campaign.status == CampaignStatus.DRAFT:
        return Action("Start the campaign", f"{name} is ready to be looked at and started.", page)
    if campaign.status == CampaignStatus.PAUSED:
        return Action("Look at the campaign", f"{name} is paused: nobody gets a task until it goes on.", page)
    if campaign.status == CampaignStatus.RUNNING and not _has_open_task(campaign):
        return Action("Look at the campaign", f"Every task of {name} is answered: close it, then review.", page)
    if campaign.status == CampaignStatus.RUNNING:
        return Action("See how far it is", f"People can answer in {name} now.", page)
    releases = Release.objects.filter(is_demo=False, content_hash__gt="")
    if not releases.filter(campaigns=campaign).exists():
        if waiting := sum(review.open_tasks([campaign]).values()):
            verb = "answered task waits" if waiting == 1 else "answered tasks wait"
            why = f"{name} is closed; {waiting:,} {verb} for a reviewer."
            return Action("Review the answers", why, reverse("admin:review-queue", args=[campaign.pk]))
        freeze = f"{reverse('release-new')}?campaigns={campaign.pk}"
        return Action("Freeze a release", f"{name} is closed and reviewed.", freeze)
    if not Experiment.objects.filter(release__in=releases).exists():
        return Action("Train models", "A release is there: rank its phrases.", reverse("experiment-new"))
    return Action("Compare models", "Models have been trained: see which ranks best.", reverse("experiments"))
