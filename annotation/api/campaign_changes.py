"""Making and changing campaigns through the API. Services, permissions and the audit trail are those of the pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.campaigns import CampaignDetail, CampaignOutput
from annotation.models import Campaign, Instructions, Invite
from annotation.pricing import CURRENCIES
from annotation.providers import PROVIDERS
from annotation.selectors import progress
from annotation.selectors.campaigns import invite_address
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.descriptions import chosen_task
from annotation.services import assessing, campaigns, editing, invites
from annotation.services.campaigns import LARGEST_SEED, LIMITS, CampaignPlan
from annotation.services.market import following
from annotation.task_types import TASK_TYPES, fixed_types
from annotation.task_types.lessons import MOST_QUESTIONS
from corpus.models import Sample
from kernel import jobs
from kernel.api.inputs import NAME, PARAGRAPH, NameField, StrictInput, well_formed
from kernel.errors import Conflict, WrongState
from kernel.models import User
from kernel.values import money
from kernel.views.access import signed_in

LARGEST_ID = 2**31 - 1
LONGEST_JSON = 10_000
LESSONS_HELP = "the campaign's own practice questions and quiz, as it reads them back; null: those of the task type"
SETTINGS_HELP = "settings of the provider, as the campaign form asks for them"
QUALIFICATIONS_HELP = "min_answers, took_part_in, not_in and grant are checked; participants only see the others"


def _between(name: str) -> dict[str, Any]:
    low, high = LIMITS[name]
    return {"min_value": low, "max_value": high}


class QuestionsField(serializers.IntegerField):
    """A number of practice or quiz questions. The service checks it against those of the task."""

    def __init__(self, kind: str, **options: Any) -> None:
        most = max(len(getattr(TASK_TYPES[name], kind)) for name in fixed_types())
        super().__init__(min_value=0, max_value=max(most, MOST_QUESTIONS), **options)


class TaskField(serializers.RegexField):
    """What a campaign asks: a task type, or a version of a description."""

    def __init__(self, **options: Any) -> None:
        pattern = rf"^({'|'.join(fixed_types())}|own-[1-9][0-9]{{0,8}}(@[1-9][0-9]{{0,8}})?)$"
        super().__init__(pattern, help_text="a task type, or a description such as own-12@3", **options)


class Money(serializers.RegexField):
    """An amount as a text, so that no digit is lost on its way."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(r"^[0-9]{1,9}(\.[0-9]{1,2})?$", **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        self.run_validators(text)
        return Decimal(text)


class SettingsInput(StrictInput):
    """What can be changed while a campaign is a draft. A field that is not sent stays as it is."""

    name = serializers.RegexField(NAME, max_length=100)
    instructions = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, required=False, help_text="the number of their version; default: the latest"
    )
    provider = NameField(lambda: PROVIDERS, required=False)
    provider_settings = serializers.DictField(required=False, help_text=SETTINGS_HELP)
    redundancy = serializers.IntegerField(
        **_between("redundancy"), required=False, help_text="answers per task, each from another person"
    )
    reward = Money(required=False, help_text="per answer, at most 1000.00")
    currency = serializers.ChoiceField(choices=sorted(CURRENCIES), required=False)
    time_limit_s = serializers.IntegerField(**_between("time_limit_s"), required=False)
    estimated_s = serializers.IntegerField(**_between("estimated_s"), required=False)
    per_person = serializers.IntegerField(**_between("per_person"), required=False, help_text="0: no limit")
    gold_every = serializers.IntegerField(**_between("gold_every"), required=False, help_text="0: none; 1 is refused")
    trust_stop = serializers.IntegerField(
        **_between("trust_stop"), required=False, help_text="per cent: people below get no more tasks; 0: no limit"
    )
    trust_tests = serializers.IntegerField(
        **_between("trust_tests"), required=False, help_text="judged check tasks before trust_stop acts"
    )
    shows_reasons = serializers.BooleanField(
        required=False, help_text="people who miss a check task then see the known answer and its reason"
    )
    practice = QuestionsField("practice", required=False)
    quiz_pass = QuestionsField("quiz", required=False)
    quiz_gold = serializers.IntegerField(
        **_between("quiz_gold"), required=False, help_text="own check tasks that the quiz asks instead of its questions"
    )
    practice_must_be_right = serializers.BooleanField(required=False, help_text="each one, before the first task")
    lessons = serializers.DictField(required=False, allow_null=True, help_text=LESSONS_HELP)
    qualifications = serializers.DictField(
        child=serializers.RegexField(NAME, max_length=500), required=False, help_text=QUALIFICATIONS_HELP
    )
    consent = serializers.RegexField(
        PARAGRAPH, max_length=20_000, required=False, help_text="default: the task type's own text"
    )
    contact = serializers.RegexField(
        NAME, max_length=200, help_text="a name and an address that participants can write to"
    )
    has_signals = serializers.BooleanField(required=False)
    is_pilot = serializers.BooleanField(required=False)


class CampaignInput(SettingsInput):
    """What a campaign is made with. It becomes a draft: nobody is asked anything until it is opened."""

    sample = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="its id")
    task_type = TaskField(required=False)
    task_settings = serializers.DictField(required=False, help_text="what the task type lets a campaign choose")
    seed = serializers.IntegerField(min_value=-LARGEST_SEED, max_value=LARGEST_SEED, required=False)


class CampaignMade(serializers.Serializer[Any]):
    """The campaign can be opened once its job has created the tasks."""

    campaign = serializers.IntegerField()
    job = serializers.IntegerField()
    total = serializers.DecimalField(max_digits=14, decimal_places=2, help_text="what all answers will cost")
    currency = serializers.CharField()


@extend_schema_view(get=extend_schema(operation_id="campaigns_list"))
class CampaignsApi(generics.ListAPIView[Campaign]):
    """Campaigns, the newest first; POST makes one as a draft."""

    serializer_class = CampaignOutput

    @property
    def permission(self) -> str:
        return "annotation.add_campaign" if self.request.method == "POST" else "annotation.view_campaign"

    def get_queryset(self) -> Any:
        return progress.campaigns()

    @extend_schema(operation_id="campaigns_create", request=CampaignInput, responses={202: CampaignMade})
    def post(self, request: Request) -> Response:
        values, by = _rows(CampaignInput.read(request)), signed_in(request)
        with well_formed():
            campaign = campaigns.create_campaign(CampaignPlan(**values), by=by)
        job = campaigns.start_job("make_tasks", campaign, by=by)
        jobs.nudge(job)
        made = {
            "campaign": campaign.pk,
            "job": job.pk,
            "total": price_of_campaign(campaign).total,
            "currency": campaign.currency,
        }
        return Response(CampaignMade(made).data, status=202)


def _rows(values: dict[str, Any]) -> dict[str, Any]:
    """Put rows in the place of their ids, and refuse JSON that no database takes."""
    for name in ("provider_settings", "task_settings", "qualifications"):
        text = json.dumps(values.get(name, {}))
        if "\\u0000" in text or len(text) > LONGEST_JSON:
            raise Conflict(f"must be at most {LONGEST_JSON:,} characters, without NUL", field=name)
    if "task_type" in values:
        with well_formed():
            values["task_type"], settings = chosen_task(values["task_type"])
        values |= {"task_settings": settings} if settings else {}
    if "sample" in values:
        values["sample"] = get_object_or_404(Sample, pk=values["sample"])
    if "instructions" in values:
        values["instructions"] = get_object_or_404(Instructions, pk=values["instructions"])
    return values


class OneCampaignApi(APIView):
    """One campaign and its progress; PATCH changes a draft."""

    @property
    def permission(self) -> str:
        return "annotation.change_campaign" if self.request.method == "PATCH" else "annotation.view_campaign"

    @extend_schema(operation_id="campaigns_read", responses=CampaignDetail)
    def get(self, request: Request, campaign_id: int) -> Response:
        return Response(CampaignDetail(get_object_or_404(progress.campaigns(), pk=campaign_id)).data)

    @extend_schema(operation_id="campaigns_edit", request=SettingsInput(partial=True), responses=CampaignDetail)
    def patch(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        sent = SettingsInput(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        with well_formed():
            editing.change_campaign(campaign.pk, _rows(dict(sent.validated_data)), by=signed_in(request))
        return _answer_with(campaign.pk)


def _answer_with(campaign_id: int) -> Response:
    campaign = progress.campaigns().get(pk=campaign_id)
    progress.forget(campaign)
    return Response(CampaignDetail(campaign).data)


# ---- Steps ----------------------------------------------------------------------------------------


class StepApi(APIView):
    """A step of a campaign's life. Taking it twice changes nothing."""

    permission = "annotation.change_campaign"
    step: ClassVar[Callable[..., Campaign]]

    @extend_schema(request=None, responses=CampaignDetail)
    def post(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        type(self).step(campaign.pk, by=signed_in(request))
        if job := following.start(campaign, by=signed_in(request)):
            jobs.nudge(job)
        return _answer_with(campaign.pk)


@extend_schema_view(post=extend_schema(operation_id="campaigns_pause"))
class CampaignPauseApi(StepApi):
    """Give out no further task. People can finish the task they have."""

    step = campaigns.pause


@extend_schema_view(post=extend_schema(operation_id="campaigns_resume"))
class CampaignResumeApi(StepApi):
    """Give out tasks again, after a pause or a close. On a marketplace it takes the permission to spend."""

    step = campaigns.resume


def _close(campaign_id: int, *, by: User) -> Campaign:
    campaign = campaigns.close(campaign_id, by=by)
    if job := assessing.start_due(campaign_id, by=by):
        jobs.nudge(job)
    return campaign


@extend_schema_view(post=extend_schema(operation_id="campaigns_close"))
class CampaignCloseApi(StepApi):
    """Close a campaign: nobody can join, get a task or correct an answer. Its answers are measured for the review."""

    step = _close


class StartInput(StrictInput):
    """`total` repeats the price that was read: from now on answers cost money."""

    total = Money()


class CampaignStartApi(StepApi):
    """Open a campaign. Send its `price` back as `total`; another number is refused.

    On a marketplace it takes the permission to spend.
    """

    step = campaigns.start

    @extend_schema(operation_id="campaigns_start", request=StartInput, responses=CampaignDetail)
    def post(self, request: Request, campaign_id: int) -> Response:
        total = StartInput.read(request)["total"]
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        if total != (price := price_of_campaign(campaign).total):
            cost = money(price, campaign.currency)
            raise WrongState(f"All answers will cost {cost}: send {price} as total to open it.")
        return super().post(request, campaign_id)


# ---- Invites --------------------------------------------------------------------------------------


class InviteInput(StrictInput):
    label = serializers.RegexField(  # type: ignore[assignment]
        NAME, max_length=100, help_text="a name for the link"
    )
    capacity = serializers.IntegerField(
        min_value=1, max_value=invites.MOST_PEOPLE, help_text="how many people can join"
    )


class InviteOutput(serializers.ModelSerializer[Invite]):
    """A link that lets people in; the link itself is shown when it is made, and on the campaign's page."""

    class Meta:
        model = Invite
        fields: tuple[str, ...] = ("id", "label", "capacity", "used", "created_at", "revoked_at")
        read_only_fields = fields


class InviteMade(InviteOutput):
    url = serializers.SerializerMethodField(help_text="send it to the people it is for; anyone who has it can join")

    class Meta(InviteOutput.Meta):
        fields = (*InviteOutput.Meta.fields, "url")
        read_only_fields = fields

    def get_url(self, invite: Invite) -> str:
        return invite_address(invite)


@extend_schema_view(get=extend_schema(operation_id="invites_list"))
class InviteListApi(generics.ListAPIView[Invite]):
    """A campaign's links, the newest first; POST makes one."""

    serializer_class = InviteOutput

    @property
    def permission(self) -> str:
        return "annotation.change_campaign" if self.request.method == "POST" else "annotation.view_campaign"

    def get_queryset(self) -> Any:
        return get_object_or_404(Campaign, pk=self.kwargs["campaign_id"]).invites.order_by("-id")

    @extend_schema(operation_id="invites_make", request=InviteInput, responses={201: InviteMade})
    def post(self, request: Request, campaign_id: int) -> Response:
        campaign = get_object_or_404(Campaign, pk=campaign_id)
        values = InviteInput.read(request)
        with well_formed():
            invite = invites.make_invite(campaign, **values, by=signed_in(request))
        return Response(InviteMade(invite).data, status=201)


class InviteRevokeApi(APIView):
    """Revoke a link: nobody else can join with it. People who have joined stay."""

    permission = "annotation.change_campaign"

    @extend_schema(operation_id="invites_revoke", request=None, responses=InviteOutput)
    def post(self, request: Request, invite_id: int) -> Response:
        invite = get_object_or_404(Invite, pk=invite_id)
        return Response(InviteOutput(invites.revoke_invite(invite.pk, by=signed_in(request))).data)
