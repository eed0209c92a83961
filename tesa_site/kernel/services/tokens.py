"""API tokens: made once, shown once, kept as a hash, revoked for good."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.models import ApiToken, User
from tesa_site.kernel.services import audit

PREFIX = "tesa_"
MOST_TOKENS = 20


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()  # 256 random bits need no slow hash


@transaction.atomic(durable=True)
def create_token(user: User, name: str) -> tuple[ApiToken, str]:
    """Return the new row and its key, which cannot be had again."""
    if user.api_tokens.filter(revoked_at=None).count() >= MOST_TOKENS:
        raise InvalidInput(f"You have {MOST_TOKENS} tokens already: revoke one first.", field="name")
    key = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, name=name, start=key[:10], key_hash=key_hash(key))
    audit.record("create token", token, by=user)
    return token, key


@transaction.atomic(durable=True)
def revoke_token(token: ApiToken, *, by: User) -> None:
    """Make a token useless; doing it twice changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now()):
        audit.record("revoke token", token, by=by)


def user_of_key(key: str) -> User | None:
    """Return the active user a key belongs to, noting its use at most once a minute."""
    token = (
        ApiToken.objects.select_related("user")
        .filter(key_hash=key_hash(key), revoked_at=None, user__is_active=True)
        .first()
    )
    if token is None:
        return None
    moment = now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - timedelta(minutes=1))
    if token.last_used_at is None or token.last_used_at < moment - timedelta(minutes=1):
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=moment)
    return token.user
