"""Running the worker filters: on request, and by themselves while a campaign is open.

The scheduler asks every few seconds which campaigns are due.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, Sum

from annotation.models import Campaign, CampaignStatus, Participation, WorkerVerdict
from annotation.quality.worker_filters import look_at_workers
from annotation.selectors.cleaned import CleanedRow
from annotation.selectors.participants import worker_records
from annotation.task_types import type_of
from kernel.clock import now
from kernel.errors import WrongState
from kernel.models import OPEN_STATUSES, Job, User
from kernel.services import jobs as job_services

NEW_ANSWERS = 50  # this number of new answers makes a check due at once
LONGEST_WAIT = timedelta(hours=1)  # a single new answer makes it due after this time
SHORTEST_WAIT = timedelta(minutes=10)  # between the starts of two checks
KIND = "look_at_people"


def lock_of(campaign: Campaign) -> str:
    """Return the lock that keeps a campaign from being checked twice at a time. Other jobs of it may run beside."""
    return f"check people of campaign {campaign.pk}"


def start(campaign: Campaign, *, by: User | None) -> Job:
    """Queue the job that checks a campaign's people; refused while one is open."""
    parameters = {"campaign": campaign.pk}
    return job_services.create_job(KIND, subject=str(campaign), parameters=parameters, by=by, lock=lock_of(campaign))


def open_job(campaign: Campaign) -> Job | None:
    return Job.objects.filter(lock=lock_of(campaign), status__in=OPEN_STATUSES).first()


def start_due() -> list[Job]:
    """Queue a check of every open campaign that is due for one; return the jobs, to be nudged."""
    moment, started = now(), []
    for campaign in _rested(moment):
        if is_due(campaign, moment) and not _was_tried_lately(campaign, moment):
            with suppress(WrongState):  # one is at work
                started.append(start(campaign, by=None))
    return started


def _rested(moment: datetime) -> list[Campaign]:
    """Return the open campaigns whose last check is long enough ago. The demo's are first checked when it is made."""
    is_open = Q(status__in=(CampaignStatus.RUNNING, CampaignStatus.PAUSED))
    is_rested = Q(people_checked_at=None, is_demo=False) | Q(people_checked_at__lte=moment - SHORTEST_WAIT)
    return [*Campaign.objects.filter(is_open & is_rested).order_by("pk")]


def is_due(campaign: Campaign, moment: datetime) -> bool:
    """Tell whether enough answers came since the last check, or some and an hour has passed."""
    new = answers_given(campaign) - campaign.people_checked_answers
    since = campaign.people_checked_at or campaign.started_at or campaign.created_at
    return new >= NEW_ANSWERS or (new > 0 and moment - since >= LONGEST_WAIT)


def answers_given(campaign: Campaign) -> int:
    """Return how many answers people have given so far; a withdrawal does not change it."""
    return int(campaign.participations.aggregate(number=Sum("answered"))["number"] or 0)


def _was_tried_lately(campaign: Campaign, moment: datetime) -> bool:
    """Tell whether a check was started lately, whatever became of it: one that fails is not repeated at once."""
    return Job.objects.filter(kind=KIND, lock=lock_of(campaign), created_at__gt=moment - SHORTEST_WAIT).exists()


def look_at_people(campaign: Campaign, rows: Iterable[CleanedRow] | None = None) -> int:
    """Run every worker filter, replace the stored concerns and return how many there are now.

    `rows` are the cleaned answers, late ones too, if the caller has them already.
    """
    answers, moment = answers_given(campaign), now()  # before they are read
    filters = type_of(campaign).worker_filters
    concerns = look_at_workers(worker_records(campaign, rows), filters)
    with transaction.atomic():
        here = lock_people(campaign)
        concerns = tuple(concern for concern in concerns if int(concern.worker) in here)
        WorkerVerdict.objects.filter(participation__campaign=campaign).delete()
        WorkerVerdict.objects.bulk_create(
            WorkerVerdict(
                participation_id=int(concern.worker),
                filter=concern.filter,
                level=concern.level.value,
                evidence=concern.evidence,
                numbers=dict(concern.numbers),
                made_at=moment,
            )
            for concern in concerns
        )
    # Outside the transaction: a process that has locked people must not wait for a campaign.
    Campaign.objects.filter(pk=campaign.pk).update(people_checked_at=moment, people_checked_answers=answers)
    return len(concerns)


def lock_people(campaign: Campaign) -> set[int]:
    """Lock the participations, so that nobody withdraws meanwhile; return the ids that have not withdrawn."""
    rows = Participation.objects.filter(campaign=campaign, withdrawn_at=None).order_by("pk")
    return set(rows.select_for_update(no_key=True).values_list("pk", flat=True))
