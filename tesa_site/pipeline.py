"""The pipeline at a glance: what each stage holds now, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.urls import reverse

from annotation.models import Campaign, CampaignStatus, Release
from corpus.models import Corpus, Sample
from tesa_site.kernel import selectors


@dataclass(frozen=True)
class Stage:
    """One step of a dataset's life; its rows are counted where this version has the model."""

    label: str
    holds: str
    model: str
    tells: str
    url_name: str = ""


@dataclass(frozen=True)
class Action:
    """The next sensible thing to do, and why."""

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
    """Return each stage with its number of rows; None where this version cannot hold any."""
    return [(stage, _count(stage.model)) for stage in STAGES]


def _count(label: str) -> int | None:
    try:
        model = apps.get_model(label)
    except LookupError:
        return None
    return int(model._default_manager.count())


def next_action() -> Action:
    """Return what to do next: first see that work gets done, then fill the first stage that is empty."""
    if missing := selectors.queues_without_worker():
        why = f"No worker is alive for {', '.join(missing)}: jobs started now will wait."
        return Action("See what the workers do", why, reverse("jobs"))
    if not Corpus.objects.filter(is_demo=False).exists():
        why = "The demo newspaper is there to look at." if Corpus.objects.exists() else "There is no corpus yet."
        return Action("Read an archive", f"{why} Read an archive of your own.", reverse("corpus-new"))
    if not Sample.objects.filter(is_demo=False).exists():
        return Action("Draw a sample", "Archives have been read: draw instances to annotate.", reverse("samples"))
    campaigns = Campaign.objects.filter(is_demo=False)
    if not campaigns.exists():
        return Action("Make a campaign", "A sample is there: put it to people.", reverse("campaign-new"))
    if not campaigns.filter(status=CampaignStatus.CLOSED).exists():
        return Action("See how far the campaigns are", "People can answer now.", reverse("campaigns"))
    if not Release.objects.filter(is_demo=False).exists():
        return Action(
            "Freeze a release", "A campaign is closed: review its answers and freeze them.", reverse("releases")
        )
    return Action("Train models", "A release is there: rank its phrases.", reverse("experiments"))
