"""The home page: the five stages of a dataset, what somebody should do, and the campaigns people answer in now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeVar

from django.db.models import Model, QuerySet, Sum
from django.urls import reverse

from annotation.models import Annotation, Campaign, CampaignStatus, Release
from annotation.selectors.progress import Standing, standings
from annotation.selectors.review_queue import CampaignToReview, to_review
from corpus.models import Article, Corpus, Instance, Sample
from corpus.selectors.corpora import drawable_corpora
from corpus.selectors.waiting import entities_waiting
from kernel import selectors
from kernel.values import counted, rounded
from modeling.models import Experiment
from modeling.selectors import results
from modeling.selectors.best_model import best_model
from modeling.selectors.datasets import can_be_ranked

M = TypeVar("M", bound=Model)
MOST_CAMPAIGNS, MOST_TO_DO = 4, 6


@dataclass(frozen=True)
class PipelineStage:
    """A stage of a dataset: how much it holds, and what waits in it."""

    label: str
    figure: str
    note: str
    url: str
    waits: str = ""
    waits_url: str = ""


@dataclass(frozen=True)
class ToDo:
    """Something that waits for somebody, with one button."""

    icon: str
    title: str
    detail: str
    label: str
    url: str


class Overview:
    """What the home page reads, once for all its parts. The demo is work only while there is nothing else."""

    @cached_property
    def corpora(self) -> list[Corpus]:
        return [*Corpus.objects.only("name", "is_demo").order_by("-id")]

    @cached_property
    def every_campaign(self) -> list[Campaign]:
        return [*Campaign.objects.only("name", "status", "is_demo", "started_at").order_by("-id")]

    @cached_property
    def releases(self) -> list[Release]:
        """The finished ones, newest first."""
        shown = ("name", "version", "size", "is_demo", "recipe")
        return [*Release.objects.exclude(content_hash="").only(*shown).order_by("-id")]

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The campaigns that are not closed, newest first."""
        return _own([campaign for campaign in self.every_campaign if campaign.status != CampaignStatus.CLOSED])

    @cached_property
    def running(self) -> list[Campaign]:
        return [campaign for campaign in self.campaigns if campaign.status == CampaignStatus.RUNNING]

    @cached_property
    def open_campaigns(self) -> list[tuple[Campaign, Standing]]:
        shown = self.running[:MOST_CAMPAIGNS]
        by_campaign = standings(shown)
        return [(campaign, by_campaign[campaign.pk]) for campaign in shown]

    @cached_property
    def to_review(self) -> list[tuple[CampaignToReview, int]]:
        """Campaigns with answers, each with the number of tasks that wait for a reviewer."""
        rows = to_review(self.every_campaign)
        rows = [row for row in rows if not row.campaign.is_demo] or rows
        return [(row, row.waiting + row.states.get("contested", 0) + row.states.get("flagged", 0)) for row in rows]

    @cached_property
    def to_release(self) -> list[CampaignToReview]:
        done = [row for row, waiting in self.to_review if not waiting and row.campaign.status == CampaignStatus.CLOSED]
        if not done:
            return []
        released = {*Campaign.objects.filter(releases__content_hash__gt="").values_list("pk", flat=True)}
        return [row for row in done if row.campaign.pk not in released]

    @cached_property
    def waiting_entities(self) -> dict[str, list[tuple[Corpus, int]]]:
        """Corpora with entities whose background ("background") or type ("review") should be checked."""
        return entities_waiting(_own(self.corpora))

    # ---- Stages ----

    def stages(self) -> list[PipelineStage]:
        backgrounds = self.waiting_entities["background"]
        tasks = sum(waiting for _, waiting in self.to_review)
        return [
            PipelineStage(
                "Articles", f"{Article.objects.count():,}", counted(len(self.corpora), "corpus", "corpora"),
                reverse("corpora"),
            ),
            PipelineStage(
                "Instances", f"{Instance.objects.count():,}",
                f"{Sample.objects.aggregate(n=Sum('size'))['n'] or 0:,} in samples", reverse("samples"),
                _if_any(sum(number for _, number in backgrounds), "background", " to check"),
                reverse("admin:backgrounds", args=[backgrounds[0][0].pk]) if backgrounds else "",
            ),
            PipelineStage(
                "Answers", f"{Annotation.objects.count():,}",
                f"{counted(len(self.running), 'campaign')} open", reverse("campaigns"),
                _if_any(tasks, "task", " to review"), reverse("admin:review"),
            ),
            self._releases(),
            _best_model(),
        ]  # fmt: skip

    def _releases(self) -> PipelineStage:
        note = f"{counted(self.releases[0].size, 'instance')} in the latest" if self.releases else "None yet"
        ready = _if_any(len(self.to_release), "campaign", " ready to release")
        return PipelineStage(
            "Releases", f"{len(self.releases):,}", note, reverse("releases"), ready, reverse("release-new")
        )

    # ---- To do ----

    def to_do(self) -> list[ToDo]:
        to_dos = chain(
            _missing_workers(), self._reviews(), self._campaign_steps(), self._entities(), self._next_stage()
        )
        return [*islice(to_dos, MOST_TO_DO)]

    def _reviews(self) -> Iterator[ToDo]:
        for row, waiting in self.to_review:
            if waiting:
                counts = [
                    f"{row.states[state]:,} {state}" for state in ("contested", "flagged") if row.states.get(state)
                ]
                detail = " · ".join(filter(None, (row.campaign.name, ", ".join(counts))))
                url = reverse("admin:review-queue", args=[row.campaign.pk])
                yield ToDo("check", f"{counted(waiting, 'task')} to review", detail, "Review tasks", url)
        for row in self.to_release:
            url = f"{reverse('release-new')}?campaigns={row.campaign.pk}"
            detail = f"{counted(row.answered, 'task')} reviewed"
            yield ToDo("box", f"{row.campaign.name} is ready to release", detail, "Create release", url)

    def _campaign_steps(self) -> Iterator[ToDo]:
        for campaign, progress in self.open_campaigns:
            page = reverse("campaign", args=[campaign.pk])
            if progress.reports:
                reports = counted(progress.reports, "problem report")
                yield ToDo(
                    "flag", reports, campaign.name, "View reports", reverse("campaign-people", args=[campaign.pk])
                )
            if progress.is_complete:
                yield ToDo(
                    "check",
                    f"{campaign.name} has all its answers",
                    "Close the campaign to review the rest",
                    "Close campaign",
                    page,
                )
        for campaign in self.campaigns:
            page = reverse("campaign", args=[campaign.pk])
            if campaign.status == CampaignStatus.DRAFT:
                yield ToDo("play", f"{campaign.name} is a draft", "Nobody can answer yet", "Open campaign", page)
            elif campaign.status == CampaignStatus.PAUSED:
                yield ToDo("pause", f"{campaign.name} is paused", "Nobody gets a new task", "Resume campaign", page)

    def _entities(self) -> Iterator[ToDo]:
        for corpus, number in self.waiting_entities["background"]:
            url = reverse("admin:backgrounds", args=[corpus.pk])
            yield ToDo("book", f"{counted(number, 'background')} to check", corpus.name, "Check backgrounds", url)
        for corpus, number in self.waiting_entities["review"]:
            title = f"{counted(number, 'recognized name')} to review"
            yield ToDo("document", title, corpus.name, "Review names", reverse("recognized", args=[corpus.pk]))

    def _next_stage(self) -> Iterator[ToDo]:
        """Suggest how to go on from the furthest stage that was reached."""
        has_corpus = any(not corpus.is_demo for corpus in self.corpora)
        own = (release for release in self.releases if not release.is_demo and can_be_ranked(release))
        if release := next(own, None):
            if not Experiment.objects.filter(release=release).exists():
                yield ToDo("chart", f"{release} has no models yet", "", "Train models", reverse("experiment-new"))
        elif any(not campaign.is_demo for campaign in self.every_campaign):
            return
        elif sample := _newest(Sample.objects.all()):
            url = f"{reverse('campaign-new')}?sample={sample.pk}"
            yield ToDo(
                "people",
                f"{sample.name} is not annotated yet",
                sample.contents,
                "New campaign",
                url,
            )
        elif has_corpus and (corpus := _newest(drawable_corpora())):
            url = reverse("sample-draw", args=[corpus.pk])
            yield ToDo("document", f"{corpus.name} has no sample yet", "Draw instances to annotate", "Draw sample", url)
        elif has_corpus and (corpus := _newest(Corpus.objects.filter(articles__isnull=False))):
            url = reverse("corpus", args=[corpus.pk])
            yield ToDo("search", f"{corpus.name} has no instances yet", "", "Find instances", url)
        else:
            formats = "NITF, Reuters-21578, JSON lines or plain text"
            yield ToDo("upload", "No articles of your own yet", formats, "Import articles", reverse("corpus-new"))


def _own(rows: list[Any]) -> list[Any]:
    """Return the rows that are not of the demo; the demo's if there are no others."""
    return [row for row in rows if not row.is_demo] or rows


def _newest(rows: QuerySet[M]) -> M | None:
    """Return the newest row that is not of the demo."""
    return rows.filter(is_demo=False).order_by("pk").last()


def _if_any(number: int, noun: str, after: str) -> str:
    return counted(number, noun) + after if number else ""


def _missing_workers() -> Iterator[ToDo]:
    if missing := selectors.queues_without_worker():
        title = f"No worker takes jobs from {', '.join(missing)}"
        yield ToDo("alert", title, "Jobs started now will wait", "View jobs", reverse("jobs"))


def _best_model() -> PipelineStage:
    """Return the figure of the method that validation prefers: on test, if it may be shown."""
    best = best_model()
    if best is None or best.run is None:
        note = f"Experiments on {best.release} cannot be compared" if best else "No model yet"
        return PipelineStage("Best model", "–", note, reverse("experiments"))
    part = "valid" if results.is_test_hidden(best.run.experiment) else "test"
    note = f"{'validation' if part == 'valid' else part} MAP, {best.run.method} on {best.release}"
    page = reverse("experiment", args=[best.run.experiment_id])
    return PipelineStage("Best model", rounded(results.value_of(best.run, part)), note, page)
