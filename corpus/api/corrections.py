"""Corrections of entities in the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from corpus.corrections import CorrectionKind
from corpus.models import Corpus, Entity, EntityCorrection
from corpus.selectors.corrections import corrections_in
from corpus.services import corrections
from kernel.api.inputs import StrictInput
from kernel.views.access import signed_in


class CorrectionOutput(serializers.ModelSerializer[EntityCorrection]):
    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind])
    names = serializers.ListField(child=serializers.CharField(), help_text="handles of the entity's index names")
    into = serializers.ListField(child=serializers.CharField(), help_text="handles of the other entity of a merge")
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
    """`into` (the id of an entity) is for merge, `names` for split, `value` for retype and rename."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in CorrectionKind if kind is not CorrectionKind.UNDO])
    into = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    names = serializers.ListField(child=serializers.CharField(), default=list)
    value = serializers.CharField(default="", max_length=300)


@extend_schema_view(get=extend_schema(operation_id="corrections_list"))
class CorrectionListApi(generics.ListAPIView[EntityCorrection]):
    """Corrections to the entities of a corpus, newest first. They take effect when instances are found again."""

    permission = "corpus.view_entitycorrection"
    serializer_class = CorrectionOutput

    def get_queryset(self) -> Any:
        return corrections_in(get_object_or_404(Corpus, pk=self.kwargs["corpus_id"]))


class EntityCorrectApi(APIView):
    """Merge an entity into another, split names off it, retype, rename, accept or discard it."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="entities_correct", request=CorrectionInput, responses={201: CorrectionOutput})
    def post(self, request: Request, entity_id: int) -> Response:
        entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
        row = self._correct(entity, CorrectionInput.read(request), request)
        return Response(CorrectionOutput(row).data, status=201)

    def _correct(self, entity: Entity, data: dict[str, Any], request: Request) -> EntityCorrection:
        reason, by = data["reason"], signed_in(request)
        match CorrectionKind(data["kind"]):
            case CorrectionKind.MERGE:
                into = Entity.objects.filter(pk=data.get("into", 0)).first() or entity  # merging with itself is refused
                return corrections.merge_entities([entity], into, reason=reason, by=by)[0]
            case CorrectionKind.SPLIT:
                return corrections.split_entity(entity, data["names"], reason=reason, by=by)
            case CorrectionKind.RETYPE:
                return corrections.retype_entity(entity, data["value"], reason=reason, by=by)
            case CorrectionKind.RENAME:
                return corrections.rename_entity(entity, data["value"], reason=reason, by=by)
            case CorrectionKind.ACCEPT:
                return corrections.accept_entity(entity, reason=reason, by=by)
            case _:
                return corrections.discard_entity(entity, reason=reason, by=by)


class CorrectionUndoApi(APIView):
    """Undo a correction."""

    permission = "corpus.change_entity"

    @extend_schema(operation_id="corrections_undo", request=ReasonInput, responses={201: CorrectionOutput})
    def post(self, request: Request, correction_id: int) -> Response:
        row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
        undo = corrections.undo_correction(row, **ReasonInput.read(request), by=signed_in(request))
        return Response(CorrectionOutput(undo).data, status=201)
