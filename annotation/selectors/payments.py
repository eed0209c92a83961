"""What a campaign's people are owed and were paid. Simulated participants and imported answers earn nothing here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, FloatField, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce, Round

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    Payment,
    PaymentDetail,
)
from annotation.models.participants import INVITE
from annotation.pricing import money
from annotation.providers import PROVIDERS
from annotation.providers.base import Outcome
from annotation.selectors.participants import ENDED, LARGE, late_answers, pseudonym_of
from annotation.selectors.progress import people_in
from kernel.values import batches

COLUMNS = (
    "reference", "provider", "participant", "visits", "visit_ended", "answers", "late_to_decide", "currency", "earned",
    "paid", "owed", "last_paid_on", "marked_by",
)  # fmt: skip
CHUNK = 500  # people whose payments are read together


def late_decided(campaign: Campaign) -> QuerySet[Assignment]:
    """Return the late answers that were declined or only paid, latest decision first: it can still be changed."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.LATE).exclude(late_decision=None)
    rows = rows.select_related("annotation", "task", "participation__worker", "late_decision__decided_by")
    return rows.order_by("-late_decision__decided_at", "-pk")


def owed_to(person: Participation) -> Decimal:
    """Return what one person has earned and has not been paid."""
    return money(Decimal(person.earned) - Decimal(person.paid))


def may_leave_detail(person: Participation) -> bool:
    """Return whether this person can say how they want to be paid: invited people, until they withdraw fully paid."""
    return person.worker.provider == INVITE and (person.withdrawn_at is None or owed_to(person) > 0)


SORTS = ("number", "answered", "earned", "owed")
HALF_A_CENT = Decimal("0.005")  # SQLite subtracts sums of money as floating-point numbers
SHOW = ("due", "paid", "late")


@dataclass(frozen=True)
class PayFilters:
    """Which people the payments page is asked for; "" = everybody, most owed first."""

    show: str = ""
    sort: str = ""  # a column, with "-" before it the largest first

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> PayFilters:
        """Return the filters in a query string; unknown values are ignored."""
        show, sort = query.get("show", ""), query.get("sort", "")
        return cls(show if show in SHOW else "", sort if sort.removeprefix("-") in SORTS else "")


def filter_of(campaign: Campaign, show: str) -> Q:
    """Return the condition of a filter of the page; "" lets everybody through."""
    late = Q(pk__in=late_answers(campaign).values("participation"))
    return {"due": Q(earned__gte=F("paid") + HALF_A_CENT), "paid": Q(paid__gt=0), "late": late, "": Q()}[show]


def people_on_page(campaign: Campaign) -> QuerySet[Participation]:
    """Return everybody who earned something, was paid something or has a late answer, but simulated people."""
    return people_in(campaign).filter(Q(earned__gt=0) | ~Q(paid=0) | filter_of(campaign, "late"))


def people_to_pay(campaign: Campaign, filters: PayFilters | None = None) -> QuerySet[Participation]:
    """Return the people on the page whom the filters let through, with what they are owed."""
    filters = filters or PayFilters()
    late_of = late_answers(campaign).filter(participation=OuterRef("pk")).order_by().values("participation")
    late = Coalesce(Subquery(late_of.annotate(n=Count("pk")).values("n")), 0)
    owed = F("earned") - F("paid")
    cents = Cast(Round(owed * 100, output_field=FloatField()), IntegerField())  # equal sums stay equal on SQLite
    rows = people_on_page(campaign).annotate(late=late, owed=owed, cents=cents)
    rows = (
        rows.filter(filter_of(campaign, filters.show))
        .select_related("campaign", "worker__user", "invite")
        .defer(*LARGE)
    )
    return rows.order_by((filters.sort or "-owed").replace("owed", "cents"), "pk")


@dataclass(frozen=True)
class PayRow:
    """What the payments page shows of one person."""

    person: Participation
    participant: str  # their id at the provider, or their user name here
    paid: Decimal
    owed: Decimal
    late: int
    payments: tuple[Payment, ...]  # valid ones, latest first

    @property
    def on_marketplace(self) -> tuple[int, Decimal]:
        """The number and the sum of the payments that nobody marked by hand."""
        amounts = [Decimal(payment.amount) for payment in self.payments if not payment.marked_by_id]
        return len(amounts), money(sum(amounts, Decimal(0)))

    @property
    def ended(self) -> str:
        return ENDED.get(Outcome(self.person.completion), "") if self.person.completion else ""


def pay_rows(people: Iterable[Any]) -> list[PayRow]:
    """Return the rows of these people, who come from `people_to_pay`."""
    people = list(people)
    made: dict[int, list[Payment]] = {}
    valid = Payment.objects.filter(participation__in=[person.pk for person in people], cancelled_at=None)
    for payment in valid.select_related("marked_by").order_by("-paid_on", "-pk"):
        made.setdefault(payment.participation_id, []).append(payment)
    return [
        PayRow(
            person=person,
            participant=participant_id(person),
            paid=money(Decimal(person.paid)),
            owed=money(Decimal(person.owed)),
            late=person.late,
            payments=tuple(made.get(person.pk, ())),
        )
        for person in people
    ]


def participant_id(person: Participation) -> str:
    """Return the id by which the payer finds this person; "" if there is none."""
    if person.withdrawn_at or person.worker.provider == INVITE:
        return ""
    worker = person.worker
    if worker.user:
        return worker.user.username
    is_known = worker.provider in PROVIDERS
    return PROVIDERS[worker.provider].participant_id(worker.external_id) if is_known else worker.external_id


def details_of(rows: list[PayRow]) -> dict[int, str]:
    """Return the payment details of these people, for the payments page alone."""
    details = PaymentDetail.objects.filter(participation__in=[row.person.pk for row in rows])
    return dict(details.values_list("participation_id", "text"))


def details_to_erase(deadline: datetime) -> QuerySet[PaymentDetail]:
    """Return the details of people who are owed nothing and were last paid before the deadline.

    Of people who were never paid: details saved before the deadline in a campaign that is closed.
    """
    valid = Q(participation__payments__cancelled_at=None)
    rows = PaymentDetail.objects.annotate(last=Max("participation__payments__paid_on", filter=valid))
    settled = rows.filter(participation__earned__lte=F("participation__paid"))
    paid = Q(last__lt=deadline.date())
    unpaid = Q(last=None, saved_at__lt=deadline, participation__campaign__status=CampaignStatus.CLOSED)
    return PaymentDetail.objects.filter(pk__in=settled.filter(paid | unpaid).values("pk"))


# ---- As a file


def cells(campaign: Campaign, filters: PayFilters) -> Iterator[list[object]]:
    """Yield the lines of a file about the people whom the filters let through, without payment details."""
    for some in batches(people_to_pay(campaign, filters).iterator(chunk_size=CHUNK), CHUNK):
        for row in pay_rows(some):
            yield _cells(campaign, row)


def _cells(campaign: Campaign, row: PayRow) -> list[object]:
    last = row.payments[0] if row.payments else None
    return [
        row.person.pk,
        row.person.worker.provider,
        "withdrew" if row.person.withdrawn_at else row.participant or pseudonym_of(campaign, row.person.worker),
        row.person.visits,
        row.ended,
        row.person.answered,
        row.late,
        campaign.currency,
        money(Decimal(row.person.earned)),
        row.paid,
        row.owed,
        last.paid_on.isoformat() if last else "",
        last.marked_by.username if last and last.marked_by else "",
    ]
