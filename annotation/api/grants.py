"""Grants through the API. Services, permissions and the audit trail are those of the pages."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Grant, HeldGrant
from annotation.selectors import grants as selectors
from annotation.selectors.participants import MOST_AT_ONCE
from annotation.services import grants as services
from kernel.api.inputs import NAME, TEXT, StrictInput, well_formed
from kernel.views.access import signed_in

LARGEST_ID = 2**31 - 1


class GrantInput(StrictInput):
    name = serializers.RegexField(NAME, max_length=100)
    description = serializers.RegexField(TEXT, max_length=2000, allow_blank=True, default="")


class GrantOutput(serializers.ModelSerializer[Grant]):
    holders = serializers.IntegerField(default=0, help_text="people who hold it now")

    class Meta:
        model = Grant
        fields = ("id", "name", "description", "created_at", "holders")
        read_only_fields = fields


class HeldGrantOutput(serializers.ModelSerializer[HeldGrant]):
    """That somebody was given a grant. People have no names here: `participation` leads to one of their pages."""

    participation = serializers.SerializerMethodField(help_text="the latest of this person; null if there is none")
    state = serializers.ChoiceField(choices=["held", "expired", "taken away"], read_only=True)

    class Meta:
        model = HeldGrant
        fields = ("id", "participation", "state", "reason", "given_at", "expires_at", "ended_at", "ended_why")
        read_only_fields = fields

    def get_participation(self, held: HeldGrant) -> int | None:
        person = selectors.participation_of(held)
        return person.pk if person else None


class GiveInput(StrictInput):
    people = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=MOST_AT_ONCE,
        help_text="ids of their participations",
    )
    reason = serializers.RegexField(NAME, max_length=500)
    expires_at = serializers.DateTimeField(required=False, allow_null=True, help_text="default: no end")


class GivenOutput(serializers.Serializer[Any]):
    people = serializers.IntegerField(help_text="people who did not have it just so before")


class TakeInput(StrictInput):
    reason = serializers.RegexField(NAME, max_length=500)


@extend_schema_view(get=extend_schema(operation_id="grants_list"))
class GrantListApi(generics.ListAPIView[Grant]):
    """All grants by name; POST makes one."""

    serializer_class = GrantOutput

    @property
    def permission(self) -> str:
        changes = self.request.method == "POST"
        return "annotation.change_participation" if changes else "annotation.view_participation"

    def get_queryset(self) -> Any:
        return selectors.grants()

    @extend_schema(operation_id="grants_make", request=GrantInput, responses={201: GrantOutput})
    def post(self, request: Request) -> Response:
        values = GrantInput.read(request)
        with well_formed():
            grant = services.make_grant(**values, by=signed_in(request))
        return Response(GrantOutput(grant).data, status=201)


@extend_schema_view(get=extend_schema(operation_id="grants_people"))
class GrantPeopleApi(generics.ListAPIView[HeldGrant]):
    """Everybody who was ever given a grant, the latest first; POST gives it to people."""

    serializer_class = HeldGrantOutput

    @property
    def permission(self) -> str:
        changes = self.request.method == "POST"
        return "annotation.change_participation" if changes else "annotation.view_participation"

    def get_queryset(self) -> Any:
        return selectors.people_of(get_object_or_404(Grant, pk=self.kwargs["grant_id"]))

    @extend_schema(operation_id="grants_give", request=GiveInput, responses=GivenOutput)
    def post(self, request: Request, grant_id: int) -> Response:
        grant, values = get_object_or_404(Grant, pk=grant_id), GiveInput.read(request)
        with well_formed():
            number = services.give(grant.pk, values.pop("people"), **values, by=signed_in(request))
        return Response(GivenOutput({"people": number}).data)


class GrantTakeApi(APIView):
    """Take a grant away: its holder gets no more tasks of campaigns that ask for it."""

    permission = "annotation.change_participation"

    @extend_schema(operation_id="grants_take", request=TakeInput, responses=HeldGrantOutput)
    def post(self, request: Request, held_id: int) -> Response:
        held, values = get_object_or_404(HeldGrant, pk=held_id), TakeInput.read(request)
        with well_formed():
            held = services.take(held.pk, **values, by=signed_in(request))
        return Response(HeldGrantOutput(held).data)
