from __future__ import annotations

from django.contrib import admin

from corpus.models import (
    Article,
    Background,
    Corpus,
    Entity,
    EntityCorrection,
    Instance,
    ReadProblem,
    ReadUnit,
    Sample,
    SampledInstance,
)
from kernel.admin import ReadOnly


@admin.register(Corpus)
class CorpusAdmin(ReadOnly):
    list_display = ("name", "source", "path", "created_by", "created_at")
    list_select_related = ("created_by",)


@admin.register(Article)
class ArticleAdmin(ReadOnly):
    list_display = ("source_id", "title", "published", "corpus")
    list_filter = ("corpus",)
    search_fields = ("source_id", "title")
    show_full_result_count = False


@admin.register(ReadUnit)
class ReadUnitAdmin(ReadOnly):
    list_display = ("key", "corpus", "added", "known", "problems", "read_at")


@admin.register(ReadProblem)
class ReadProblemAdmin(ReadOnly):
    list_display = ("where", "reason")


@admin.register(Entity)
class EntityAdmin(ReadOnly):
    list_display = ("name", "type", "articles", "instances", "corpus")
    list_filter = ("type", "corpus")
    search_fields = ("name",)
    show_full_result_count = False


@admin.register(Instance)
class InstanceAdmin(ReadOnly):
    list_display = ("__str__", "type", "size", "kind", "title")
    list_filter = ("type", "size", "corpus")
    show_full_result_count = False


@admin.register(Background)
class BackgroundAdmin(ReadOnly):
    list_display = ("entity", "status", "title", "source", "decided_by", "decided_at")
    list_filter = ("status", "source")
    list_select_related = ("entity", "decided_by")
    search_fields = ("entity__name", "title")
    show_full_result_count = False


@admin.register(EntityCorrection)
class EntityCorrectionAdmin(ReadOnly):
    list_display = ("kind", "entity_name", "value", "reason", "made_by", "made_at", "corpus")
    list_filter = ("kind", "corpus")
    list_select_related = ("made_by", "corpus")
    search_fields = ("entity_name", "value")


@admin.register(Sample)
class SampleAdmin(ReadOnly):
    list_display = ("name", "corpus_name", "size", "seed", "created_by", "created_at")
    list_select_related = ("created_by",)
    search_fields = ("name",)


@admin.register(SampledInstance)
class SampledInstanceAdmin(ReadOnly):
    list_display = ("key", "sample", "position", "type", "size")
    list_filter = ("type", "size", "sample")
    list_select_related = ("sample",)
    show_full_result_count = False
