"""The pipeline at a glance: what each stage holds now, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.urls import reverse

from tesa_site.kernel import selectors


@dataclass(frozen=True)
class Stage:
    """One step of a dataset's life; its rows are counted where this version has the model."""

    label: str
    holds: str
    model: str
    tells: str


@dataclass(frozen=True)
class Action:
    """The next sensible thing to do, and why."""

    label: str
    why: str
    url: str


STAGES = (
    Stage("Corpus", "articles", "corpus.Article", "A newspaper archive is read; entities are found in it."),
    Stage("Instances", "instances", "corpus.Instance", "Entities of one type that a passage mentions together."),
    Stage("Campaigns", "campaigns", "annotation.Campaign", "People write one phrase that names them all."),
    Stage("Releases", "releases", "annotation.Release", "Answers are reviewed, cleaned and frozen."),
    Stage("Runs", "runs", "modeling.Run", "Models learn to rank the phrases."),
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
    """Return what to do next: first see that work gets done, then move the first empty stage on."""
    if missing := selectors.queues_without_worker():
        return Action(
            "See what the workers do",
            f"No worker is alive for {', '.join(missing)}: jobs started now will wait.",
            reverse("jobs"),
        )
    return Action(
        "Check a worker",
        "Workers are alive. A check shows that they reach the database and the files.",
        reverse("jobs") + "#start",
    )
