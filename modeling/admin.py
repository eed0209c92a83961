from __future__ import annotations

from django.contrib import admin

from kernel.admin import ReadOnly
from modeling.models import ErrorNote, Experiment, Run, Split


@admin.register(Split)
class SplitAdmin(ReadOnly):
    list_display = ("__str__", "release", "content_hash", "created_at")
    list_select_related = ("release",)


@admin.register(Experiment)
class ExperimentAdmin(ReadOnly):
    list_display = ("name", "release", "split", "created_by", "created_at", "opened_at")
    list_select_related = ("release", "split", "created_by")
    search_fields = ("name",)


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ("__str__", "ranker", "seed", "share", "seconds", "finished_at")
    list_select_related = ("experiment",)
    list_filter = ("ranker",)
    exclude = ("metrics", "breakdowns")  # test figures are opened on the experiment's page, which records it
    show_full_result_count = False


@admin.register(ErrorNote)
class ErrorNoteAdmin(ReadOnly):
    list_display = ("task", "kind", "text", "author_name", "created_at")
    list_select_related = ("task",)
    list_filter = ("kind",)
