"""Campaigns: a sample put to people at one price, and its tasks."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.providers import DEFAULT
from annotation.quality.trust import LEAST_TESTS
from kernel.clock import now


def new_secret() -> str:
    """Return a credential that fits into an address: 128 random bits."""
    return secrets.token_urlsafe(16)


class Instructions(models.Model):
    """What annotators are told, in three parts. A version is never changed: an edit is the next version."""

    task_type = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    summary = models.TextField()
    details = models.TextField()
    examples = models.TextField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        verbose_name_plural = "instructions"
        ordering = ["name", "-version"]
        constraints = [models.UniqueConstraint(fields=["task_type", "name", "version"], name="instructions_version")]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class CampaignStatus(models.TextChoices):
    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    CLOSED = "closed"


class Campaign(models.Model):
    """One task type put to people at one price, over the members of one sample."""

    name = models.CharField(max_length=100, unique=True)
    task_type = models.CharField(max_length=40)
    task_settings = models.JSONField(default=dict)  # what the task type lets a campaign choose
    sample = models.ForeignKey("corpus.Sample", on_delete=models.PROTECT, related_name="campaigns")
    instructions = models.ForeignKey(Instructions, on_delete=models.PROTECT, related_name="campaigns")
    status = models.CharField(max_length=10, choices=CampaignStatus, default=CampaignStatus.DRAFT)
    provider = models.CharField(max_length=40, default=DEFAULT)
    provider_settings = models.JSONField(default=dict)
    slug = models.CharField(max_length=32, unique=True, default=new_secret)  # names the campaign in its door's address
    redundancy = models.PositiveSmallIntegerField(default=3)  # different people for each task
    reward = models.DecimalField(max_digits=8, decimal_places=2, default=0)  # for one answer
    currency = models.CharField(max_length=3, default="USD")
    time_limit_s = models.PositiveIntegerField(default=900)  # for one answer
    estimated_s = models.PositiveIntegerField(
        default=90
    )  # what one answer was thought to take; the real time is counted
    per_person = models.PositiveIntegerField(default=0)  # most answers of one person; 0 = no limit
    gold_every = models.PositiveSmallIntegerField(default=0)  # one task in `gold_every` is hidden gold; 0 = none
    trust_stop = models.PositiveSmallIntegerField(default=0)  # per cent: people below get no more tasks; 0 = no limit
    trust_tests = models.PositiveSmallIntegerField(default=LEAST_TESTS)  # check tasks before that acts
    shows_reasons = models.BooleanField(default=False)  # people who miss a check task then see the known answer and why
    practice = models.PositiveSmallIntegerField(default=0)  # practice questions before the first task
    quiz_pass = models.PositiveSmallIntegerField(default=0)  # right answers needed; 0 = no quiz
    quiz_gold = models.PositiveSmallIntegerField(default=0)  # check tasks of which the quiz is made; 0 = its questions
    practice_must_be_right = models.BooleanField(default=False)  # each of them, before the first task
    lessons = models.JSONField(null=True)  # its own practice questions and quiz; None: those of the task type
    qualifications = models.JSONField(default=dict)
    consent = models.TextField()
    contact = models.CharField(max_length=200)
    has_signals = models.BooleanField(default=True)  # paste, focus and active time are recorded, with consent
    seed = models.BigIntegerField(default=0)
    made_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="made_into")
    is_pilot = models.BooleanField(default=False)
    keeps_authors_out = models.BooleanField(default=False)  # nobody judges their own answers from an earlier stage
    reviewers = models.PositiveSmallIntegerField(default=1)  # verdicts each answer needs: 0 (none), 1 or 2
    # What a marketplace may cost at most, with fees, and what is spent or promised of it. Whole cents: exact in SQL.
    budget_cents = models.PositiveBigIntegerField(default=0)
    reserved_cents = models.PositiveBigIntegerField(default=0)
    # Who last decided that a marketplace is paid, and when (`services/market/spending.py`). Jobs go on in their name.
    spend_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    spend_at = models.DateTimeField(null=True)
    compared_at = models.DateTimeField(null=True)  # when both sides of a marketplace were last compared
    tasks_made = models.PositiveIntegerField(default=0)
    joined = models.PositiveIntegerField(default=0)  # the number that the last newcomer got
    people_checked_at = models.DateTimeField(null=True)  # when the worker filters last ran
    people_checked_answers = models.PositiveIntegerField(default=0)  # answers given by then
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-id"]
        permissions = [("spend", "Can publish on marketplaces, pay there and reject work")]
        constraints = [
            models.CheckConstraint(condition=Q(reserved_cents__lte=models.F("budget_cents")), name="campaign_budget")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        """The status in the words of pages."""
        return "Open" if self.status == CampaignStatus.RUNNING else CampaignStatus(self.status).label

    @property
    def is_rehearsal(self) -> bool:
        """True of a copy that simulated people work on in a marketplace's sandbox."""
        return bool(self.provider_settings.get("rehearsal"))


class Task(models.Model):
    """One question of a campaign, to be answered by `slots` people. `free` is counted down when one is given out."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks")
    member = models.ForeignKey("corpus.SampledInstance", on_delete=models.PROTECT, related_name="tasks")
    variant = models.CharField(max_length=30, blank=True, default="")  # one of its task type's `variants`
    position = models.PositiveIntegerField()  # in the campaign's seeded order
    group = models.CharField(max_length=64)  # overlap group: nobody gets two tasks of one
    question = models.JSONField()  # what an answer is checked against; the text itself is the member's
    html = models.TextField()  # what the annotator sees, rendered once
    slots = models.PositiveSmallIntegerField()
    free = models.SmallIntegerField()
    answers = models.PositiveSmallIntegerField(default=0)
    is_gold = models.BooleanField(default=False)  # answered by everybody who meets it, never counted as data
    gold = models.JSONField(null=True)  # {"accepted": [answer …], "reason": text}: what answers are judged with

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "position"], name="task_position"),
            models.UniqueConstraint(fields=["campaign", "member", "variant"], name="task_once_per_member_and_variant"),
            models.CheckConstraint(condition=Q(free__gte=0), name="task_not_given_out_too_often"),
        ]
        indexes = [
            # Not partial: SQLite does not use a partial index for a condition with parameters.
            models.Index(fields=["campaign", "is_gold", "free", "position"], name="task_next"),
            # With all that progress and review count by, so that they read the index alone.
            models.Index(fields=["campaign", "is_gold", "answers", "free", "slots"], name="task_progress"),
        ]

    def __str__(self) -> str:
        return f"task {self.position} of campaign {self.campaign_id}"
