"""The audit trail: who decided what, when and why, with the state before and after."""

from __future__ import annotations

from django.db import models

from kernel.models import AuditEntry, User
from kernel.values import Json


def record(
    action: str, subject: models.Model, *, by: User | None, before: Json = None, after: Json = None, reason: str = ""
) -> AuditEntry:
    """Add an entry. Call it in the transaction that makes the change."""
    return AuditEntry.objects.create(
        action=action,
        actor=by,
        actor_name=by.username if by else "",
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk or ""),
        subject_name=str(subject)[:200],
        before=before,
        after=after,
        reason=reason[:500],
    )
