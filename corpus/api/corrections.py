"""Corrections of entities through the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus import selectors
from corpus.corrections import CorrectionKind
from corpus.models import Corpus, Entity, EntityCorrection
from corpus.services import corrections
from tesa_site.kernel.api.inputs import StrictInput
from tesa_site.kernel.views.access import signed_in


class CorrectionOutput(serializers.ModelSerializer[EntityCorrection]):
    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind])
    names = serializers.ListField(child=serializers.CharField(), help_text="handles of the entity's index names")
    into = serializers.ListField(child=serializers.CharField(), help_text="those of the other entity of a merge")
    made_by = serializers.CharField(source="made_by.username", default=None, allow_null=True)

    class Meta:
        model = EntityCorrection
        fields = (
            "id", "kind", "names", "into", "value", "entity_name", "entity_type", "reason", "undoes", "made_by",
            "made_at",
        )  # fmt: skip
        read_only_fields = fields


class ReasonInput(StrictInput):
    reason = serializers.CharField(max_length=500)


class CorrectionInput(ReasonInput):
    """`into` (an entity's id) belongs to merge, `names` to split, `value` to retype and rename."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind if kind is not CorrectionKind.UNDO])
    into = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    names = serializers.ListField(child=serializers.CharField(), default=list)
    value = serializers.CharField(default="", max_length=300)


class CorrectionListApi(generics.ListAPIView[EntityCorrection]):
    """What people said about a corpus's entities, the newest first. It takes effect when instances are found again."""

    permission = "corpus.view_entitycorrection"
    serializer_class = CorrectionOutput

    def get_queryset(self) -> Any:
        return selectors.corrections(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))

    @extend_schema(operation_id="corrections_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class EntityCorrectApi(APIView):
    """Merge an entity into another, split names off it, retype, rename, accept or discard it."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="entities_correct", request=CorrectionInput, responses={201: CorrectionOutput})
    def post(self, request: Request, entity_id: int) -> Response:
        entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
        given = CorrectionInput(data=request.data)
        given.is_valid(raise_exception=True)
        row = self._correct(entity, given.validated_data, request)
        return Response(CorrectionOutput(row).data, status=201)

    def _correct(self, entity: Entity, given: dict[str, Any], request: Request) -> EntityCorrection:
        reason, by = given["reason"], signed_in(request)
        match CorrectionKind(given["kind"]):
            case CorrectionKind.MERGE:
                into = Entity.objects.filter(pk=given.get("into", 0)).first() or entity  # itself is refused
                return corrections.merge([entity], into, reason=reason, by=by)[0]
            case CorrectionKind.SPLIT:
                return corrections.split(entity, given["names"], reason=reason, by=by)
            case CorrectionKind.RETYPE:
                return corrections.retype(entity, given["value"], reason=reason, by=by)
            case CorrectionKind.RENAME:
                return corrections.rename(entity, given["value"], reason=reason, by=by)
            case CorrectionKind.ACCEPT:
                return corrections.accept(entity, reason=reason, by=by)
            case _:
                return corrections.discard(entity, reason=reason, by=by)


class CorrectionUndoApi(APIView):
    """Say that a correction no longer holds."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="corrections_undo", request=ReasonInput, responses={201: CorrectionOutput})
    def post(self, request: Request, correction_id: int) -> Response:
        row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
        given = ReasonInput(data=request.data)
        given.is_valid(raise_exception=True)
        undone = corrections.undo(row, reason=given.validated_data["reason"], by=signed_in(request))
        return Response(CorrectionOutput(undone).data, status=201)
