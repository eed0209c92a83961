"""What the team grants to people: leave to take part in the campaigns that ask for it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.participants import Worker
from kernel.clock import now


class Grant(models.Model):
    """Something that campaigns can ask of people, such as a finished training. A person gives it, nobody earns it."""

    name = models.CharField(max_length=100, unique=True)
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


def is_held() -> Q:
    """Return the condition "this grant is held now", for a query of `HeldGrant`."""
    return Q(ended_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now()))


class HeldGrant(models.Model):
    """A grant that somebody was given, until it expires or is taken away."""

    grant = models.ForeignKey(Grant, on_delete=models.PROTECT, related_name="held")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="grants")
    reason = models.TextField()
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    given_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    ended_why = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)  # when the worker's marketplace was told; None: it knows of no grant

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["grant", "worker"], condition=Q(ended_at=None), name="grant_held_once")
        ]

    def __str__(self) -> str:
        return f"{self.grant} of worker {self.worker_id}"

    @property
    def state(self) -> str:
        """Whether it is held, in a word."""
        end = self.ended_at or now()
        if self.expires_at and self.expires_at <= end:
            return "expired"
        return "taken away" if self.ended_at else "held"
