"""Who is asking."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tesa_site.access import signed_in
from tesa_site.kernel.roles import Role
from tesa_site.kernel.services import people


class MeApi(APIView):
    """The user this token or session belongs to, and what they may do."""

    permission = ""

    class Output(serializers.Serializer[Any]):
        username = serializers.CharField()
        role = serializers.ChoiceField(choices=[role.value for role in Role], allow_null=True)
        permissions = serializers.ListField(child=serializers.CharField())

    @extend_schema(operation_id="me", responses=Output)
    def get(self, request: Request) -> Response:
        user = signed_in(request)
        permissions = sorted(user.get_all_permissions())
        return Response({"username": user.username, "role": people.role_of(user), "permissions": permissions})
