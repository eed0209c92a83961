"""Postings on a marketplace follow the campaign: as many places as answers are missing while it runs, none otherwise.

Each function may be repeated: it looks at what is there and does what is missing. Only jobs that hold the campaign's
lock call the marketplace, and never in a transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from annotation.models import (
    USED,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    Placement,
    Posting,
    PostingState,
    Task,
)
from annotation.providers.base import Doubtful, Market, NotSent, PostingTerms, Refused
from annotation.qualifications import qualifications
from annotation.services.market import ledger, marketplaces
from annotation.services.market.calls import ROUNDS, Done, Report, sent
from kernel.clock import now

# ---- What is missing


def places_left(campaign: Campaign) -> Counter[int]:
    """Return the number of people each task's postings can still take, by task."""
    rows = Posting.objects.filter(campaign=campaign, state__in=(PostingState.OPEN, PostingState.PLANNED))
    left: Counter[int] = Counter()
    used = Counter(Placement.objects.filter(posting__in=rows, state__in=USED).values_list("posting_id", flat=True))
    moment = now()
    for posting in rows:
        if posting.expires_at is None or posting.expires_at > moment:
            left[posting.task_id] += max(0, posting.places - posting.released - used[posting.pk])
    return left


def undecided(campaign: Campaign) -> Counter[int]:
    """Return by task how many answers count no more since somebody last decided to spend: their authors were excluded.

    Nobody has decided yet to pay other people for them, not even if the author has withdrawn after that.
    """
    if campaign.spend_at is None:
        return Counter()
    answered = (AssignmentStatus.SUBMITTED, AssignmentStatus.WITHDRAWN)
    rows = Assignment.objects.filter(campaign=campaign, status__in=answered, task__is_gold=False)
    return Counter(rows.filter(participation__excluded_at__gt=campaign.spend_at).values_list("task_id", flat=True))


def decided(campaign: Campaign, most: int) -> list[tuple[Task, int]]:
    """Return of what is missing only what somebody has decided to pay for."""
    if campaign.spend_at is None:
        return []
    waiting = undecided(campaign)
    rows = ((task, number - waiting[task.pk]) for task, number in missing(campaign, most))
    return [(task, number) for task, number in rows if number > 0]


def missing(campaign: Campaign, most: int) -> list[tuple[Task, int]]:
    """Return the tasks that need further places, with how many. Gold is renewed whole as soon as it runs out."""
    left = places_left(campaign)
    tasks = campaign.tasks.exclude(is_gold=True, gold__isnull=True)  # withdrawn check tasks are offered to nobody
    tasks = tasks.only("pk", "slots", "answers", "is_gold", "campaign_id").order_by("position")
    wanted = ((task, most if task.is_gold and not left[task.pk] else task.slots - task.answers - left[task.pk])
              for task in tasks)  # fmt: skip
    return [(task, number) for task, number in wanted if number > 0 and (not task.is_gold or not left[task.pk])]


def price_cents(campaign: Campaign) -> tuple[int, int, int]:
    """Return how many places publishing now would add, and their rewards and fees."""
    most = marketplaces.provider_of(campaign).most_places
    places = sum(number for _, number in missing(campaign, most))
    reward, fee = marketplaces.unit_cents(campaign)
    return places, places * reward, places * fee


def hits_missing(campaign: Campaign) -> int:
    """Return how many postings publishing now would add."""
    most = marketplaces.provider_of(campaign).most_places
    return sum(len([*_portions(number, most)]) for _, number in missing(campaign, most))


# ---- Publishing


def publish(campaign: Campaign, market: Market, done: Done, *, report: Report) -> None:
    """Offer what is missing and decided, and ask about calls whose outcome nobody knows. Stops at the budget."""
    reopen(campaign, market, done)
    try:
        plan_postings(campaign)
    except ledger.OverBudget as error:
        done.note(error)
    entries = _open_entries(campaign)
    total = entries.count()
    for _ in range(ROUNDS):
        done.waiting = 0
        for number, entry in enumerate(list(entries), 1):
            _publish_one(campaign, market, entry, done)
            report(min(number, total), total, f"{done.published} published")
            if done.is_refused:  # the others would be as well: they wait for the next job
                return
        if not done.waiting:
            return


def plan_postings(campaign: Campaign) -> None:
    """Reserve the money for every place that is decided and store the postings; raise OverBudget where it ends."""
    most = marketplaces.provider_of(campaign).most_places
    for task, wanted in decided(campaign, most):
        for places in _portions(wanted, most):
            reward, fee = marketplaces.unit_cents(campaign, places)
            with transaction.atomic():
                posting = Posting.objects.create(campaign=campaign, task=task, places=places)
                details: dict[str, Any] = {"token": f"posting-{posting.key}", "posting": posting}
                details["by"] = campaign.spend_by
                ledger.plan(campaign, LedgerKind.POSTING, reward * places, fee * places, **details)


def _portions(wanted: int, most: int) -> Iterable[int]:
    while wanted > 0:
        yield min(wanted, most)
        wanted -= most


def _open_entries(campaign: Campaign) -> Any:
    rows = LedgerEntry.objects.filter(campaign=campaign, kind=LedgerKind.POSTING, posting__state=PostingState.PLANNED)
    return rows.filter(state__in=(LedgerState.PLANNED, LedgerState.DOUBTFUL)).select_related("posting").order_by("pk")


def terms_of(campaign: Campaign, posting: Posting) -> PostingTerms:
    address = settings.PUBLIC_URL + reverse("work-arrive", args=[campaign.slug])
    return PostingTerms(
        title=campaign.name,
        description="",
        url=f"{address}?posting={posting.key}",
        reward=campaign.reward,
        places=posting.places,
        seconds=campaign.time_limit_s,
        key=posting.key,
        campaign=campaign.slug,
        grants=tuple(str(key) for key in qualifications(campaign.qualifications).grant),
    )


def _publish_one(campaign: Campaign, market: Market, entry: LedgerEntry, done: Done) -> None:
    provider, posting = marketplaces.provider_of(campaign), Posting.objects.get(ledger=entry)
    rows = Posting.objects.filter(pk=posting.pk)
    is_asked = entry.state == LedgerState.DOUBTFUL and not ledger.token_is_alive(entry)
    try:
        external_id = market.find(posting.key) if is_asked else ""
        if not external_id:
            if not ledger.begin(entry):
                return
            external_id = market.publish(terms_of(campaign, posting), token=entry.token)
    except Refused as error:
        with transaction.atomic():
            rows.update(state=PostingState.REFUSED)
            ledger.refuse(entry, str(error))
        done.note(error)
        done.is_refused = True
    except (NotSent, Doubtful) as error:
        ledger.postpone(entry, error)
        done.waiting += 1
    else:
        until = now() + timedelta(seconds=provider.lifetime_s(campaign.provider_settings))
        with transaction.atomic():
            rows.update(external_id=external_id, state=PostingState.OPEN, expires_at=until)
            ledger.finish(entry, external_id)
        done.published += 1


# ---- Expiring and opening again


def expire(campaign: Campaign, market: Market, done: Done) -> None:
    """Let nobody new in. People who have accepted can still finish."""
    rows = campaign.postings.filter(state=PostingState.OPEN)
    for posting in list(rows):
        if sent(done, market.close, posting.external_id):
            rows.filter(pk=posting.pk).update(state=PostingState.EXPIRED, expires_at=now())
            done.expired += 1


def reopen(campaign: Campaign, market: Market, done: Done) -> None:
    """Offer expired postings again as far as answers of their tasks are missing."""
    provider, moment = marketplaces.provider_of(campaign), now()
    lapsed = campaign.postings.filter(state__in=(PostingState.EXPIRED, PostingState.OPEN), expires_at__lte=moment)
    wanted = Counter({task.pk: number for task, number in decided(campaign, provider.most_places)})
    until = moment + timedelta(seconds=provider.lifetime_s(campaign.provider_settings))
    for posting in lapsed.exclude(external_id="").select_related("campaign"):
        used = posting.placements.filter(state__in=USED).count()
        if wanted[posting.task_id] <= 0 or posting.places <= used:
            continue
        try:
            _reserve_again(campaign, posting)
            market.reopen(posting.external_id, until)
        except (Refused, NotSent, Doubtful, ledger.OverBudget) as error:
            done.note(error)
            continue
        Posting.objects.filter(pk=posting.pk).update(state=PostingState.OPEN, expires_at=until)
        wanted[posting.task_id] -= posting.places - used
        done.reopened += 1


@transaction.atomic
def _reserve_again(campaign: Campaign, posting: Posting) -> None:
    if not posting.released:
        return
    reward, fee = marketplaces.unit_cents(campaign, posting.places)
    token = f"reopen-{posting.key}-{posting.ledger.count()}"
    details: dict[str, Any] = {"token": token, "posting": posting, "reason": "opened again", "by": campaign.spend_by}
    entry = ledger.plan(campaign, LedgerKind.POSTING, reward * posting.released, fee * posting.released, **details)
    ledger.finish(entry)
    Posting.objects.filter(pk=posting.pk).update(released=0)


def apply_changes(campaign: Campaign, market: Market, *, report: Report) -> Done:
    """Make the marketplace's postings follow the campaign's state, and keep excluded people out."""
    done = Done()
    if campaign.status == CampaignStatus.RUNNING:
        publish(campaign, market, done, report=report)
    else:
        for entry in _open_entries(campaign).filter(state=LedgerState.DOUBTFUL):
            _publish_one(campaign, market, entry, done)  # it may be there
        expire(campaign, market, done)
    keep_out(campaign, market, done)
    return done


def keep_out(campaign: Campaign, market: Market, done: Done) -> None:
    """Let the marketplace offer nothing more to people who are excluded, stopped or failed the quiz, while they are."""
    is_out = Q(excluded_at__isnull=False) | Q(stopped_at__isnull=False)
    if campaign.quiz_pass > 0:
        is_out |= Q(quiz_passed_at=None, quiz_tries__gt=1)
    here = campaign.participations.filter(withdrawn_at=None, worker__provider=marketplaces.worker_provider(campaign))
    changes = (
        (here.filter(is_out, kept_out_at=None), market.keep_out, True),
        (here.filter(kept_out_at__isnull=False).exclude(is_out), market.let_in, False),
    )
    for people, tell, is_kept_out in changes:
        for person in people.select_related("worker"):
            try:
                tell(campaign.slug, person.worker.external_id)
            except (Refused, NotSent, Doubtful) as error:
                done.note(error)
            else:
                campaign.participations.filter(pk=person.pk).update(kept_out_at=now() if is_kept_out else None)
