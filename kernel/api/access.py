"""Authentication, permissions and page sizes of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework import exceptions, pagination, permissions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.request import Request

from kernel.models import ApiToken, TokenScope, User
from kernel.services import tokens

if TYPE_CHECKING:  # REST framework reads this module while it loads its own views
    from rest_framework.views import APIView


READ_ONLY = "This API token may only read. Create one that may also make changes under Account → API tokens."


class BearerToken(BaseAuthentication):
    """Authorization: Bearer tesa_…"""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"bearer":
            return None
        token = tokens.token_of_key(parts[1].decode("ascii", "replace")) if len(parts) == 2 else None
        if token is None:
            raise exceptions.AuthenticationFailed("The API token is unknown, has expired or was revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Session(SessionAuthentication):
    """The browser's own sign-in, with its CSRF protection."""


class HasPermission(permissions.BasePermission):
    """Allow signed-in people who have the view's `permission` ("" means everybody signed in).

    A read-only token is refused on requests that may change something. A view whose POST changes nothing says so with
    `only_reads = True`.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        changes = request.method not in permissions.SAFE_METHODS and not getattr(view, "only_reads", False)
        if changes and isinstance(request.auth, ApiToken) and request.auth.scope != TokenScope.WRITE:
            raise exceptions.PermissionDenied(READ_ONLY, code="read_only_token")
        needed: str = getattr(view, "permission", "kernel.operate")  # a view without one is for operators only
        return not needed or request.user.has_perm(needed)


class Pages(pagination.PageNumberPagination):
    page_size = 50
    max_page_size = 500
    page_size_query_param = "page_size"
