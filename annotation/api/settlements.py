"""Tasks' own answers through the API: what you may see of them, giving one, taking it back."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Campaign, Settlement, Task
from annotation.selectors import settlements
from annotation.services import settling
from annotation.services.settling import TaskAnswer
from kernel.api.inputs import TEXT
from kernel.views.access import signed_in

LARGEST_ID = 2**63 - 1
MOST_PIECES = 100


class SettlementOutput(serializers.ModelSerializer[Settlement]):
    answer = serializers.JSONField(help_text="the task's own answer; null where it takes another one back")
    made_of = serializers.ListField(child=serializers.IntegerField(), help_text="the annotations whose pieces it has")

    class Meta:
        model = Settlement
        fields = ("id", "task", "reviewer_name", "answer", "made_of", "why", "undoes", "created_at")
        read_only_fields = fields


class SettlementInput(serializers.Serializer[Any]):
    answer = serializers.DictField(
        child=serializers.RegexField(TEXT, allow_blank=True), help_text="the fields of the task's own form"
    )
    made_of = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), required=False, max_length=MOST_PIECES
    )
    why = serializers.RegexField(TEXT, required=False, allow_blank=True, max_length=2000)
    confirmed = serializers.ListField(
        child=serializers.RegexField(TEXT, max_length=100, allow_blank=True),
        required=False,
        max_length=20,
        help_text="doubts about the answer you do not share: the codes that an `unsure` error names",
    )


class UndoInput(serializers.Serializer[Any]):
    settlement = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        required=False,
        help_text="the id of the answer to take back, so that sending it twice has no further effect; "
        "without it, your last answer",
    )


class SettlementsApi(APIView):
    """The answers that reviewers gave a task itself. Where two must agree, the other's is shown after yours."""

    permission = "annotation.add_review"

    @extend_schema(operation_id="settlements_list", responses=SettlementOutput(many=True))
    def get(self, request: Request, campaign_id: int, task_id: int) -> Response:
        campaign = _task(campaign_id, task_id).campaign
        rows = settlements.seen_by(task_id, signed_in(request), needed=campaign.reviewers)
        return Response(SettlementOutput(rows, many=True).data)

    @extend_schema(operation_id="settlements_create", request=SettlementInput, responses={201: SettlementOutput})
    def post(self, request: Request, campaign_id: int, task_id: int) -> Response:
        _task(campaign_id, task_id)
        sent = SettlementInput(data=request.data)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        answer = TaskAnswer(data["answer"], data.get("made_of", ()), data.get("why", ""), data.get("confirmed", ()))
        row = settling.settle(task_id, answer, by=signed_in(request))
        return Response(SettlementOutput(row).data, status=201)


class UndoSettlementApi(APIView):
    """Take back the answer you gave a task."""

    permission = "annotation.add_review"

    @extend_schema(operation_id="settlements_undo", request=UndoInput, responses={201: SettlementOutput})
    def post(self, request: Request, campaign_id: int, task_id: int) -> Response:
        _task(campaign_id, task_id)
        sent = UndoInput(data=request.data)
        sent.is_valid(raise_exception=True)
        row = settling.undo(task_id, by=signed_in(request), settlement=sent.validated_data.get("settlement"))
        return Response(SettlementOutput(row).data, status=201)


def _task(campaign_id: int, task_id: int) -> Task:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    return get_object_or_404(Task.objects.select_related("campaign"), pk=task_id, campaign=campaign)
