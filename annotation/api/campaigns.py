"""Campaigns, how they get on, and what was written in them, through the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Annotation, AssignmentStatus, Campaign, CampaignStatus
from annotation.selectors import progress, raw_answers
from annotation.selectors.costs import price_of_campaign

STATUSES = [status.value for status in CampaignStatus]


class CampaignOutput(serializers.ModelSerializer[Campaign]):
    sample = serializers.CharField(source="sample.name")
    instructions = serializers.IntegerField(source="instructions_id", help_text="the number of their version")
    status = serializers.ChoiceField(choices=STATUSES)

    class Meta:
        model = Campaign
        fields: tuple[str, ...] = (
            "id", "name", "task_type", "task_settings", "sample", "instructions", "status", "provider", "redundancy",
            "reward", "currency", "time_limit_s", "estimated_s", "per_person", "gold_every", "trust_stop",
            "trust_tests", "shows_reasons", "practice", "quiz_pass", "quiz_gold",
            "practice_must_be_right", "is_pilot", "tasks_made", "seed", "created_at", "started_at", "closed_at",
        )  # fmt: skip
        read_only_fields = fields


class ProgressOutput(serializers.Serializer[Any]):
    """Tasks and answers are counted without check tasks."""

    tasks = serializers.IntegerField()
    gold = serializers.IntegerField()
    by_answers = serializers.DictField(child=serializers.IntegerField(), help_text="tasks by their number of answers")
    answers = serializers.IntegerField()
    wanted = serializers.IntegerField()
    free = serializers.IntegerField(help_text="answers that nobody has been asked for yet")
    in_hand = serializers.IntegerField()
    people = serializers.IntegerField(help_text="without simulated participants")
    simulated = serializers.IntegerField(help_text="simulated participants: not in figures of people, time or pay")
    active = serializers.IntegerField(help_text="seen in the last five minutes")
    last_hour = serializers.IntegerField(help_text="answers in the last hour")
    median_s = serializers.FloatField(allow_null=True, help_text="active time, over the latest answers")
    wage = serializers.DecimalField(
        max_digits=14,
        decimal_places=2,
        allow_null=True,
        help_text="actual hourly pay: total pay divided by total active time",
    )
    estimated_wage = serializers.DecimalField(max_digits=14, decimal_places=2, allow_null=True)
    earned = serializers.DecimalField(max_digits=14, decimal_places=2)
    ends_at = serializers.DateTimeField(allow_null=True, help_text="when the last answer is expected")
    late = serializers.IntegerField()
    reports = serializers.IntegerField()


class CampaignDetail(CampaignOutput):
    price = serializers.SerializerMethodField(help_text="what all answers will cost, check tasks included")
    lessons = serializers.DictField(
        allow_null=True, read_only=True, help_text="its own practice questions and quiz; null: those of the task type"
    )
    wage_warning = serializers.SerializerMethodField(help_text="a sentence when the hourly pay is too low, else empty")
    progress = serializers.SerializerMethodField()

    class Meta(CampaignOutput.Meta):
        fields = (*CampaignOutput.Meta.fields, "lessons", "price", "wage_warning", "progress")
        read_only_fields = fields

    def get_price(self, campaign: Campaign) -> str:
        return str(price_of_campaign(campaign).total)

    def get_wage_warning(self, campaign: Campaign) -> str:
        warning: str = settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s)
        return warning

    @extend_schema_field(ProgressOutput)
    def get_progress(self, campaign: Campaign) -> dict[str, Any]:
        now = progress.progress_of(campaign)
        values = asdict(now) | {
            "wanted": now.wanted,
            "by_answers": dict(now.by_answers),
            "last_hour": progress.answers_in_last_hour(campaign),
        }
        return dict(ProgressOutput(values).data)


class AnnotationOutput(serializers.Serializer[Any]):
    """One answer as it was typed, with the facts of the item that its task type adds.

    The annotator is a pseudonym of this campaign.
    """

    instance = serializers.CharField()
    group = serializers.CharField()
    position = serializers.IntegerField()
    annotator = serializers.CharField()
    status = serializers.ChoiceField(choices=[AssignmentStatus.SUBMITTED.value, AssignmentStatus.LATE.value])
    is_excluded = serializers.BooleanField()
    is_gold = serializers.BooleanField()
    gold_hit = serializers.BooleanField(allow_null=True)
    answer = serializers.DictField()
    seconds = serializers.IntegerField()
    active_ms = serializers.IntegerField(allow_null=True)
    signals = serializers.DictField(allow_null=True)
    confirmed = serializers.ListField(child=serializers.CharField())
    taken_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField()
    corrected_at = serializers.DateTimeField(allow_null=True)
    is_simulated = serializers.BooleanField(help_text="written by a simulated participant, not by a person")


class AnnotationListApi(generics.ListAPIView[Annotation]):
    """A campaign's raw annotations, the earliest first."""

    permission = "annotation.view_annotation"
    serializer_class = AnnotationOutput

    def get_queryset(self) -> Any:
        self.campaign = get_object_or_404(Campaign, pk=self.kwargs["campaign_id"])
        return raw_answers.annotation_rows(self.campaign)

    @extend_schema(operation_id="annotations_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        rows = [raw_answers.row(self.campaign, values) for values in page or []]
        return self.get_paginated_response([{name: row[name] for name in row if name != "campaign"} for row in rows])
