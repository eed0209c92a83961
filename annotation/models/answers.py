"""One person's turn at one task, and what they wrote."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign, Task
from annotation.models.participants import Participation
from kernel.clock import now


class AssignmentStatus(models.TextChoices):
    TAKEN = "taken"
    SUBMITTED = "submitted"
    EXPIRED = "expired"
    RETURNED = "returned"
    LATE = "late"  # submitted when the place was gone: kept, not counted, to be decided (LateDecision)
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
    is_imported = models.BooleanField(default=False)  # answered and paid elsewhere, read from a file
    is_placed = models.BooleanField(default=False)  # accepted on a marketplace, which lets people hold several

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "participation"], name="one_turn_per_person"),
            models.UniqueConstraint(fields=["participation", "group"], name="one_turn_per_group"),
            models.UniqueConstraint(
                fields=["participation"],
                condition=Q(status="taken", is_placed=False),
                name="one_open_turn_per_person",
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
    shown = models.JSONField(default=dict)  # what its author was shown beyond the question, such as an order
    seconds = models.PositiveIntegerField()  # from taking to submitting
    active_ms = models.PositiveIntegerField(null=True)  # with the page in view; None without consent or JavaScript
    signals = models.JSONField(null=True)  # {"pastes", "pasted", "blurs", "keys"}
    warnings = models.JSONField(default=list)  # checks the person confirmed
    is_gold_hit = models.BooleanField(null=True)
    gold_score = models.FloatField(null=True)  # 0 to 1, of a check task; None also where only the hit was stored
    created_at = models.DateTimeField(default=now)
    corrected_at = models.DateTimeField(null=True)
    reviewed_at = models.DateTimeField(null=True)  # from then on its author cannot correct it
    verdict = models.CharField(max_length=20, blank=True)  # what its reviews come to (quality/verdicts.py)
    corrected = models.JSONField(null=True)  # the answer that reviewers put in its place

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"annotation {self.pk}"

    @property
    def partial_score(self) -> float | None:
        """The score of a check task where it says more than right or wrong."""
        return None if self.gold_score in (0, 1) else self.gold_score

    @property
    def worked_s(self) -> int:
        """Seconds of work: with the page in view where that was measured, else from taking to submitting."""
        return self.seconds if self.active_ms is None else round(self.active_ms / 1000)


class AnnotationVersion(models.Model):
    """What an annotation said before its author corrected it. Added, never changed."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="versions")
    answer = models.JSONField()
    replaced_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"version of annotation {self.annotation_id}"


class PracticeAnswer(models.Model):
    """What somebody last sent for a practice question, so that its feedback can be shown again. Never data."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="practice_answers")
    number = models.PositiveSmallIntegerField()
    form = models.JSONField()
    answered_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participation", "number"], name="one_answer_per_practice")]

    def __str__(self) -> str:
        return f"practice {self.number + 1} of participation {self.participation_id}"


class ProblemReport(models.Model):
    """An annotator's word that something is wrong with a text."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="reports")
    text = models.TextField()
    created_at = models.DateTimeField(default=now)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return f"report {self.pk}"
