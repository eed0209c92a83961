"""Work on a marketplace: a task as it is offered there, and each time somebody accepts it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.answers import Assignment
from annotation.models.campaigns import Campaign, Task, new_secret
from annotation.models.participants import Participation
from kernel.clock import now

PLACED = "p."  # how secrets of placements begin; no secret of a participation holds a dot


def new_placement_secret() -> str:
    return PLACED + new_secret()


class PostingState(models.TextChoices):
    PLANNED = "planned"  # not known to the marketplace, as far as we know
    OPEN = "open"
    EXPIRED = "expired"  # lets nobody new in, because we said so
    REFUSED = "refused"  # the marketplace did not take it


class Posting(models.Model):
    """One task as a marketplace offers it to `places` people. A task may have several postings."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="postings")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="postings")
    key = models.CharField(max_length=32, unique=True, default=new_secret)  # our name for it, on both sides
    external_id = models.CharField(max_length=64, blank=True)  # the marketplace's name for it
    type_id = models.CharField(max_length=64, blank=True)  # the group it belongs to there
    places = models.PositiveSmallIntegerField()
    released = models.PositiveSmallIntegerField(default=0)  # places that expired unused; their money is free again
    state = models.CharField(max_length=10, choices=PostingState, default=PostingState.PLANNED)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["external_id"], condition=~Q(external_id=""), name="posting_once"),
            models.CheckConstraint(condition=Q(released__lte=models.F("places")), name="posting_releases_its_places"),
        ]
        indexes = [models.Index(fields=["campaign", "state"], name="posting_by_state")]

    def __str__(self) -> str:
        return f"posting {self.pk} of task {self.task_id}"


class PlacementState(models.TextChoices):
    OPENED = "opened"
    ANSWERED = "answered"  # stored here
    HANDED_OVER = "handed over"  # the page that submits it to the marketplace was served
    SUBMITTED = "submitted"  # the marketplace has it
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"  # the marketplace gave the place to somebody else, or has nothing of it
    ABANDONED = "abandoned"  # its time ran out


STORED = (PlacementState.ANSWERED, PlacementState.HANDED_OVER)  # not yet seen on the marketplace
# The marketplace has given these places away for good, or will as soon as the browser has told it so.
USED = (
    *STORED,
    PlacementState.SUBMITTED,
    PlacementState.APPROVED,
    PlacementState.REJECTED,
)


class Placement(models.Model):
    """One acceptance of a posting by one person. `secret` is their key to this task; hand-over and pay hang on it."""

    posting = models.ForeignKey(Posting, on_delete=models.CASCADE, related_name="placements")
    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="placements")
    assignment = models.ForeignKey(Assignment, null=True, on_delete=models.SET_NULL, related_name="placements")
    secret = models.CharField(max_length=32, unique=True, default=new_placement_secret)
    external_id = models.CharField(max_length=64)  # the marketplace's name for the acceptance; it is used again
    nth = models.PositiveSmallIntegerField(default=1)  # time that this person accepted under that name
    arrival = models.JSONField(default=dict)  # what the provider sent along
    state = models.CharField(max_length=12, choices=PlacementState, default=PlacementState.OPENED)
    outcome = models.CharField(max_length=20, blank=True)  # how the visit ended (providers.base.Outcome)
    opened_at = models.DateTimeField(default=now)
    answered_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)  # by the marketplace's clock
    approve_by = models.DateTimeField(null=True)  # when the marketplace approves it by itself
    ended_at = models.DateTimeField(null=True)
    feedback = models.TextField(blank=True)  # what the person reads about a rejection
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["external_id", "participation", "nth"], name="placement_once"),
            # Not yet returned, an acceptance is one person's.
            models.UniqueConstraint(
                fields=["external_id"],
                condition=~Q(state__in=("returned", "abandoned")),
                name="placement_of_one_person",
            ),
        ]
        indexes = [models.Index(fields=["posting", "state"], name="placement_by_state")]

    def __str__(self) -> str:
        return f"placement {self.pk}"


class Rejection(models.Model):
    """A decision not to pay a placement. It takes two people, and can be overturned for 30 days."""

    placement = models.OneToOneField(Placement, on_delete=models.CASCADE, related_name="rejection")
    reason = models.TextField()  # the person reads it
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField(default=now)
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    overturned_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    overturned_at = models.DateTimeField(null=True)
    overturned_why = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"rejection of placement {self.placement_id}"


class Difference(models.Model):
    """What we and the marketplace say differently, as last compared. It goes when a comparison no longer finds it."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="differences")
    kind = models.CharField(max_length=40)
    evidence = models.TextField()
    posting_id_there = models.CharField(max_length=64, blank=True)
    submission_id_there = models.CharField(max_length=64, blank=True)
    bonus_there = models.JSONField(default=dict)  # name, cents and reason of a bonus that has no entry here
    entry = models.ForeignKey("LedgerEntry", null=True, on_delete=models.CASCADE, related_name="+")
    placement = models.ForeignKey(Placement, null=True, on_delete=models.CASCADE, related_name="+")
    found_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"{self.kind}: {self.evidence}"


class MarketAction(models.TextChoices):
    EXPIRE = "expire"  # a posting there
    APPROVE = "approve"  # and pay what was submitted there without an answer here
    HAND_OVER = "hand over"  # a stored answer, in place of the browser
    PAY = "pay"  # a stored answer that can no longer be submitted, by a bonus
    LEAVE = "leave"  # such an answer unpaid there: it stays due here


class MarketDecision(models.Model):
    """What somebody decided about a difference. The next job makes the calls; `done_at` says that nothing is left."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="market_decisions")
    action = models.CharField(max_length=10, choices=MarketAction)
    placement = models.ForeignKey(Placement, null=True, on_delete=models.CASCADE, related_name="decisions")
    posting_id_there = models.CharField(max_length=64, blank=True)
    submission_id_there = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)
    entry = models.ForeignKey("LedgerEntry", null=True, on_delete=models.SET_NULL, related_name="+")  # of the bonus
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(default=now)
    done_at = models.DateTimeField(null=True)
    outcome = models.TextField(blank=True)  # why it had no effect; "" if it had

    class Meta:
        indexes = [models.Index(fields=["campaign", "done_at"], name="market_decisions_open")]

    def __str__(self) -> str:
        return f"{self.action} {self.pk}"
