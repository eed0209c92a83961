"""Follow-ups: samples made of a campaign's answers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign, Task
from annotation.models.descriptions import TaskDescription
from annotation.models.participants import Participation
from kernel.clock import now


class FollowUp(models.Model):
    """A sample that is made of the answers in `parent`, and the draft that asks about it."""

    sample = models.OneToOneField("corpus.Sample", on_delete=models.CASCADE, related_name="follow_up")
    parent = models.ForeignKey(Campaign, null=True, on_delete=models.SET_NULL, related_name="follow_ups")
    kind = models.CharField(max_length=60)  # one of the follow-ups of the parent's task type
    stage = models.PositiveSmallIntegerField()  # 2 for the follow-up of a first campaign
    keeps_authors_out = models.BooleanField(default=True)  # nobody is asked about what they wrote or marked themselves
    simulated = models.BooleanField(default=False)  # answers of simulated participants became items, too
    plan = models.JSONField()  # what the draft is made with, beyond the settings of the parent
    done_key = models.CharField(max_length=100, blank=True)  # the last task of the parent that was read; in their order
    most = models.PositiveIntegerField(default=0)  # pieces of the item that has most
    skipped = models.PositiveIntegerField(default=0)  # items of the parent with too few pieces to ask about
    description = models.ForeignKey(TaskDescription, null=True, on_delete=models.SET_NULL, related_name="+")
    campaign = models.OneToOneField(Campaign, null=True, on_delete=models.SET_NULL, related_name="+")  # the draft
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"follow-up {self.pk}"


class FollowUpItem(models.Model):
    """What an item of a follow-up was made of."""

    member = models.OneToOneField("corpus.SampledInstance", on_delete=models.CASCADE, related_name="origin")
    source = models.ForeignKey(Task, null=True, on_delete=models.SET_NULL, related_name="+")  # of the parent
    units = models.JSONField()  # the pieces of its answers that the item holds

    def __str__(self) -> str:
        return f"origin of member {self.member_id}"


class FollowUpAuthor(models.Model):
    """Somebody who gave a piece that an item holds, in the stage before or in an earlier one."""

    member = models.ForeignKey("corpus.SampledInstance", on_delete=models.CASCADE, related_name="authors")
    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="+")
    mark = models.CharField(max_length=20, blank=True)  # keyed; still keeps the piece from them after they withdrew

    class Meta:
        constraints = [models.UniqueConstraint(fields=["member", "participation"], name="author_once_per_member")]

    def __str__(self) -> str:
        return f"author of member {self.member_id}"
