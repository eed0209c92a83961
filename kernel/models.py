"""The models all apps share: users, jobs, heartbeats of workers, notices, API tokens, attempts, the audit trail."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from kernel.clock import now
from kernel.job_kind import MOST_ATTEMPTS


class DatabaseTime(Now):
    """The database's clock, which processes on several machines share."""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # Six decimals, as Django writes times, so that the two compare as text.
        template = "(STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f', 'NOW') || '000')"
        return self.as_sql(compiler, connection, template=template, **context)


class User(AbstractUser):
    """A person who signs in. Their permissions come from their role, a group of the same name."""

    email = models.EmailField(blank=True)
    is_demo = models.BooleanField(default=False, editable=False)  # goes with `manage.py demo --remove`

    class Meta:
        permissions = [
            ("access_admin", "May enter the admin"),
            ("use_tokens", "May make API tokens"),
            ("view_pipeline", "May see the pipeline and the dashboards"),
            ("operate", "May back up, clean up and see tracebacks"),
        ]

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class JobStatus(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    LOST = "lost", "Lost"


OPEN_STATUSES = (JobStatus.QUEUED, JobStatus.RUNNING)


class Job(models.Model):
    """One piece of background work. This row is the queue; the broker's message only nudges a worker to look."""

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=200, blank=True)
    parameters = models.JSONField(default=dict)
    lock = models.CharField(max_length=60, blank=True)  # of two open jobs with the same lock the second is refused
    queue = models.CharField(max_length=20)
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs")

    status = models.CharField(max_length=10, choices=JobStatus, default=JobStatus.QUEUED)
    attempt = models.PositiveIntegerField(default=1)  # a message for another attempt finds nothing to do
    losses = models.PositiveSmallIntegerField(default=0)  # how often in a row its worker was lost
    cancel_requested = models.BooleanField(default=False)
    worker = models.CharField(max_length=200, blank=True)

    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True, blank=True)
    step = models.CharField(max_length=200, blank=True)
    result = models.CharField(max_length=500, blank=True)
    result_url = models.CharField(max_length=500, blank=True)
    error = models.CharField(max_length=1000, blank=True)
    traceback = models.TextField(blank=True)

    created_at = models.DateTimeField(default=now)
    queued_at = models.DateTimeField(default=now)
    nudges = models.PositiveIntegerField(default=0)
    nudged_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        permissions = [("run_job", "May start, cancel and retry jobs")]
        indexes = [
            models.Index(fields=["queue", "queued_at"], condition=Q(status="queued"), name="job_queued"),
            models.Index(fields=["heartbeat_at"], condition=Q(status="running"), name="job_running"),
            models.Index(fields=["finished_at"], name="job_finished"),
            models.Index(fields=["status", "lock"], name="job_open"),  # every page counts the open ones
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["lock"], condition=Q(status__in=OPEN_STATUSES) & ~Q(lock=""), name="one_open_job_per_lock"
            )
        ]

    def __str__(self) -> str:
        return f"job {self.pk}: {self.kind}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES

    @property
    def restart(self) -> str:
        """Return a sentence if this attempt was started because the worker of the last one was lost."""
        attempts = f"attempt {self.losses + 1} of {MOST_ATTEMPTS}"
        return f"Started again after its worker was lost ({attempts})." if self.losses and self.is_open else ""

    @property
    def percent(self) -> int | None:
        """Return 0–100, or None while the total is unknown."""
        if self.status == JobStatus.SUCCEEDED:
            return 100
        return min(100, self.done * 100 // self.total) if self.total else None


class JobLog(models.Model):
    """One line of a job's log."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="log_lines")
    attempt = models.PositiveIntegerField()
    at = models.DateTimeField(default=now)
    text = models.CharField(max_length=1000)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text


class WorkerHeartbeat(models.Model):
    """A worker process, the queues it serves, and the time of its last heartbeat by the database's clock."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    version = models.CharField(max_length=40, blank=True)
    started_at = models.DateTimeField(default=now)
    beat_at = models.DateTimeField(default=now, db_index=True)
    clock_skew = models.FloatField(default=0)  # seconds its machine's clock is ahead of the database's
    facts = models.JSONField(default=dict)  # what TESA_WORKER_FACTS says of its machine

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class NoticeSwitch(models.Model):
    """An event that a user wants e-mails about, the news already sent, and when."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notice_switches")
    kind = models.CharField(max_length=40)
    told = models.JSONField(default=list)  # keys of news that was sent or existed before; keys of past news are dropped
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="one_switch_per_event")]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind}"


class TokenScope(models.TextChoices):
    READ = "read", "Read only"
    WRITE = "write", "Read and change"


class ApiToken(models.Model):
    """A key that a user gives to a program. Only its hash is stored; the key itself is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    start = models.CharField(max_length=12)  # the first characters, by which people recognise the key
    key_hash = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=5, choices=TokenScope, default=TokenScope.READ)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)  # None: works until it is revoked
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API token"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= now()


class AttemptKind(models.TextChoices):
    SIGN_IN = "sign in", "sign-in"
    SIGN_UP = "sign up", "sign-up"
    RESET_REQUEST = "reset request", "request for a password mail"
    RESET_MAIL = "reset mail", "password mail"
    SIGNED_IN = "signed in", "network of a person who was signed in"


class Attempt(models.Model):
    """A counted sign-in, sign-up or password mail; deleted when a sign-in succeeds, and after a month.

    Or that an account was used from a network, so that strangers' guesses are counted apart from those there.
    """

    kind = models.CharField(max_length=20, choices=AttemptKind)
    key = models.CharField(max_length=64, blank=True)  # sign-in: hash of the name (people type passwords there)
    address = models.GenericIPAddressField(null=True)  # of IPv6 the network of 64 bits
    at = models.DateTimeField(default=now)

    class Meta:
        verbose_name = "counted attempt"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["address", "at"], name="attempt_address"),
            models.Index(fields=["key", "at"], name="attempt_key"),
            models.Index(fields=["at"], name="attempt_at"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} from {self.address or 'an unknown address'}"


class AuditEntry(models.Model):
    """A recorded decision: who, what, when and why, with the state before and after. Rows are never changed."""

    at = models.DateTimeField(default=now)
    actor = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    actor_name = models.CharField(max_length=150, blank=True)  # survives the account
    action = models.CharField(max_length=60)
    subject_type = models.CharField(max_length=60)
    subject_id = models.CharField(max_length=64, blank=True)
    subject_name = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["subject_type", "subject_id"], name="audit_subject")]

    def __str__(self) -> str:
        return f"{self.actor_name or 'system'}: {self.action} {self.subject_name}"
