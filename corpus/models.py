"""A corpus and what was read from it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tesa_site.kernel.clock import now


class Corpus(models.Model):
    """One archive, read by one source. Everything found in it hangs below and goes with it."""

    name = models.CharField(max_length=100, unique=True)
    source = models.CharField(max_length=40)
    path = models.CharField(max_length=1000)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name_plural = "corpora"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ReadUnit(models.Model):
    """A piece of a corpus that has been read to its end; what it counts is what that reading found."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="units")
    key = models.CharField(max_length=1000)
    added = models.PositiveIntegerField(default=0)  # articles stored by this reading
    known = models.PositiveIntegerField(default=0)  # articles that were there already, word for word
    problems = models.PositiveIntegerField(default=0)
    read_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="unit_read_once")]

    def __str__(self) -> str:
        return self.key


class ReadProblem(models.Model):
    """Something in a unit that could not be read: where, and why. At most a few hundred are kept for each unit."""

    unit = models.ForeignKey(ReadUnit, on_delete=models.CASCADE, related_name="problem_rows")
    where = models.CharField(max_length=1200)
    reason = models.CharField(max_length=500)

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class Article(models.Model):
    """One document, as its source delivered it. Never changed after it is stored."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="articles")
    source_id = models.CharField(max_length=300)
    content_hash = models.CharField(max_length=64)
    title = models.TextField(blank=True)
    headline = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    lead = models.TextField(blank=True)
    paragraphs = models.JSONField(default=list)
    byline = models.TextField(blank=True)
    desk = models.TextField(blank=True)
    published = models.DateField(null=True, blank=True)
    tags = models.JSONField(default=list)  # {text, type, origin} as the publisher wrote them
    where = models.CharField(max_length=1200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "source_id"], name="article_once_per_corpus")]
        indexes = [models.Index(fields=["corpus", "published"], name="article_published")]

    def __str__(self) -> str:
        return self.title or self.source_id
