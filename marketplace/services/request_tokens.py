"""UniqueRequestToken: of two calls with the same token within 24 hours the second changes nothing."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from marketplace.errors import request_error
from marketplace.models import Requester, RequestToken
from marketplace.states import TOKEN_LIFE


def use(requester: Requester, operation: str, token: str | None, outcome: str, now: datetime) -> None:
    """Mark a token as used for `outcome`; raise an error that names the first outcome if it was used before."""
    if not token:
        return
    mine = RequestToken.objects.filter(requester=requester, operation=operation, token=token)
    mine.filter(at__lte=now - TOKEN_LIFE).delete()
    try:
        with transaction.atomic():
            RequestToken.objects.create(requester=requester, operation=operation, token=token, outcome=outcome, at=now)
    except IntegrityError:
        first = mine.get().outcome
        if operation == "CreateHIT":
            message = f"The HIT {first} was already created with this UniqueRequestToken."
            raise request_error("HITAlreadyExists", message) from None
        message = f"The request {first} already used this UniqueRequestToken."
        raise request_error("DuplicateCall", message) from None


def forget_old(now: datetime) -> int:
    """Delete tokens that no longer protect anything."""
    return RequestToken.objects.filter(requester__is_sandbox=False, at__lte=now - TOKEN_LIFE).delete()[0]
