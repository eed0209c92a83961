"""Campaigns, the people who work in them, and what they wrote."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from tesa_site.kernel.clock import now


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
    sample = models.ForeignKey("corpus.Sample", on_delete=models.PROTECT, related_name="campaigns")
    instructions = models.ForeignKey(Instructions, on_delete=models.PROTECT, related_name="campaigns")
    status = models.CharField(max_length=10, choices=CampaignStatus, default=CampaignStatus.DRAFT)
    provider = models.CharField(max_length=40, default="local")
    provider_settings = models.JSONField(default=dict)
    slug = models.CharField(max_length=32, unique=True, default=new_secret)  # names the campaign in a panel's address
    redundancy = models.PositiveSmallIntegerField(default=3)  # different people for each task
    reward = models.DecimalField(max_digits=8, decimal_places=2, default=0)  # for one answer
    currency = models.CharField(max_length=3, default="USD")
    time_limit_s = models.PositiveIntegerField(default=900)  # for one answer
    estimated_s = models.PositiveIntegerField(
        default=90
    )  # what one answer was thought to take; the real time is counted
    per_person = models.PositiveIntegerField(default=0)  # most answers of one person; 0 = no limit
    gold_every = models.PositiveSmallIntegerField(default=0)  # one hidden gold in so many tasks; 0 = none
    practice = models.PositiveSmallIntegerField(default=0)  # practice questions before the first task
    quiz_pass = models.PositiveSmallIntegerField(default=0)  # right answers needed; 0 = no quiz
    qualifications = models.JSONField(default=dict)
    consent = models.TextField()
    contact = models.CharField(max_length=200)
    has_signals = models.BooleanField(default=True)  # paste, focus and active time are recorded, with consent
    seed = models.BigIntegerField(default=0)
    made_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="made_into")
    is_pilot = models.BooleanField(default=False)
    reviewers = models.PositiveSmallIntegerField(default=1)  # verdicts each answer needs: 0 (none), 1 or 2
    tasks_made = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """One question of a campaign, to be answered by `slots` people. `free` is counted down when one is given out."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks")
    member = models.ForeignKey("corpus.SampledInstance", on_delete=models.PROTECT, related_name="tasks")
    position = models.PositiveIntegerField()  # in the campaign's seeded order
    group = models.CharField(max_length=64)  # overlap group: nobody gets two tasks of one
    question = models.JSONField()  # what an answer is checked against; the text itself is the member's
    html = models.TextField()  # what the annotator sees, rendered once
    slots = models.PositiveSmallIntegerField()
    free = models.SmallIntegerField()
    answers = models.PositiveSmallIntegerField(default=0)
    is_gold = models.BooleanField(default=False)  # answered by everybody who meets it, never counted as data
    gold = models.JSONField(null=True)  # {"phrases": […], "impossible": bool}

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "position"], name="task_position"),
            models.UniqueConstraint(fields=["campaign", "member"], name="task_once_per_member"),
            models.CheckConstraint(condition=Q(free__gte=0), name="task_not_given_out_too_often"),
        ]
        indexes = [
            # Not partial: SQLite does not use a partial index for a condition with parameters.
            models.Index(fields=["campaign", "is_gold", "free", "position"], name="task_next"),
            models.Index(fields=["campaign", "answers"], name="task_answers"),
        ]

    def __str__(self) -> str:
        return f"task {self.position} of campaign {self.campaign_id}"


class Worker(models.Model):
    """A person as one provider knows them; a signed-in annotator's worker points to their account."""

    provider = models.CharField(max_length=40)
    external_id = models.CharField(max_length=200)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="annotation_worker"
    )
    created_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["provider", "external_id"], name="worker_once_per_provider")]
        permissions = [("view_external_id", "Can see how a provider calls a worker")]

    def __str__(self) -> str:
        return f"worker {self.pk}"


class Invite(models.Model):
    """A link that lets people in without an account: as many as it says, until it is revoked."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invites")
    code = models.CharField(max_length=32, unique=True, default=new_secret)
    label = models.CharField(max_length=100)
    capacity = models.PositiveIntegerField(default=1)
    used = models.PositiveIntegerField(default=0)
    revoked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(used__lte=models.F("capacity")), name="invite_capacity")]

    def __str__(self) -> str:
        return self.label


class Participation(models.Model):
    """One worker in one campaign. `secret` is their only key: whoever has the address is this person."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="participations")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="participations")
    secret = models.CharField(max_length=32, unique=True, default=new_secret)
    invite = models.ForeignKey(Invite, null=True, on_delete=models.SET_NULL, related_name="participations")
    arrival = models.JSONField(default=dict)  # what a panel sent along: its study and session
    joined_at = models.DateTimeField(default=now)
    consented_at = models.DateTimeField(null=True)
    signals_agreed = models.BooleanField(default=False)
    instructed_at = models.DateTimeField(null=True)  # has seen the instructions
    practised = models.PositiveSmallIntegerField(default=0)
    quiz_tries = models.PositiveSmallIntegerField(default=0)
    quiz_score = models.PositiveSmallIntegerField(null=True)
    quiz_passed_at = models.DateTimeField(null=True)
    given = models.PositiveIntegerField(default=0)  # tasks given out, gold included
    answered = models.PositiveIntegerField(default=0)
    gold_seen = models.PositiveIntegerField(default=0)
    gold_right = models.PositiveIntegerField(default=0)
    active_ms = models.PositiveBigIntegerField(default=0)
    earned = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    last_seen_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True)
    completion = models.CharField(max_length=20, blank=True)  # how the panel was told it ended
    excluded_at = models.DateTimeField(null=True)  # not counted; paid all the same
    excluded_why = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "worker"], name="participation_once")]

    def __str__(self) -> str:
        return f"worker {self.worker_id} in campaign {self.campaign_id}"


class AssignmentStatus(models.TextChoices):
    TAKEN = "taken"
    SUBMITTED = "submitted"
    EXPIRED = "expired"
    RETURNED = "returned"
    LATE = "late"  # submitted after it expired: kept for review, not counted
    WITHDRAWN = "withdrawn"  # submitted, then its author had the text erased: paid, not counted


class Assignment(models.Model):
    """One person's turn at one task. The row stays when its text is erased: it is the ledger of what is owed."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="assignments")
    group = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=AssignmentStatus, default=AssignmentStatus.TAKEN)
    taken_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    draft = models.JSONField(null=True)
    draft_at = models.DateTimeField(null=True)
    reward = models.DecimalField(max_digits=8, decimal_places=2, default=0)  # owed since it was submitted

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "participation"], name="one_turn_per_person"),
            models.UniqueConstraint(fields=["participation", "group"], name="one_turn_per_group"),
            models.UniqueConstraint(
                fields=["participation"], condition=Q(status="taken"), name="one_open_turn_per_person"
            ),
        ]
        indexes = [
            models.Index(fields=["status", "expires_at"], name="assignment_expiry"),
            # With the time, so that a campaign's page counts answers by the hour from the index alone.
            models.Index(fields=["campaign", "status", "ended_at"], name="assignment_by_status"),
        ]

    def __str__(self) -> str:
        return f"assignment {self.pk}"


class Annotation(models.Model):
    """What one assignment answered, as it was typed. A correction keeps the earlier text in `AnnotationVersion`."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="annotation")
    answer = models.JSONField()
    seconds = models.PositiveIntegerField()  # from taking to submitting
    active_ms = models.PositiveIntegerField(null=True)  # with the page in view; None without consent or JavaScript
    signals = models.JSONField(null=True)  # {"pastes", "pasted", "blurs", "keys"}
    warnings = models.JSONField(default=list)  # checks the person confirmed
    is_gold_hit = models.BooleanField(null=True)
    created_at = models.DateTimeField(default=now)
    corrected_at = models.DateTimeField(null=True)
    reviewed_at = models.DateTimeField(null=True)  # from then on its author cannot correct it
    verdict = models.CharField(max_length=20, blank=True)  # what its reviews come to (quality/verdicts.py)
    phrases = models.JSONField(null=True)  # as reviewers corrected them; None: as cleaned

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"annotation {self.pk}"


class AnnotationVersion(models.Model):
    """What an annotation said before its author corrected it. Added, never changed."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="versions")
    answer = models.JSONField()
    replaced_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"version of annotation {self.annotation_id}"


class ProblemReport(models.Model):
    """An annotator's word that something is wrong with a text."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="reports")
    text = models.TextField()
    created_at = models.DateTimeField(default=now)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return f"report {self.pk}"


class Verdict(models.TextChoices):
    ACCEPT = "accept"
    CORRECT = "correct"  # accepted with other words
    EXCLUDE = "exclude"
    NOT_AGGREGATABLE = "not_aggregatable"
    FLAG = "flag"  # somebody else should look
    COMMENT = "comment"  # a remark that decides nothing
    UNDO = "undo"


class AppendOnly(models.QuerySet["Review"]):
    """Rows that are added and read. (They go only with what they are about.)"""

    def update(self, **fields: Any) -> int:
        raise TypeError("A review is never changed: add another.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("A review is never deleted: undo it.")


class Review(models.Model):
    """A person's verdict on an annotation. Added, never changed: an undo is a row of its own."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reviewer_name = models.CharField(max_length=150)
    verdict = models.CharField(max_length=20, choices=Verdict)
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    before = models.JSONField(default=list)  # the phrases as the reviewer found them
    after = models.JSONField(default=list)
    why = models.TextField(blank=True)
    bulk = models.CharField(max_length=32, blank=True)  # those of one bulk accept share it, and are undone together
    created_at = models.DateTimeField(default=now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["reviewer", "bulk"], name="review_by_reviewer")]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.reviewer_name}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("A review is never changed: add another.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("A review is never deleted: undo it.")


class ReviewState(models.TextChoices):
    WAITING = "waiting"
    CONTESTED = "contested"  # reviewers disagree: a third decides
    FLAGGED = "flagged"
    SETTLED = "settled"


class ReviewItem(models.Model):
    """A task as the review sees it: how doubtful its answers are, and what waits. Made again when they change."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="review_item")
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="review_items")
    score = models.FloatField()  # 0 no doubt … 1; quality/doubt.py
    reasons = models.JSONField(default=list)  # sentences, the weightiest first
    is_unanimous = models.BooleanField(default=False)  # all agree and nothing speaks against them: bulk accept
    state = models.CharField(max_length=10, choices=ReviewState, default=ReviewState.WAITING)
    answers = models.PositiveSmallIntegerField()  # of the task when it was scored
    scored_at = models.DateTimeField(default=now)
    done_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")  # have nothing more to say here

    class Meta:
        indexes = [models.Index(fields=["campaign", "state", "-score", "id"], name="review_queue")]

    def __str__(self) -> str:
        return f"review of {self.task}"


class AgreementReport(models.Model):
    """How far the people of a campaign agree, as last measured."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="agreement")
    value = models.JSONField()  # quality/report.py
    pipeline = models.CharField(max_length=80)  # the identity of the cleaning it was measured with
    answers = models.PositiveIntegerField()
    made_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"agreement in {self.campaign}"


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


class ReleaseItem(models.Model):
    """One instance of a release with its aggregations and annotations, as it is exported."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=64)
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


class WorkerVerdict(models.Model):
    """What a worker filter saw in one person, with its evidence. It decides nothing; the next look replaces it."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="verdicts")
    filter = models.CharField(max_length=40)
    level = models.CharField(max_length=10)
    evidence = models.TextField()
    numbers = models.JSONField(default=dict)
    made_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participation", "filter"], name="verdict_once")]

    def __str__(self) -> str:
        return f"{self.filter}: {self.evidence}"


class ReleaseDiscard(models.Model):
    """Something the recipe left out, and why. Without a pseudonym it is a whole instance."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="discards")
    position = models.PositiveIntegerField()
    step = models.CharField(max_length=20)
    why = models.TextField()
    key = models.CharField(max_length=64)  # of the instance
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
