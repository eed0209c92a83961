"""Instances and samples in the API: as pages of JSON, and as downloads of JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import (
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus.api.shared import (
    KINDS,
    NAMES_FROM,
    ORIGINS,
    SIZE,
    TYPE,
    TYPES,
    WORDS,
    StartedJob,
    path_or_404,
    started,
)
from corpus.frozen import ACCEPTED
from corpus.items import DEFAULT_ITEM_KIND, ITEM_KINDS
from corpus.items.texts import LONGEST_TOPIC
from corpus.list_filters import ListFilters
from corpus.models import Corpus, Instance, Sample, SampledInstance
from corpus.sampling import SampleFilters
from corpus.selectors import samples
from corpus.selectors.instances import instances_in
from corpus.services import importing
from corpus.services import samples as sample_services
from corpus.services.samples import MOST_SEED
from corpus.text_preparing import MOST_EACH, Preparing
from kernel.api.files import FileApi
from kernel.api.inputs import NAME, StrictInput
from kernel.views.access import signed_in

LINES = "application/x-ndjson"


class MentionOutput(serializers.Serializer[Any]):
    """A span of the context; `entity` is an index into `entities`, from 0."""

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
        "description": "The background of each entity, in their order, or null.",
        "items": {"type": "object", "nullable": True, "required": [*_BACKGROUND], "properties": _BACKGROUND},
    }
)
class BackgroundsField(serializers.ListField):
    """Described by hand: a nested serializer cannot describe a list in which some objects are null."""


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
    names_from = serializers.ChoiceField(
        choices=ORIGINS, required=False, help_text="missing if it was not stored at the time"
    )


_VALUE = {"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}


@extend_schema_field({"type": "object", "additionalProperties": _VALUE})
class ColumnsField(serializers.DictField):
    """Columns of a row by name."""


class TextOutput(serializers.Serializer[Any]):
    """A frozen text, schema 1 or 2: the same fields as in a download."""

    schema = serializers.IntegerField()
    key = serializers.CharField()
    group = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    date = serializers.DateField(allow_null=True)
    extra = ColumnsField(required=False, help_text="other columns of its row; missing if there were none")


class RowOutput(serializers.Serializer[Any]):
    """A frozen row, schema 1: the same fields as in a download."""

    schema = serializers.IntegerField()
    key = serializers.CharField()
    group = serializers.CharField()
    columns = ColumnsField()
    order = serializers.ListField(child=serializers.CharField(), help_text="names of the columns as in the file")


class InstanceListApi(generics.ListAPIView[Instance]):
    """The instances of a corpus with the current backgrounds of their entities."""

    permission = "corpus.view_instance"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        return samples.with_article_data(requested_instances(self.request, self.kwargs["corpus_id"]))

    @extend_schema(operation_id="instances_list", parameters=[TYPE, SIZE, NAMES_FROM, WORDS])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([value.to_json() for value in samples.frozen_instances(list(page))])


class InstanceLinesApi(FileApi):
    """The instances of a corpus as a stream of JSON lines, the same file as from pages and `export_instances`."""

    permission = "corpus.view_instance"

    @extend_schema(
        operation_id="instances_lines", parameters=[TYPE, SIZE, NAMES_FROM, WORDS], responses={(200, LINES): bytes}
    )
    def get(self, request: Request, corpus_id: int) -> HttpResponseBase:
        lines = samples.instance_lines(samples.frozen_in_pages(requested_instances(request, corpus_id)))
        return StreamingHttpResponse(lines, content_type=LINES)


def requested_instances(request: Request, corpus_id: int) -> QuerySet[Instance]:
    filters = ListFilters.from_query(request.query_params)
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    return instances_in(
        corpus, type=filters.type, size=filters.size, names_from=filters.names_from, words=filters.words
    )


# ---- Samples --------------------------------------------------------------------------------------


class FiltersOutput(serializers.Serializer[Any]):
    """What could be drawn; an empty list means everything."""

    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), required=False)
    sizes = serializers.ListField(child=serializers.IntegerField(), required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), required=False)
    names_from = serializers.ListField(child=serializers.ChoiceField(choices=ORIGINS), required=False)
    without_background = serializers.BooleanField(required=False)


class SampleOutput(serializers.ModelSerializer[Sample]):
    corpus = serializers.IntegerField(source="corpus_id", allow_null=True)
    filters = FiltersOutput()

    class Meta:
        model = Sample
        fields = (
            "id", "name", "item_kind", "corpus", "corpus_name", "seed", "asked", "filters", "size", "content_hash",
            "created_at",
        )  # fmt: skip
        read_only_fields = fields
        extra_kwargs = {
            "content_hash": {"help_text": "SHA-256 of its download; empty while it is not complete"},
            "item_kind": {"help_text": f"what it holds: {', '.join(ITEM_KINDS)}"},
        }


class PreviewInput(StrictInput):
    """What to draw from which corpus; an empty list means everything."""

    corpus = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="its id")
    n = serializers.IntegerField(min_value=1, max_value=10_000_000)
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1, default=0)
    types = serializers.ListField(child=serializers.ChoiceField(choices=TYPES), default=list)
    sizes = serializers.ListField(child=serializers.IntegerField(min_value=2, max_value=6), default=list)
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), default=list)
    names_from = serializers.ListField(child=serializers.ChoiceField(choices=ORIGINS), default=list)
    without_background = serializers.BooleanField(default=True)


class SampleInput(PreviewInput):
    """The sample to draw. The response is the job that draws it."""

    name = serializers.RegexField(NAME, max_length=100)


class CellOutput(serializers.Serializer[Any]):
    """The instances with one type and number of entities."""

    type = serializers.ChoiceField(choices=TYPES)
    size = serializers.IntegerField()
    drawn = serializers.IntegerField()
    available = serializers.IntegerField()


class PreviewOutput(serializers.Serializer[Any]):
    """What would be drawn now."""

    asked = serializers.IntegerField()
    drawn = serializers.IntegerField(help_text="if fewer than asked for, the sample would be refused")
    most = serializers.IntegerField(help_text="how many can be drawn, one from each overlap group")
    cells = CellOutput(many=True)


class ImportInput(StrictInput):
    """A file of finished instances, texts or rows in the folder for archives, and the sample to create or add to."""

    name = serializers.RegexField(NAME, max_length=100)
    path = serializers.RegexField(NAME, max_length=1000)
    item_kind = serializers.ChoiceField(choices=[*ITEM_KINDS], default=DEFAULT_ITEM_KIND, help_text="what it holds")
    topic = serializers.CharField(
        max_length=LONGEST_TOPIC, default="", allow_blank=True, help_text="of texts that have none of their own"
    )
    sentences = serializers.BooleanField(default=False, help_text="make each sentence a text of its own")
    each = serializers.IntegerField(
        min_value=0, max_value=MOST_EACH, default=0, help_text="texts of each source, drawn at random; 0: all"
    )
    seed = serializers.IntegerField(
        min_value=-MOST_SEED, max_value=MOST_SEED - 1, default=0, help_text="of that drawing"
    )
    twins = serializers.RegexField(
        NAME, max_length=1000, default="", allow_blank=True, help_text="a file with the same texts in another form"
    )


@extend_schema_view(get=extend_schema(operation_id="samples_list"))
class SampleListApi(generics.ListAPIView[Sample]):
    """Samples, newest first; POST draws one."""

    permission = "corpus.view_sample"
    serializer_class = SampleOutput
    queryset = samples.samples()

    @extend_schema(operation_id="samples_draw", request=SampleInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        data = SampleInput.read(request)
        corpus = get_object_or_404(Corpus, pk=data["corpus"])
        name = sample_services.check_name_is_free(data["name"], corpus)
        order = sample_services.SampleOrder(name, data["n"], data["seed"], SampleFilters.from_json(data))
        return started(sample_services.start_drawing(corpus, order, by=signed_in(request)))


class SamplePreviewApi(APIView):
    """Preview a sample: what would be drawn, and what is available."""

    permission = "corpus.add_sample"
    only_reads = True

    @extend_schema(operation_id="samples_preview", request=PreviewInput, responses=PreviewOutput)
    def post(self, request: Request) -> Response:
        data = PreviewInput.read(request)
        corpus = get_object_or_404(Corpus, pk=data["corpus"])
        preview = samples.preview(corpus, data["n"], seed=data["seed"], filters=SampleFilters.from_json(data))
        cells = [
            {"type": type_, "size": size, "drawn": preview.drawn[type_, size], "available": available}
            for (type_, size), available in sorted(preview.available.items())
        ]
        return Response({"asked": data["n"], "drawn": len(preview.chosen), "most": preview.most, "cells": cells})


class SampleImportApi(APIView):
    """Import finished instances, texts or rows as a sample. The response is the job that reads the file."""

    permission = "corpus.add_sample"

    @extend_schema(operation_id="samples_import", request=ImportInput, responses={202: StartedJob})
    def post(self, request: Request) -> Response:
        data = ImportInput.read(request)
        path = Path(path_or_404(data["path"]))
        twins = Path(path_or_404(data["twins"])) if data["twins"] else None
        order = importing.ImportOrder(path, data["name"], data["item_kind"], Preparing.from_json(data), twins)
        return started(importing.start_importing(order, by=signed_in(request)))


class SampleApi(APIView):
    """One sample; DELETE deletes it, unless something uses it."""

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


MEMBER = PolymorphicProxySerializer(
    component_name="Member", serializers=[InstanceOutput, TextOutput, RowOutput], resource_type_field_name=None
)


class MemberListApi(generics.ListAPIView[SampledInstance]):
    """The members of a sample, as they were frozen, in the order of drawing."""

    permission = "corpus.view_sample"
    serializer_class = InstanceOutput

    def get_queryset(self) -> Any:
        sample = get_object_or_404(Sample, pk=self.kwargs["sample_id"])
        filters = ListFilters.from_query(self.request.query_params)
        return samples.members(sample, type=filters.type, size=filters.size, names_from=filters.names_from)

    @extend_schema(operation_id="samples_members", parameters=[TYPE, SIZE, NAMES_FROM], responses=MEMBER)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([member.value for member in page])


class MemberLinesApi(FileApi):
    """The members of a sample as JSON lines, in the order of drawing; the SHA-256 of this file is its content hash."""

    permission = "corpus.view_sample"

    @extend_schema(operation_id="samples_lines", responses={(200, LINES): bytes})
    def get(self, request: Request, sample_id: int) -> HttpResponseBase:
        sample = get_object_or_404(Sample, pk=sample_id)
        return StreamingHttpResponse(samples.member_lines(sample), content_type=LINES)
