from __future__ import annotations

from django.contrib import admin

from annotation.models import Annotation, Assignment, Campaign, Instructions, Review, Worker
from tesa_site.kernel.admin import ReadOnly


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ("name", "status", "provider", "redundancy", "reward", "tasks_made", "created_by", "created_at")
    list_filter = ("status", "provider", "is_pilot")
    list_select_related = ("created_by",)
    search_fields = ("name",)


@admin.register(Instructions)
class InstructionsAdmin(ReadOnly):
    list_display = ("name", "version", "task_type", "created_by", "created_at")
    list_filter = ("name",)
    list_select_related = ("created_by",)


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    """How a provider calls a person is not shown: the campaign's pages have their pseudonym."""

    list_display = ("__str__", "provider", "created_at")
    list_filter = ("provider",)
    fields = ("provider", "created_at")


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


@admin.register(Review)
class ReviewAdmin(ReadOnly):
    """Who said what of which answer, when and why: to look at."""

    list_display = ("created_at", "reviewer_name", "verdict", "annotation", "before", "after", "why")
    list_filter = ("verdict", "reviewer_name")
    list_select_related = ("annotation",)
    show_full_result_count = False
