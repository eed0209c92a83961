"""Descriptions of own tasks."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from kernel.clock import now


class TaskDescription(models.Model):
    """One version of a description. A version is never changed: an edit is the next version."""

    number = models.PositiveIntegerField()  # all versions of a description share it
    version = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=100)
    text = models.TextField()  # as it was written
    value = models.JSONField()  # as it was read, with every default
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["name", "number", "-version"]
        constraints = [models.UniqueConstraint(fields=["number", "version"], name="description_version")]

    def __str__(self) -> str:
        return f"{self.name} ({self.key})"

    @property
    def key(self) -> str:
        """What campaigns call the version: own-12@3 is version 3 of description 12."""
        return f"own-{self.number}@{self.version}"
