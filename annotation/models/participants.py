"""The people who work in campaigns, the doors they come by, and what filters saw in them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign, new_secret
from annotation.quality.trust import Trust
from kernel.clock import now

# Values of `Worker.provider` that are not the name of a provider.
INVITE = "invite"  # people who came by a link of ours
SIMULATED_PROVIDERS = ("simulation", "demo")


def simulated(path: str = "") -> Q:
    """Return the condition "this worker is simulated" for a query; `path` leads to the worker, as in "worker".

    Simulated workers are read once, and rows compared with them: a join would look up the worker of every row.
    """
    if not path:
        return Q(provider__in=SIMULATED_PROVIDERS)
    return Q(**{f"{path}__in": Worker.objects.filter(provider__in=SIMULATED_PROVIDERS).values("pk")})


class Worker(models.Model):
    """A person as one provider knows them. People with an account here have one worker, which points to it."""

    provider = models.CharField(max_length=40)
    external_id = models.CharField(max_length=200)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="annotation_worker"
    )
    created_at = models.DateTimeField(default=now)
    blocked_at = models.DateTimeField(null=True)  # no work of our account on their marketplace, in any campaign
    blocked_why = models.TextField(blank=True)
    block_sent_at = models.DateTimeField(null=True)  # when the marketplace was told; None: it knows of no block
    is_demo = models.BooleanField(default=False, editable=False)  # goes with `manage.py demo --remove`

    class Meta:
        constraints = [models.UniqueConstraint(fields=["provider", "external_id"], name="worker_once_per_provider")]
        permissions = [("view_external_id", "Can see how a provider calls a worker")]

    def __str__(self) -> str:
        return f"worker {self.pk}"

    @property
    def is_simulated(self) -> bool:
        """Software writes their answers: they are never counted as people, and nothing is owed to them.

        Somebody who signs in with an account of the demo is a person.
        """
        return self.provider in SIMULATED_PROVIDERS


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
    """One worker in one campaign. `secret` is their only key: anyone with the address can act as them."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="participations")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="participations")
    number = models.PositiveIntegerField()  # in the order of joining, from 1; never given again
    secret = models.CharField(max_length=32, unique=True, default=new_secret)
    invite = models.ForeignKey(Invite, null=True, on_delete=models.SET_NULL, related_name="participations")
    arrival = models.JSONField(default=dict)  # what the provider sent along; {} = no provider sent them
    visits = models.PositiveIntegerField(default=1)  # sessions at the provider; 1 for everybody else
    joined_at = models.DateTimeField(default=now)
    consented_at = models.DateTimeField(null=True)
    signals_agreed = models.BooleanField(default=False)
    instructed_at = models.DateTimeField(null=True)  # has seen the instructions
    practised = models.PositiveSmallIntegerField(default=0)
    quiz_tries = models.PositiveSmallIntegerField(default=0)
    quiz_score = models.PositiveSmallIntegerField(null=True)
    quiz_chosen = models.JSONField(default=dict)  # question → choice in the last try
    quiz_passed_at = models.DateTimeField(null=True)
    given = models.PositiveIntegerField(default=0)  # tasks given out, gold included
    answered = models.PositiveIntegerField(default=0)
    imported = models.PositiveIntegerField(default=0)  # of those answered: given and paid elsewhere
    corrections = models.PositiveIntegerField(default=0)  # how often they corrected an answer of theirs
    gold_seen = models.PositiveIntegerField(default=0)
    gold_right = models.PositiveIntegerField(default=0)
    gold_points = models.PositiveBigIntegerField(default=0)  # their scores together, in millionths (quality/trust.py)
    trust_from = models.PositiveIntegerField(default=0)  # judged check tasks from which a limit acts on them again
    stopped_at = models.DateTimeField(null=True)  # below the limit of trust: no more tasks; all that is done counts
    active_ms = models.PositiveBigIntegerField(default=0)
    earned = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    paid = models.DecimalField(max_digits=10, decimal_places=2, default=0)  # their payments that are not cancelled
    last_seen_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True)
    completion = models.CharField(max_length=20, blank=True)  # how the visit ended, as their provider was told
    excluded_at = models.DateTimeField(null=True)  # not counted; paid all the same
    excluded_why = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True)
    kept_out_at = models.DateTimeField(null=True)  # their marketplace was told to offer them nothing more

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "worker"], name="participation_once"),
            models.UniqueConstraint(fields=["campaign", "number"], name="participation_number"),
        ]
        indexes = [
            models.Index(fields=["campaign", "excluded_at"], name="participation_excluded"),
            # With all that lists and totals add up or sort by, so that 100,000 people are read from the index alone.
            models.Index(
                fields=["campaign", "worker", "earned", "paid", "answered", "active_ms", "withdrawn_at", "imported"],
                name="participation_sums",
            ),
        ]

    def __str__(self) -> str:
        return f"worker {self.worker_id} in campaign {self.campaign_id}"

    @property
    def name(self) -> str:
        """Their name on the application's pages; files have a pseudonym instead."""
        return f"Participant {self.number}"


class TrustStop(models.Model):
    """That somebody got no more tasks because of trust, with its evidence; undone by a person, or by better gold."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="stops")
    made_at = models.DateTimeField(default=now)
    points = models.PositiveBigIntegerField()
    tests = models.PositiveIntegerField()
    percent = models.PositiveSmallIntegerField()  # the limit
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    undone_why = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["participation"], condition=Q(undone_at=None), name="one_open_stop")
        ]

    def __str__(self) -> str:
        return f"stop {self.pk} of participation {self.participation_id}"

    @property
    def evidence(self) -> str:
        return f"{Trust(self.points, self.tests).in_words}, below the limit of {self.percent}%."


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
