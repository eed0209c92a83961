from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import (
    AgreementReport,
    Annotation,
    Assignment,
    Campaign,
    Instructions,
    Release,
    ReleaseExport,
    Review,
    ReviewItem,
    Worker,
)
from annotation.quality.verdicts import DECISIONS, FLAG, OPEN
from annotation.selectors.review import decision_label
from annotation.task_types import type_of
from kernel.admin import ReadOnly
from kernel.views.access import signed_in


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ("name", "status", "provider", "redundancy", "reward", "tasks_made", "created_by", "created_at")
    list_filter = ("status", "provider")
    list_select_related = ("created_by",)
    search_fields = ("name",)


@admin.register(Instructions)
class InstructionsAdmin(ReadOnly):
    list_display = ("name", "version", "task_type", "created_by", "created_at")
    list_filter = ("name",)
    list_select_related = ("created_by",)


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    """How a provider calls a person is not shown: the campaign's pages have their number."""

    list_display = ("__str__", "provider", "simulated", "created_at")
    list_filter = ("provider",)
    fields = ("provider", "simulated", "created_at")

    @admin.display(boolean=True)
    def simulated(self, worker: Worker) -> bool:
        return worker.is_simulated


@admin.register(Assignment)
class AssignmentAdmin(ReadOnly):
    list_display = ("id", "campaign", "task", "status", "taken_at", "ended_at", "reward")
    list_filter = ("status", "campaign")
    list_select_related = ("campaign", "task")
    show_full_result_count = False
    fields = ("campaign", "task", "status", "taken_at", "expires_at", "ended_at", "reward")


@admin.register(Annotation)
class AnnotationAdmin(ReadOnly):
    list_display = ("id", "answer", "seconds", "active_ms", "is_gold_hit", "created_at", "corrected_at")
    list_filter = ("is_gold_hit",)
    show_full_result_count = False


def _link(name: str, text: object, *arguments: object) -> str:
    """Return a link to a page of our own."""
    return format_html('<a href="{}">{}</a>', reverse(name, args=arguments), text)


def _summary(review: Review, answer: dict[str, Any] | None) -> str:
    turn = review.annotation.assignment
    return type_of(turn.campaign).summary(turn.task.question, answer) if answer else ""


@admin.register(Review)
class ReviewAdmin(ReadOnly):
    """Who said what of which answer, when and why: to look at.

    What waits for a second reviewer is shown to administrators and to those whose own decision stands: others shall not
    know yet.
    """

    list_display = ("created_at", "task", "reviewer_name", "decision", "campaign", "words_before", "words_after", "why")
    list_filter = ("verdict", "reviewer_name", "annotation__assignment__campaign")
    list_select_related = ("annotation__assignment__campaign", "annotation__assignment__task")
    search_fields = ("why", "reviewer_name", "annotation__assignment__campaign__name")
    date_hierarchy = "created_at"
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Review]:
        rows: QuerySet[Review] = super().get_queryset(request)
        user = signed_in(request)
        if user.has_perm("kernel.operate"):
            return rows
        is_open = Q(annotation__verdict__in=(OPEN, FLAG), annotation__assignment__campaign__reviewers__gt=1)
        mine = Review.objects.filter(annotation=OuterRef("annotation"), reviewer=user, undone_by=None)
        last = mine.filter(verdict__in=(*DECISIONS, FLAG)).order_by("-pk").values("verdict")[:1]
        return rows.alias(mine=Coalesce(Subquery(last), Value(""))).exclude(is_open & ~Q(mine__in=DECISIONS))

    @admin.display(ordering="annotation__assignment__campaign__name")
    def campaign(self, review: Review) -> Campaign:
        return review.annotation.assignment.campaign

    @admin.display(description="verdict", ordering="verdict")
    def decision(self, review: Review) -> str:
        return decision_label(type_of(self.campaign(review)), review.verdict, review.after)

    @admin.display(description="before")
    def words_before(self, review: Review) -> str:
        return _summary(review, review.before)

    @admin.display(description="after")
    def words_after(self, review: Review) -> str:
        return _summary(review, review.after)

    @admin.display(description="page")
    def task(self, review: Review) -> str:
        turn = review.annotation.assignment
        return format_html(
            '<a href="{}?task={}&amp;answer={}">In the review</a>',
            reverse("admin:review-queue", args=[turn.campaign_id]),
            turn.task_id,
            review.annotation_id,
        )


@admin.register(ReviewItem)
class ReviewItemAdmin(ReadOnly):
    """The queue as a list: how doubtful each task is, and where it stands."""

    list_display = ("task", "page", "campaign", "state", "score", "is_unanimous", "answers", "scored_at")
    list_filter = ("state", "is_unanimous", "campaign")
    list_select_related = ("campaign", "task")
    search_fields = ("campaign__name", "task__member__key")
    ordering = ("-score", "id")
    show_full_result_count = False
    fields = ("task", "campaign", "state", "score", "reasons", "is_unanimous", "answers", "scored_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReviewItem]:
        return super().get_queryset(request).defer("task__html", "task__question")

    def page(self, item: ReviewItem) -> str:
        url = reverse("admin:review-queue", args=[item.campaign_id])
        return format_html('<a href="{}?task={}">In the review</a>', url, item.task_id)


@admin.register(AgreementReport)
class AgreementReportAdmin(ReadOnly):
    list_display = ("campaign", "page", "answers", "alpha", "pipeline", "made_at")
    list_filter = ("pipeline", "made_at")
    list_select_related = ("campaign",)
    search_fields = ("campaign__name",)
    fields = ("campaign", "answers", "alpha", "pipeline", "made_at", "page")

    def alpha(self, report: AgreementReport) -> str:
        value = next((measure["value"] for measure in report.value["labels"]), None)
        return "undefined" if value is None else f"{value:.3f}"

    def page(self, report: AgreementReport) -> str:
        return _link("agreement-campaign", "Its agreement", report.campaign_id)


@admin.register(Release)
class ReleaseAdmin(ReadOnly):
    """What is frozen; made, exported and deleted on pages of its own."""

    list_display = ("name", "version", "page", "size", "simulated", "licence", "created_by", "frozen_at", "short_hash")
    list_filter = ("name", "licence", "frozen_at")
    list_select_related = ("created_by",)
    search_fields = ("name", "description", "content_hash", "campaigns__name")
    fields = (
        "name", "version", "page", "description", "licence", "size", "simulated", "content_hash", "recipe",
        "created_by", "created_at", "frozen_at",
    )  # fmt: skip

    @admin.display(description="simulated answers", boolean=True)
    def simulated(self, release: Release) -> bool:
        return release.has_simulated

    @admin.display(description="content", ordering="content_hash")
    def short_hash(self, release: Release) -> str:
        return f"{release.content_hash[:12]}…" if release.content_hash else "being frozen"

    def page(self, release: Release) -> str:
        return _link("release", "The release", release.pk)


@admin.register(ReleaseExport)
class ReleaseExportAdmin(ReadOnly):
    list_display = ("release", "format", "page", "download", "file_size", "short_hash", "created_at")
    list_filter = ("format", "release__name", "created_at")
    list_select_related = ("release",)
    search_fields = ("release__name", "sha256")
    fields = ("release", "format", "file_size", "sha256", "created_at", "download")

    @admin.display(description="sha256", ordering="sha256")
    def short_hash(self, export: ReleaseExport) -> str:
        return f"{export.sha256[:12]}…"

    @admin.display(description="size", ordering="size")
    def file_size(self, export: ReleaseExport) -> str:
        return filesizeformat(export.size)

    def page(self, export: ReleaseExport) -> str:
        return _link("release", "The release", export.release_id)

    @admin.display(description="file")
    def download(self, export: ReleaseExport) -> str:
        return _link("release-download", "Download", export.release_id, export.format)
