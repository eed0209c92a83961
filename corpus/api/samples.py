"""Instances and samples through the API: as pages of JSON, and as the JSON lines of a download."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus import selectors
from corpus.api.shared import KINDS, SIZE, TYPE, TYPES, WORDS, StartedJob, asked, path_named, started
from corpus.frozen import ACCEPTED
from corpus.models import Corpus, Instance, Sample, SampledInstance
from corpus.sampling import Filters
from corpus.selectors import samples
from corpus.services import samples as sample_services
from tesa_site.kernel.api.files import FileApi
from tesa_site.kernel.api.inputs import StrictInput
from tesa_site.kernel.api.texts import NAME
from tesa_site.kernel.views.access import signed_in

LINES = "application/x-ndjson"


class MentionOutput(serializers.Serializer[Any]):
    """A span of the context; `entity` counts in `entities`, from 0."""

    entity = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()


_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "nullable": True}
_BACKGROUND = {
    "title": _TEXT,
    "text": _TEXT | {"description": "the whole first paragraph"},
    "url": _TEXT,
    "licence": _TEXT,
    "status": _TEXT | {"enum": [status.value for status in ACCEPTED]},
    "source": _TEXT,
    "page_id": _NUMBER,
    "revision_id": _NUMBER,
    "retrieved": {"type": "string", "format": "date", "nullable": True},
}


@extend_schema_field(
    {
        "type": "array",
        "description": "What is told of each entity, in their order; null: nothing.",
        "items": {"type": "object", "nullable": True, "required": [*_BACKGROUND], "properties": _BACKGROUND},
    }
)
class BackgroundsField(serializers.ListField):
    """Described by hand: a list of objects of which some are null is more than a nested serializer can say."""


class InstanceOutput(serializers.Serializer[Any]):
    """A frozen instance, schema 1: the same fields as in a download."""

    schema = serializers.IntegerField()
    key = serializers.CharField()
    group = serializers.CharField()
    corpus = serializers.CharField(allow_blank=True)
    article_id = serializers.CharField(allow_blank=True)
    date = serializers.DateField(allow_null=True)
    entity_type = serializers.ChoiceField(choices=TYPES)
    entities = serializers.ListField(child=serializers.CharField())
    kind = serializers.ChoiceField(choices=KINDS)
    title = serializers.CharField(allow_blank=True)
    context = serializers.CharField()  # type: ignore[assignment]
    mentions = MentionOutput(many=True)
    backgrounds = BackgroundsField()


class InstanceListApi(generics.ListAPIView[Instance]):
    """A corpus's instances, with the backgrounds of their entities as they are now."""

    permission = "corpus.view_instance"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        return samples.to_freeze(instances_asked_for(self.request, self.kwargs["corpus_id"]))

    @extend_schema(operation_id="instances_list", parameters=[TYPE, SIZE, WORDS])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([value.to_json() for value in samples.frozen(list(page))])


class InstanceLinesApi(FileApi):
    """A corpus's instances as JSON lines, streamed: the file that pages and `export_instances` give."""

    permission = "corpus.view_instance"

    @extend_schema(operation_id="instances_lines", parameters=[TYPE, SIZE, WORDS], responses={(200, LINES): bytes})
    def get(self, request: Request, corpus_id: int) -> HttpResponseBase:
        found = instances_asked_for(request, corpus_id)
        return StreamingHttpResponse(samples.lines(samples.frozen_in_pages(found)), content_type=LINES)


def instances_asked_for(request: Request, corpus_id: int) -> QuerySet[Instance]:
    return selectors.instances(get_object_or_404(Corpus, pk=corpus_id), **asked(request))


# ---- Samples --------------------------------------------------------------------------------------


class FiltersOutput(serializers.Serializer[Any]):
    """What could be drawn; an empty list: all."""

    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), required=False)
    sizes = serializers.ListField(child=serializers.IntegerField(), required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), required=False)
    without_background = serializers.BooleanField(required=False)


class SampleOutput(serializers.ModelSerializer[Sample]):
    corpus = serializers.IntegerField(source="corpus_id", allow_null=True)
    filters = FiltersOutput()

    class Meta:
        model = Sample
        fields = (
            "id", "name", "corpus", "corpus_name", "seed", "asked", "filters", "size", "content_hash", "created_at",
        )  # fmt: skip
        read_only_fields = fields
        extra_kwargs = {"content_hash": {"help_text": "SHA-256 of its download; empty while it is not complete"}}


class PreviewInput(StrictInput):
    """What to draw, from which corpus; an empty list: all."""

    corpus = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="its id")
    n = serializers.IntegerField(min_value=1, max_value=10_000_000)
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1, default=0)
    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), default=list)
    sizes = serializers.ListField(child=serializers.IntegerField(min_value=2, max_value=6), default=list)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), default=list)
    without_background = serializers.BooleanField(default=True)


class SampleInput(PreviewInput):
    """Which sample to draw. The answer is the job that draws it."""

    name = serializers.RegexField(NAME, max_length=100)


class CellOutput(serializers.Serializer[Any]):
    """The instances of one type and number of entities."""

    type = serializers.ChoiceField(choices=TYPES)
    size = serializers.IntegerField()
    drawn = serializers.IntegerField()
    available = serializers.IntegerField()


class PreviewOutput(serializers.Serializer[Any]):
    """What a sample would take now."""

    asked = serializers.IntegerField()
    drawn = serializers.IntegerField(help_text="fewer than asked for: the drawing would be refused")
    most = serializers.IntegerField(help_text="that can be drawn, one of each overlap group")
    cells = CellOutput(many=True)


class ImportInput(StrictInput):
    """Which file of finished instances, in the folder for archives on the server, becomes or adds to which sample."""

    name = serializers.RegexField(NAME, max_length=100)
    path = serializers.RegexField(NAME, max_length=1000)


class SampleListApi(generics.ListAPIView[Sample]):
    """Samples, the newest first; POST draws one."""

    permission = "corpus.view_sample"
    serializer_class = SampleOutput

    def get_queryset(self) -> Any:
        return samples.samples()

    @extend_schema(operation_id="samples_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(operation_id="samples_draw", request=SampleInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        sent = SampleInput(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        corpus = get_object_or_404(Corpus, pk=given["corpus"])
        name = sample_services.check_name_is_free(given["name"], corpus)
        order = sample_services.Order(name, given["n"], given["seed"], filters_of(given))
        return started(sample_services.start_drawing(corpus, order, by=signed_in(request)))


def filters_of(given: dict[str, Any]) -> Filters:
    return Filters.from_json({name: given[name] for name in Filters().to_json()})


class SamplePreviewApi(APIView):
    """What would be drawn, beside what is available; nothing is."""

    permission = "corpus.add_sample"
    only_reads = True

    @extend_schema(operation_id="samples_preview", request=PreviewInput, responses=PreviewOutput)
    def post(self, request: Request) -> Response:
        sent = PreviewInput(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        corpus = get_object_or_404(Corpus, pk=given["corpus"])
        found = samples.preview(corpus, given["n"], seed=given["seed"], filters=filters_of(given))
        cells = [
            {"type": type_, "size": size, "drawn": found.drawn[type_, size], "available": available}
            for (type_, size), available in sorted(found.available.items())
        ]
        return Response({"asked": given["n"], "drawn": len(found.chosen), "most": found.most, "cells": cells})


class SampleImportApi(APIView):
    """Import finished instances as a sample. The answer is the job that reads the file."""

    permission = "corpus.add_sample"

    @extend_schema(operation_id="samples_import", request=ImportInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        sent = ImportInput(data=request.data)
        sent.is_valid(raise_exception=True)
        path = path_named(sent.validated_data["path"])
        return started(sample_services.start_importing(sent.validated_data["name"], path, by=signed_in(request)))


class SampleApi(APIView):
    """One sample; DELETE takes it away, unless something is built on it."""

    @property
    def permission(self) -> str:
        return "corpus.delete_sample" if self.request.method == "DELETE" else "corpus.view_sample"

    @extend_schema(operation_id="samples_read", responses=SampleOutput)
    def get(self, request: Request, sample_id: int) -> Response:
        return Response(SampleOutput(get_object_or_404(Sample, pk=sample_id)).data)

    @extend_schema(operation_id="samples_delete", responses={204: None})
    def delete(self, request: Request, sample_id: int) -> Response:
        sample_services.delete_sample(get_object_or_404(Sample, pk=sample_id), by=signed_in(request))
        return Response(status=204)


class MemberListApi(generics.ListAPIView[SampledInstance]):
    """A sample's members in the order of drawing, as they were frozen."""

    permission = "corpus.view_sample"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        sample = get_object_or_404(Sample, pk=self.kwargs["sample_id"])
        given = asked(self.request)
        return samples.members(sample, type=given["type"], size=given["size"])

    @extend_schema(operation_id="samples_members", parameters=[TYPE, SIZE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([member.value for member in page])


class MemberLinesApi(FileApi):
    """A sample's members as JSON lines, in the order of drawing; their SHA-256 is the sample's content hash."""

    permission = "corpus.view_sample"

    @extend_schema(operation_id="samples_lines", responses={(200, LINES): bytes})
    def get(self, request: Request, sample_id: int) -> HttpResponseBase:
        sample = get_object_or_404(Sample, pk=sample_id)
        return StreamingHttpResponse(samples.member_lines(sample), content_type=LINES)
