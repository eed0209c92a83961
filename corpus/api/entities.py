"""Entities and their backgrounds in the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus.api.shared import TYPE, TYPES, WORDS
from corpus.backgrounds.base import BackgroundStatus
from corpus.list_filters import ListFilters
from corpus.models import Background, Corpus, Entity, EntityName
from corpus.selectors.entities import entities_in
from corpus.selectors.waiting import backgrounds_to_check
from corpus.services import backgrounds
from kernel.api.inputs import ONE_LINE, PARAGRAPH, StrictInput
from kernel.errors import InvalidInput
from kernel.views.access import signed_in

STATUSES = [status.value for status in BackgroundStatus]


class BackgroundOutput(serializers.ModelSerializer[Background]):
    status = serializers.ChoiceField(choices=STATUSES)
    reasons = serializers.ListField(child=serializers.CharField())
    candidates = serializers.ListField(
        child=serializers.DictField(), help_text="other pages to choose from, numbered from 1"
    )
    decided_by = serializers.CharField(source="decided_by.username", default=None, allow_null=True)

    class Meta:
        model = Background
        fields = (
            "status", "title", "text", "url", "page_id", "revision_id", "retrieved", "licence", "source", "reasons",
            "candidates", "decided_by", "decided_at",
        )  # fmt: skip
        read_only_fields = fields


class EntityOutput(serializers.ModelSerializer[Entity]):
    strict = serializers.ListField(child=serializers.CharField(), help_text="other full names")
    loose = serializers.ListField(child=serializers.CharField(), help_text="ambiguous names: surnames")
    information = serializers.ListField(child=serializers.CharField(), help_text="what the index puts in brackets")
    type = serializers.ChoiceField(choices=TYPES)

    class Meta:
        model = Entity
        fields: tuple[str, ...] = (
            "id", "key", "type", "name", "strict", "loose", "information", "is_recognized", "is_reviewed", "articles",
            "instances",
        )  # fmt: skip
        read_only_fields = fields


class EntityNameOutput(serializers.ModelSerializer[EntityName]):
    handle = serializers.CharField(source="folded", help_text="identifies the name in corrections")

    class Meta:
        model = EntityName
        fields = ("handle", "text", "articles")
        read_only_fields = fields


class EntityDetail(EntityOutput):
    names = EntityNameOutput(many=True, help_text="as they are written in the index")
    background = BackgroundOutput(allow_null=True, default=None)

    class Meta(EntityOutput.Meta):
        fields = (*EntityOutput.Meta.fields, "names", "background")
        read_only_fields = fields


class CheckedEntity(serializers.ModelSerializer[Entity]):
    background = BackgroundOutput()

    class Meta:
        model = Entity
        fields = ("id", "name", "type", "instances", "background")
        read_only_fields = fields


class DecisionInput(StrictInput):
    """`number` (of a candidate, from 1) is for choose."""

    action = serializers.ChoiceField(choices=["accept", "choose", "discard"])
    number = serializers.IntegerField(min_value=1, max_value=1000, default=1)


class WrittenInput(StrictInput):
    """A paragraph that a person wrote."""

    text = serializers.RegexField(PARAGRAPH, max_length=backgrounds.LONGEST_TEXT)
    title = serializers.RegexField(ONE_LINE, max_length=300, default="", allow_blank=True)
    url = serializers.RegexField(r"^(https?://[^\x00-\x1f]*)?$", max_length=1000, default="", allow_blank=True)


@extend_schema_view(get=extend_schema(operation_id="entities_list", parameters=[TYPE, WORDS]))
class EntityListApi(generics.ListAPIView[Entity]):
    """The entities of a corpus, those in most articles first."""

    permission = "corpus.view_entity"
    serializer_class = EntityOutput

    def get_queryset(self) -> Any:
        corpus = get_object_or_404(Corpus, pk=self.kwargs["corpus_id"])
        filters = ListFilters.from_query(self.request.query_params)
        return entities_in(corpus, type=filters.type, words=filters.words)


class EntityApi(APIView):
    """One entity with its index names and background."""

    permission = "corpus.view_entity"

    @extend_schema(operation_id="entities_read", responses=EntityDetail)
    def get(self, request: Request, entity_id: int) -> Response:
        entities = Entity.objects.select_related("background__decided_by").prefetch_related("names")
        return Response(EntityDetail(get_object_or_404(entities, pk=entity_id)).data)


@extend_schema_view(
    get=extend_schema(operation_id="backgrounds_list", parameters=[OpenApiParameter("status", str, enum=STATUSES)])
)
class BackgroundListApi(generics.ListAPIView[Entity]):
    """Entities whose background has a status; without `status`, those that a person should check."""

    permission = "corpus.view_background"
    serializer_class = CheckedEntity

    def get_queryset(self) -> Any:
        corpus = get_object_or_404(Corpus, pk=self.kwargs["corpus_id"])
        entities = backgrounds_to_check(corpus)
        if status := self.request.query_params.get("status", ""):
            if status not in STATUSES:
                raise InvalidInput(f"unknown status; known: {', '.join(STATUSES)}", field="status")
            entities = Entity.objects.filter(corpus=corpus, background__status=status).order_by("-instances", "id")
        return entities.select_related("background__decided_by")


class BackgroundApi(APIView):
    """The background of an entity: POST accepts the page, chooses another or discards all; PUT writes one."""

    permission = "corpus.change_background"

    @extend_schema(operation_id="backgrounds_decide", request=DecisionInput, responses=BackgroundOutput)
    def post(self, request: Request, entity_id: int) -> Response:
        entity = get_object_or_404(Entity, pk=entity_id)
        data = DecisionInput.read(request)
        by = signed_in(request)
        if data["action"] == "choose":
            return _response(backgrounds.choose_background(entity, data["number"], by=by))
        decide = backgrounds.accept_background if data["action"] == "accept" else backgrounds.discard_background
        return _response(decide(entity, by=by))

    @extend_schema(operation_id="backgrounds_write", request=WrittenInput, responses=BackgroundOutput)
    def put(self, request: Request, entity_id: int) -> Response:
        entity = get_object_or_404(Entity, pk=entity_id)
        return _response(backgrounds.write_background(entity, **WrittenInput.read(request), by=signed_in(request)))


def _response(background: Background) -> Response:
    return Response(BackgroundOutput(background).data)
