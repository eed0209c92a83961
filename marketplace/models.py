"""Requesters and workers, what the ones offer and the others do, and every cent that moves. Money in whole cents."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from kernel.clock import now
from marketplace import ids
from marketplace.states import LIVE, OPEN_REQUEST, AssignmentState, HITStatus, RequestState


class Requester(models.Model):
    """An account that publishes HITs. Only a sandbox account can move its clock and ask for faults."""

    name = models.CharField(max_length=120)
    own = models.CharField(max_length=20, unique=True, null=True, blank=True, editable=False)
    is_sandbox = models.BooleanField(default=False)
    balance_cents = models.BigIntegerField(default=0)
    on_hold_cents = models.BigIntegerField(default=0)  # the sum of its HITs' locked_cents
    fresh_seconds = models.PositiveIntegerField(default=2)  # how long a new HIT cannot be changed
    visible_seconds = models.PositiveIntegerField(default=2)  # from a submit until the requester sees it
    clock_offset_seconds = models.BigIntegerField(default=0)
    faults = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        permissions = [("manage_requesters", "May open marketplace accounts, make keys and add play money")]
        constraints = [
            models.CheckConstraint(condition=Q(balance_cents__gte=0), name="no_overdrawn_requester"),
            models.CheckConstraint(
                condition=Q(is_sandbox=True) | Q(clock_offset_seconds=0), name="only_sandboxes_move_time"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AccessKey(models.Model):
    """A key of a requester. Its secret is derived (`signing.derive_secret`), never stored."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="keys")
    key_id = models.CharField(max_length=64, unique=True)
    salt = models.CharField(max_length=32, blank=True)
    label = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.key_id


class Movement(models.Model):
    """A change of a requester's balance. Their sum is the balance; rows are added, never changed."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="movements")
    kind = models.CharField(max_length=12)  # deposit, hold, release, reward, bonus
    cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField(default=0)  # the part of it that is our fee
    reference = models.CharField(max_length=64, blank=True)  # the HIT or assignment
    at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"{self.kind} {self.cents}"


class HITType(models.Model):
    """What HITs of one group share. The same values of one requester are the same type."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hit_types")
    type_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    group_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.TextField()
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.BigIntegerField()
    duration_seconds = models.BigIntegerField()
    auto_approval_seconds = models.BigIntegerField()
    requirements = models.JSONField(default=list)
    needs_masters = models.BooleanField(default=False)
    open_hits = models.PositiveIntegerField(default=0)  # its HITs in the state Assignable
    newest_at = models.DateTimeField(default=now)  # when its newest HIT was created
    created_at = models.DateTimeField(default=now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "digest"], condition=Q(deleted_at=None), name="one_hit_type_per_values"
            ),
        ]
        indexes = [models.Index(fields=["-newest_at"], condition=Q(open_hits__gt=0), name="open_hit_types")]

    def __str__(self) -> str:
        return self.title


class HITTypeRequirement(models.Model):
    """That a HIT type names a qualification type: the index behind ListHITsForQualificationType."""

    hit_type = models.ForeignKey(HITType, on_delete=models.CASCADE, related_name="named")
    qualification = models.CharField(max_length=64, db_index=True)

    def __str__(self) -> str:
        return self.qualification


class HIT(models.Model):
    """One task for `max_assignments` workers. The four counters add up to it."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="hits")
    hit_type = models.ForeignKey(HITType, on_delete=models.PROTECT, related_name="hits")
    hit_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    question = models.TextField()
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    available = models.PositiveIntegerField()
    pending = models.PositiveIntegerField(default=0)  # accepted, not yet submitted
    submitted = models.PositiveIntegerField(default=0)  # waiting for a review
    completed = models.PositiveIntegerField(default=0)  # approved or rejected
    status = models.CharField(max_length=12, default=HITStatus.ASSIGNABLE)
    is_reviewing = models.BooleanField(default=False)
    is_expired = models.BooleanField(default=False)
    is_disposed = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    expiry_asked = models.DateTimeField(null=True, blank=True)  # by the last UpdateExpirationForHIT
    due_at = models.DateTimeField(null=True, blank=True)  # when `settle` has something to do: expiry, then disposal
    unit_cents = models.BigIntegerField()  # reward and fee of one assignment
    unit_fee_cents = models.BigIntegerField()
    held_cents = models.BigIntegerField(default=0)  # of assignments that are accepted or wait for a review
    locked_cents = models.BigIntegerField(default=0)  # held_cents, and unit_cents for each that can still be accepted

    class Meta:
        indexes = [
            models.Index(fields=["requester", "status", "id"], name="hits_by_status"),
            models.Index(fields=["requester", "id"], condition=Q(is_disposed=False), name="hits_listed"),
            models.Index(fields=["hit_type", "id"], condition=Q(status="Assignable"), name="hits_to_accept"),
            models.Index(fields=["requester", "due_at"], condition=Q(due_at__isnull=False), name="hits_due"),
        ]

    def __str__(self) -> str:
        return self.hit_id


class Worker(models.Model):
    """Somebody who works on HITs. Invented workers meet only the HITs of sandbox accounts, people only the others."""

    worker_id = models.CharField(max_length=64, unique=True, default=ids.worker_id)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="marketplace_worker"
    )
    is_invented = models.BooleanField(default=False)
    secret = models.CharField(max_length=64, unique=True, default=ids.secret)  # how an invented worker enters the site
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=2, blank=True)
    is_adult = models.BooleanField(default=False)
    has_masters = models.BooleanField(default=False)
    submitted = models.PositiveIntegerField(default=0)
    approved = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    returned = models.PositiveIntegerField(default=0)  # returned or abandoned
    created_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return self.worker_id


class Assignment(models.Model):
    """One place in a HIT. Returned or abandoned, its row and its id go to the next worker."""

    hit = models.ForeignKey(HIT, on_delete=models.PROTECT, related_name="assignments")
    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments")
    assignment_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    token = models.CharField(max_length=64, unique=True, default=ids.secret)  # authorises the submit of one acceptance
    state = models.CharField(max_length=10, default=AssignmentState.ACCEPTED)
    accepted_at = models.DateTimeField(default=now)
    deadline = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    visible_at = models.DateTimeField(null=True, blank=True)
    auto_approval_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)  # the deadline, then the automatic approval
    feedback = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    reward_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"], condition=Q(state__in=LIVE), name="one_assignment_per_worker_and_hit"
            ),
        ]
        indexes = [
            models.Index(fields=["hit", "state", "id"], name="assignments_of_hit"),
            models.Index(fields=["worker", "state", "-id"], name="assignments_of_worker"),
            models.Index(fields=["requester", "due_at"], condition=Q(due_at__isnull=False), name="assignments_due"),
            models.Index(fields=["requester", "worker"], name="assignments_for_requester"),
        ]

    def __str__(self) -> str:
        return self.assignment_id


class Bonus(models.Model):
    """A payment beside the reward."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="bonuses")
    cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    reason = models.TextField()
    at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"{self.cents} cents"


class RequestToken(models.Model):
    """A UniqueRequestToken that was used; good for 24 hours. `outcome` is what the error of a second call names."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE)
    operation = models.CharField(max_length=40)
    token = models.CharField(max_length=64)
    outcome = models.CharField(max_length=64)
    at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "operation", "token"], name="one_use_per_token")]

    def __str__(self) -> str:
        return self.token


class QualificationTest(models.Model):
    """The questions of a test and their key. Rows are added, never changed: who began a test finishes that test."""

    form = models.TextField()  # QuestionForm
    answer_key = models.TextField(blank=True)  # AnswerKey; "" = the requester decides
    seconds = models.BigIntegerField()
    created_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"a test of {self.seconds} seconds"


class QualificationType(models.Model):
    """What a requester calls a qualification. The system's own have no row."""

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="qualification_types")
    type_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    name = models.CharField(max_length=200)
    description = models.TextField()
    keywords = models.CharField(max_length=1000, blank=True)
    is_active = models.BooleanField(default=True)
    retry_seconds = models.BigIntegerField(null=True, blank=True)  # None = one request only
    is_auto_granted = models.BooleanField(default=False)
    auto_value = models.IntegerField(default=1)
    test = models.ForeignKey(QualificationTest, null=True, blank=True, on_delete=models.PROTECT, related_name="types")
    created_at = models.DateTimeField(default=now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"], condition=Q(deleted_at=None), name="one_qualification_type_per_name"
            ),
            models.CheckConstraint(
                condition=Q(test=None) | Q(is_auto_granted=False), name="no_test_for_what_is_granted_at_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A worker's qualification of one type; revoked, the row stays."""

    type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="qualifications")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualifications")
    value = models.IntegerField(default=1)
    is_granted = models.BooleanField(default=True)
    granted_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["type", "worker"], name="one_qualification_per_worker")]

    def __str__(self) -> str:
        return f"{self.type_id} {self.value}"


class QualificationRequest(models.Model):
    """A worker's request for a qualification, from the start of its test to the decision."""

    request_id = models.CharField(max_length=64, unique=True, default=ids.entity_id)
    type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="requests")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualification_requests")
    state = models.CharField(max_length=10, default=RequestState.PENDING)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=now)  # when the test began; once it has ended, when it ended
    test = models.ForeignKey(
        QualificationTest, null=True, blank=True, on_delete=models.PROTECT, related_name="requests"
    )
    deadline = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)  # QuestionFormAnswers
    value = models.IntegerField(null=True, blank=True)  # what was granted

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"],
                condition=Q(state__in=OPEN_REQUEST),
                name="one_open_qualification_request",
            ),
        ]
        indexes = [models.Index(fields=["worker", "-id"], name="qualification_requests_of")]

    def __str__(self) -> str:
        return self.request_id


class WorkerBlock(models.Model):
    """A worker whom a requester keeps from its HITs; the reason is not shown to them."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField()
    at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "worker"], name="one_block_per_worker")]

    def __str__(self) -> str:
        return f"{self.requester_id} {self.worker_id}"


class Message(models.Model):
    """A message between a requester and a worker, in either direction."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="messages")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    is_from_worker = models.BooleanField(default=False)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    about = models.CharField(max_length=64, blank=True)  # a HIT or assignment
    at = models.DateTimeField(default=now)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["worker", "-id"], name="messages_of_worker")]

    def __str__(self) -> str:
        return self.subject


class Report(models.Model):
    """A worker's report of a HIT that breaks the rules, for the people who run this marketplace."""

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="reports")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="reports")
    reason = models.CharField(max_length=40)
    text = models.TextField(blank=True)
    at = models.DateTimeField(default=now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hit", "worker"], name="one_report_per_worker_and_hit")]

    def __str__(self) -> str:
        return self.reason
