from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from kernel.admin import ReadOnly, Titled
from marketplace.models import HIT, Assignment, Movement, Worker


@admin.register(Worker)
class WorkerAdmin(Titled):
    """Workers; staff grant Masters here."""

    list_display = (
        "worker_id",
        "is_invented",
        "country",
        "submitted",
        "approved",
        "rejected",
        "has_masters",
        "created_at",
    )
    list_filter = ("is_invented", "has_masters")
    search_fields = ("worker_id",)
    fields = ("worker_id", "country", "submitted", "approved", "rejected", "has_masters")
    readonly_fields = ("worker_id", "country", "submitted", "approved", "rejected")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Worker | None = None) -> bool:
        return False


@admin.register(HIT)
class HITAdmin(ReadOnly):
    list_display = ("hit_id", "hit_type", "requester", "status", "max_assignments", "created_at", "expires_at")
    list_filter = ("status", "requester")
    list_select_related = ("hit_type", "requester")
    search_fields = ("hit_id", "annotation")
    show_full_result_count = False


@admin.register(Assignment)
class AssignmentAdmin(ReadOnly):
    list_display = ("assignment_id", "hit", "worker", "state", "accepted_at", "submitted_at")
    list_filter = ("state", "requester")
    list_select_related = ("hit", "worker")
    search_fields = ("assignment_id",)
    exclude = ("token",)
    show_full_result_count = False


@admin.register(Movement)
class MovementAdmin(ReadOnly):
    list_display = ("at", "requester", "kind", "cents", "fee_cents", "reference")
    list_filter = ("kind", "requester")
    list_select_related = ("requester",)
    show_full_result_count = False
