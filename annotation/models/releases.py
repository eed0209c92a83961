"""Datasets, frozen."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign
from annotation.releasing.recipe import task_type_of
from kernel.clock import now


class Release(models.Model):
    """A dataset, frozen: its items, the recipe that made them and the hash of both. Never changed."""

    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    campaigns = models.ManyToManyField(Campaign, related_name="releases")
    recipe = models.JSONField()
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=200, blank=True)
    size = models.PositiveIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True)  # none while it is being frozen
    statistics = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    frozen_at = models.DateTimeField(null=True)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="release_version")]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"

    @property
    def task_type(self) -> str:
        """The name of the task type whose answers it holds."""
        return task_type_of(self.recipe)

    @property
    def task_settings(self) -> dict[str, Any]:
        """What its campaigns chose about the task."""
        return dict(self.recipe.get("task_settings", {}))

    @property
    def has_simulated(self) -> bool:
        """Say whether simulated participants wrote any of it."""
        return bool(self.statistics.get("released", {}).get("simulated_annotators"))


class RetiredVersion(models.Model):
    """The number of a deleted release. It is never used again: another dataset under it would share its pseudonyms."""

    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    deleted_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["name", "version"]
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="version_retired_once")]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class ReleaseItem(models.Model):
    """One instance of a release with its aggregations and annotations, as it is exported."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=100)  # a task_key
    type = models.CharField(max_length=12)
    size = models.PositiveSmallIntegerField()
    value = models.JSONField()
    digest = models.CharField(max_length=64, blank=True)  # of the value without pseudonyms: tells whether two differ

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="one_item_a_position"),
            models.UniqueConstraint(fields=["release", "key"], name="instance_once_per_release"),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of release {self.release_id}"


class ReleaseDiscard(models.Model):
    """Something the recipe left out, and why. Without a pseudonym it is a whole instance."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="discards")
    position = models.PositiveIntegerField()
    step = models.CharField(max_length=20)
    why = models.TextField()
    key = models.CharField(max_length=100)  # a task_key
    annotator = models.CharField(max_length=20, blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ["release", "position"]
        constraints = [models.UniqueConstraint(fields=["release", "position"], name="one_discard_a_position")]
        indexes = [models.Index(fields=["release", "step", "position"], name="discard_by_step")]

    def __str__(self) -> str:
        return f"{self.step}: {self.why}"


class ReleaseExport(models.Model):
    """A file made of a release, kept in the file storage until the release or the export is deleted."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20)
    file = models.CharField(max_length=200)  # its name in the storage
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["format"]
        constraints = [models.UniqueConstraint(fields=["release", "format"], name="one_export_a_format")]

    def __str__(self) -> str:
        return f"{self.format} of release {self.release_id}"
