"""The user of the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kernel.models import ApiToken
from kernel.roles import Role
from kernel.services import people
from kernel.views.access import signed_in


class TokenOutput(serializers.ModelSerializer[ApiToken]):
    class Meta:
        model = ApiToken
        fields = ("name", "scope", "created_at", "expires_at")


class MeApi(APIView):
    """The user this token or session belongs to, and what they may do."""

    permission = ""

    class Output(serializers.Serializer[Any]):
        username = serializers.CharField()
        role = serializers.ChoiceField(choices=[role.value for role in Role], allow_null=True)
        permissions = serializers.ListField(child=serializers.CharField())
        token = TokenOutput(allow_null=True, help_text="The token this request was sent with; null for a browser.")

    @extend_schema(operation_id="me", responses=Output)
    def get(self, request: Request) -> Response:
        user = signed_in(request)
        permissions = sorted(user.get_all_permissions())
        answer = {"username": user.username, "role": people.role_of(user), "permissions": permissions}
        token = request.auth if isinstance(request.auth, ApiToken) else None
        return Response(answer | {"token": TokenOutput(token).data if token else None})
