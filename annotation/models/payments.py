"""What was decided about late answers, what was paid, and where people without an account want to be paid."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.answers import Assignment
from annotation.models.participants import Participation
from kernel.clock import now


class LateChoice(models.TextChoices):
    COUNT = "count", "count and pay"
    PAY = "pay", "pay only"
    DECLINE = "decline", "decline"


class LateDecision(models.Model):
    """What the team decided about one late answer. Without a row it is still to be decided."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="late_decision")
    choice = models.CharField(max_length=10, choices=LateChoice)
    reason = models.TextField(blank=True)  # shown to the person
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"{self.get_choice_display()}: assignment {self.assignment_id}"


class Payment(models.Model):
    """An amount that was paid to one person outside the application. A mistaken row is cancelled, never deleted."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="payments")
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    paid_on = models.DateField()
    marked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    marked_at = models.DateTimeField(default=now)
    cancelled_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("pay", "Can see what people are owed and mark it as paid")]

    def __str__(self) -> str:
        return f"payment {self.pk}"


class PaymentDetail(models.Model):
    """How an invited person wants to be paid, in their words.

    It is shown on the payments page alone: never in search, the API, exports or logs. It is erased 30 days after
    everything is paid.
    """

    participation = models.OneToOneField(Participation, on_delete=models.CASCADE, related_name="payment_detail")
    text = models.TextField()
    saved_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"payment detail {self.pk}"
