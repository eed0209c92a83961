"""Who is asking an API endpoint, what they may do, and how many rows they get at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework import exceptions, pagination, permissions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.request import Request

from tesa_site.kernel.models import User
from tesa_site.kernel.services import tokens

if TYPE_CHECKING:  # REST framework reads this module while it loads its own views
    from rest_framework.views import APIView


class BearerToken(BaseAuthentication):
    """Authorization: Bearer tesa_…"""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"bearer":
            return None
        user = tokens.user_of_key(parts[1].decode("ascii", "replace")) if len(parts) == 2 else None
        if user is None:
            raise exceptions.AuthenticationFailed("The API token is unknown or was revoked.")
        return user, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Session(SessionAuthentication):
    """The browser's own sign-in, with its CSRF protection."""


class HasPermission(permissions.BasePermission):
    """Let signed-in people through who hold the view's `permission` ("" = everybody signed in)."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        needed: str = getattr(view, "permission", "kernel.operate")  # a view that forgot to say is for operators
        return not needed or request.user.has_perm(needed)


class Pages(pagination.PageNumberPagination):
    page_size = 50
    max_page_size = 500
    page_size_query_param = "page_size"
