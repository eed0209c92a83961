"""Follow-ups of a campaign through the API: the same service and permission as the page."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaign_changes import Money
from annotation.models import Campaign, FollowUp
from annotation.services import follow_ups
from annotation.services.campaigns import LIMITS, LONGEST_CONTACT
from annotation.services.follow_ups import LONGEST_NAME, FollowUpOrder
from kernel import jobs
from kernel.api.inputs import NAME, StrictInput, well_formed
from kernel.views.access import signed_in


class FollowUpInput(StrictInput):
    """What a follow-up is made with. Sample and campaign get its name; the campaign becomes a draft."""

    name = serializers.RegexField(NAME, max_length=LONGEST_NAME)
    kind = serializers.RegexField(NAME, max_length=60, help_text="such as confirm-names")
    redundancy = serializers.IntegerField(
        min_value=LIMITS["redundancy"][0], max_value=LIMITS["redundancy"][1], required=False, help_text="default: 3"
    )
    reward = Money(required=False, help_text="per answer, at most 1000.00")
    estimated_s = serializers.IntegerField(
        min_value=LIMITS["estimated_s"][0], max_value=LIMITS["estimated_s"][1], required=False
    )
    contact = serializers.RegexField(
        NAME, max_length=LONGEST_CONTACT, required=False, help_text="default: that of the campaign"
    )
    keeps_authors_out = serializers.BooleanField(
        required=False, help_text="nobody is asked about their own answers (default)"
    )
    simulated = serializers.BooleanField(required=False, help_text="include answers of simulated participants")


class FollowUpOutput(serializers.ModelSerializer[FollowUp]):
    """`campaign` is the draft; null while it is being made, and after it was deleted."""

    sample = serializers.IntegerField(source="sample_id")
    name = serializers.CharField(source="sample.name")
    campaign = serializers.IntegerField(source="campaign_id", allow_null=True)
    items = serializers.IntegerField(source="sample.size")

    class Meta:
        model = FollowUp
        fields: tuple[str, ...] = (
            "id", "name", "kind", "stage", "sample", "items", "campaign", "keeps_authors_out", "simulated",
            "created_at",
        )  # fmt: skip
        read_only_fields = fields


class FollowUpMade(serializers.Serializer[Any]):
    """`job` is null where the same follow-up has been made before."""

    follow_up = serializers.IntegerField()
    sample = serializers.IntegerField()
    job = serializers.IntegerField(allow_null=True)


@extend_schema_view(get=extend_schema(operation_id="follow_ups_list"))
class FollowUpListApi(generics.ListAPIView[FollowUp]):
    """A campaign's follow-ups, the newest first; POST makes one."""

    serializer_class = FollowUpOutput

    @property
    def permission(self) -> str:
        return "annotation.add_campaign" if self.request.method == "POST" else "annotation.view_campaign"

    def get_queryset(self) -> Any:
        campaign = get_object_or_404(Campaign, pk=self.kwargs["campaign_id"])
        return campaign.follow_ups.select_related("sample").order_by("-pk")

    @extend_schema(operation_id="follow_ups_create", request=FollowUpInput, responses={202: FollowUpMade})
    def post(self, request: Request, campaign_id: int) -> Response:
        values = FollowUpInput.read(request)
        campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
        with well_formed():
            row, job = follow_ups.start_follow_up(campaign, FollowUpOrder(**values), by=signed_in(request))
        if job:
            jobs.nudge(job)
        made = {"follow_up": row.pk, "sample": row.sample_id, "job": job.pk if job else None}
        return Response(FollowUpMade(made).data, status=202)
