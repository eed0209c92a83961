"""What reviewers say of answers, and how far the people agree."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.answers import Annotation
from annotation.models.campaigns import Campaign, Task
from kernel.clock import now


class Verdict(models.TextChoices):
    ACCEPT = "accept"
    CORRECT = "correct"  # replaced by the reviewer's answer, which may be that nothing fits
    EXCLUDE = "exclude"
    FLAG = "flag"  # somebody else should look
    COMMENT = "comment", "Remark"  # a remark that decides nothing
    UNDO = "undo"


class AppendOnly(models.QuerySet[Any]):
    """What reviewers say is never changed or removed: an undo is another row."""

    def update(self, **fields: Any) -> int:
        raise TypeError("What a reviewer said is never changed: add another row.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("What a reviewer said is never deleted: undo it.")


class Said(models.Model):
    """Something that a reviewer said, when and why; a row that undoes another is the only way back."""

    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reviewer_name = models.CharField(max_length=150)
    why = models.TextField(blank=True)
    created_at = models.DateTimeField(default=now)

    objects = AppendOnly.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("What a reviewer said is never changed: add another row.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("What a reviewer said is never deleted: undo it.")


class Review(Said):
    """One reviewer's verdict on one annotation."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="reviews")
    verdict = models.CharField(max_length=20, choices=Verdict)
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    before = models.JSONField(null=True)  # the answer as the reviewer found it
    after = models.JSONField(null=True)  # the answer as they leave it; None when it is excluded
    bulk = models.CharField(max_length=32, blank=True)  # those of one bulk accept share it, and are undone together

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["reviewer", "bulk"], name="review_by_reviewer")]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.reviewer_name}"


class Settlement(Said):
    """A task's own answer, made by a reviewer from its annotations or written from scratch."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="settlements")
    answer = models.JSONField(null=True)  # None in a row that undoes another
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    made_of = models.JSONField(default=list)  # ids of the annotations whose pieces it has

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"settled by {self.reviewer_name}"


class ReviewState(models.TextChoices):
    WAITING = "waiting", "Undecided"
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
    by_instance = models.JSONField(default=list)  # as much as there are instances: read for the file alone
    pipeline = models.CharField(max_length=80)  # the identity of the cleaning it was measured with
    answers = models.PositiveIntegerField()
    measured_on = models.CharField(max_length=120, default="")  # which answers: selectors/agreement.py
    made_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"agreement in {self.campaign}"
