"""API tokens: shown once, stored as a hash, limited to a scope and a time, revoked for good."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import ApiToken, TokenScope, User
from kernel.services import audit
from kernel.values import Json

PREFIX = "tesa_"
MOST_TOKENS = 20
DEFAULT_DAYS = 90


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()  # 256 random bits need no slow hash


@transaction.atomic(durable=True)
def create_token(
    user: User, name: str, *, scope: TokenScope = TokenScope.READ, days: int | None = DEFAULT_DAYS
) -> tuple[ApiToken, str]:
    """Return the new row and its key, which is not stored. With days=None the token never expires."""
    if live_tokens().filter(user=user).count() >= MOST_TOKENS:
        raise InvalidInput(f"You already have {MOST_TOKENS} tokens: revoke one first.", field="name")
    key = PREFIX + secrets.token_urlsafe(32)
    expires_at = None if days is None else now() + timedelta(days=days)
    token = ApiToken.objects.create(
        user=user, name=name, start=key[:10], key_hash=key_hash(key), scope=scope, expires_at=expires_at
    )
    after: Json = {"scope": token.scope, "expires_at": expires_at.isoformat() if expires_at else None}
    audit.record("create token", token, by=user, after=after)
    return token, key


@transaction.atomic(durable=True)
def revoke_token(token: ApiToken, *, by: User) -> None:
    """Revoke a token; revoking it twice has no effect."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now()):
        audit.record("revoke token", token, by=by)


def live_tokens() -> QuerySet[ApiToken]:
    """Return the tokens that work: neither revoked nor expired, of an active user."""
    return ApiToken.objects.exclude(expires_at__lte=now()).filter(revoked_at=None, user__is_active=True)


def token_of_key(key: str) -> ApiToken | None:
    """Return the live token with this key; its last use is updated at most once a minute."""
    token = live_tokens().select_related("user").filter(key_hash=key_hash(key)).first()
    if token is None:
        return None
    moment = now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - timedelta(minutes=1))
    if token.last_used_at is None or token.last_used_at < moment - timedelta(minutes=1):
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=moment)
    return token
