"""The people of a campaign and their work: for their pages, the worker filters and exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    FloatField,
    OrderBy,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    ProblemReport,
    Task,
    Worker,
    WorkerVerdict,
    simulated,
)
from annotation.models.participants import INVITE
from annotation.pricing import hourly_wage, money
from annotation.providers import PROVIDERS, RESULT_FORMATS
from annotation.providers.base import Outcome
from annotation.pseudonyms import pseudonym
from annotation.qualifications import qualifications
from annotation.quality.agreement import HitRate
from annotation.quality.habits import beside_others
from annotation.quality.trust import Trust, trust_of
from annotation.quality.worker_filters import Work, WorkerRecord, shares_agreeing
from annotation.selectors.annotators import stage
from annotation.selectors.cleaned import CleanedRow, cleaned_rows
from annotation.selectors.grants import workers_with
from annotation.selectors.open_work import is_answered
from annotation.selectors.progress import ACTIVE, reports_of
from annotation.stages import Stage
from annotation.task_types import type_of
from annotation.task_types.registry import DESCRIBED
from corpus.items import ITEM_KINDS
from corpus.items.base import ItemKind
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.values import batches

BATCH = 500  # tasks whose passages are read together
LARGE = ("campaign__lessons", "campaign__task_settings")  # of each person's campaign; lists do not need them
MOST_AT_ONCE = 200  # people about whom one decision is made


def pseudonym_of(campaign: Campaign, worker: Worker) -> str:
    """Return a person's name in this campaign's files; it differs from campaign to campaign."""
    return pseudonym(f"{worker.provider} {worker.external_id}", scope=campaign.slug, key=settings.SECRET_KEY)


@dataclass(frozen=True)
class ShownParticipation:
    """One participation as a page shows it."""

    row: Participation
    pseudonym: str  # in files
    wage: Decimal | None
    seconds: float | None  # active time for one answer, on average
    verdicts: tuple[Any, ...]
    is_over: bool = False  # the campaign is closed, or all its tasks are answered

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def state(self) -> str:
        """How far this person got, in a few words."""
        row = self.row
        if row.withdrawn_at:
            return f"withdrew · reference {row.pk}"
        if row.excluded_at:
            return "excluded"
        if row.stopped_at:
            return "stopped: trust below the limit"
        if row.answered and not row.consented_at:
            return "answered elsewhere"
        if before := BEFORE_THE_TASKS.get(stage(row)):
            return before
        if row.completion:
            return ENDED.get(Outcome(row.completion), "")
        most = row.campaign.per_person
        is_done = row.finished_at or (most and row.answered >= most) or (self.is_over and row.answered)
        return "finished" if is_done else "joined, answered nothing" if self.is_over else "not finished yet"

    @property
    def door(self) -> str:
        """How they came in."""
        invite, provider = self.row.invite, self.row.worker.provider
        if invite:
            return f"by the link for {invite.label}"
        if self.row.imported and provider in RESULT_FORMATS:
            return RESULT_FORMATS[provider].came
        return PROVIDERS[provider].came if provider in PROVIDERS else CAME.get(provider, "")

    @property
    def external_id(self) -> str:
        """Their id at the provider; "" if they are our own people."""
        provider = self.row.worker.provider
        is_ours = provider == INVITE or (provider in PROVIDERS and PROVIDERS[provider].takes_own_people)
        return "" if is_ours else self.row.worker.external_id

    @property
    def is_simulated(self) -> bool:
        return self.row.worker.is_simulated

    @property
    def stopped_because(self) -> str:
        """The evidence with which they got no more tasks; "" if they may go on."""
        return next((stop.evidence for stop in self.row.stops.all() if not stop.undone_at), "")

    @property
    def trust(self) -> Trust | None:
        return trust_of(self.row.gold_points, self.row.gold_seen)


CAME = {
    INVITE: "by a link",
    "simulation": "as a simulated participant",
    "demo": "as a simulated participant of the demo",
}
ENDED = {
    Outcome.COMPLETED: "completed",
    Outcome.SCREENED_OUT: "screened out: no task for them",
    Outcome.EXCLUDED: "excluded",
    Outcome.LEFT_EARLY: "stopped early",
    Outcome.NO_CONSENT: "did not agree",
}
BEFORE_THE_TASKS = {
    Stage.CONSENT: "has not agreed yet",
    Stage.INSTRUCTIONS: "reads the instructions",
    Stage.PRACTICE: "practises",
    Stage.QUIZ: "takes the quiz",
    Stage.SCREENED_OUT: "failed the quiz",
}


SORTS = {"number": "number", "answers": "answered", "time": "pace", "trust": "trust", "earned": "earned"}


def participations(campaign: Campaign, *, show: str = "", sort: str = "", number: int = 0) -> QuerySet[Participation]:
    """Return a campaign's people: most warnings first, the excluded last; or by one of `SORTS` ("-": largest first).

    `show`: all, only those "seen" by a quality check, "working" now, "stopped" or "excluded". `number`: this one alone.
    """
    rows = Participation.objects.filter(campaign=campaign).select_related("campaign", "worker", "invite")
    rows = rows.defer(*LARGE).prefetch_related("verdicts", "stops")
    if number:
        rows = rows.filter(number=number)
    if show == "seen":
        rows = rows.filter(pk__in=_warned_people(), excluded_at=None)
    elif show == "working":
        in_hand = Assignment.objects.filter(participation=OuterRef("pk"), status=AssignmentStatus.TAKEN)
        rows = rows.filter(Exists(in_hand), last_seen_at__gte=now() - ACTIVE)
    elif show == "stopped":
        rows = rows.filter(stopped_at__isnull=False, withdrawn_at=None)
    elif show == "excluded":
        rows = rows.exclude(excluded_at=None)
    if column := SORTS.get(sort.removeprefix("-")):
        if column == "trust":
            rows = rows.annotate(
                trust=Cast(F("gold_points"), FloatField()) / NullIf(Cast("gold_seen", FloatField()), 0.0)
            )
        elif column == "pace":
            rows = rows.annotate(pace=F("active_ms") / NullIf(Cast(F("answered"), FloatField()), 0.0))
        return rows.order_by(OrderBy(F(column), descending=sort.startswith("-"), nulls_last=True), "pk")
    return rows.annotate(rank=_rank()).order_by("-rank", "id")


def _warned_people() -> QuerySet[Any]:
    """Return the keys of people with a warning: read once, where a look at each person would take thrice as long."""
    return WorkerVerdict.objects.order_by().values("participation")


def _rank() -> CombinedExpression:
    """Return one number to sort by: the excluded last, then by warnings, then by answers.

    One strong warning weighs more than any number of others. Sorting 100,000 people by three columns takes a fifth
    longer, and so does adding up the warnings of those who have none.
    """
    of_one = _warned_people().filter(participation=OuterRef("pk"))
    weights = of_one.annotate(weight=Sum(Case(When(level="strong", then=1001), default=1))).values("weight")
    warned = When(pk__in=_warned_people(), then=Subquery(weights))
    counts = Case(When(excluded_at=None, then=10**12), default=0, output_field=BigIntegerField())
    return counts + Case(warned, default=0, output_field=BigIntegerField()) * 10**6 + F("answered")


def totals(rows: QuerySet[Participation]) -> dict[str, Any]:
    """Return the answers of these people, and what those who are paid earned."""
    sums = rows.order_by().aggregate(answers=Sum("answered"), earned=Sum("earned"))
    invented = rows.order_by().filter(simulated("worker")).aggregate(earned=Sum("earned"))
    return {
        "answers": sums["answers"] or 0,
        "earned": money((sums["earned"] or 0) - (invented["earned"] or Decimal(0))),
    }


def warned(campaign: Campaign) -> int:
    """Return how many people who are not excluded a quality check has seen."""
    return participations(campaign, show="seen").count()


COLUMNS = (
    "annotator", "state", "answers", "seconds_per_answer", "checks_right", "checks_seen", "trust",
    "trust_low", "trust_high", "currency", "earned",
    "hourly_wage", "warnings", "stopped_because", "excluded_because", "is_simulated", "joined_at", "last_seen_at",
)  # fmt: skip


def cells(campaign: Campaign, rows: QuerySet[Participation]) -> Iterator[list[object]]:
    """Yield the lines of a file about these people, under the names that they have in every file of this campaign."""
    is_over = has_no_task_left(campaign)
    for row in rows.iterator(chunk_size=BATCH):
        person = person_of(campaign, row, is_over=is_over)
        seconds = None if person.seconds is None else round(person.seconds, 1)
        warnings = " | ".join(verdict.evidence for verdict in person.verdicts)
        trust = person.trust
        trusted = [None] * 3 if trust is None else [round(part, 4) for part in (trust.share, trust.low, trust.high)]
        yield [
            person.pseudonym, person.state, row.answered, seconds, row.gold_right, row.gold_seen, *trusted,
            campaign.currency,
            None if person.is_simulated else row.earned, person.wage, warnings,
            person.stopped_because, row.excluded_why,
            str(person.is_simulated).lower(), row.joined_at.isoformat(),
            row.last_seen_at.isoformat() if row.last_seen_at else "",
        ]  # fmt: skip


CAN_BE = {
    "exclude": Q(excluded_at=None),
    "include": Q(excluded_at__isnull=False),
    "go-on": Q(stopped_at__isnull=False),
    "block": Q(worker__blocked_at=None),
    "unblock": Q(worker__blocked_at__isnull=False),
}


def to_decide(campaign: Campaign, ids: Iterable[int], action: str) -> list[Participation]:
    """Return those of these people about whom this can be decided: nobody who has withdrawn."""
    rows = Participation.objects.filter(campaign=campaign, pk__in=list(ids)[:MOST_AT_ONCE], withdrawn_at=None)
    return [*rows.filter(CAN_BE[action]).order_by("number")]


def has_no_task_left(campaign: Campaign) -> bool:
    """Return whether the campaign has no task left to give: it is closed, or everything is answered."""
    return campaign.status == CampaignStatus.CLOSED or is_answered(campaign)


def person_of(campaign: Campaign, row: Participation, *, is_over: bool = False) -> ShownParticipation:
    is_known = row.answered and not row.withdrawn_at  # withdrawal erases the time
    seconds = row.active_ms / 1000 / row.answered if is_known else None
    verdicts = sorted(row.verdicts.all(), key=lambda verdict: (verdict.level != "strong", verdict.filter))
    is_paid_here = seconds is not None and not row.worker.is_simulated and not row.imported
    wage = hourly_wage(row.earned / row.answered, seconds) if is_paid_here else None
    return ShownParticipation(row, pseudonym_of(campaign, row.worker), wage, seconds, tuple(verdicts), is_over)


def answers_of(row: Participation) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(assignment__participation=row).select_related("assignment__task")
    return rows.order_by("-id")


def people_who_meet(requirements: Mapping[str, Any], provider: str) -> int | None:
    """Return how many people who came from this provider before meet a campaign's qualifications; None: all do."""
    try:
        asked = qualifications(requirements)
    except InvalidInput:
        return None
    if asked.asks_nothing:
        return None
    theirs = Participation.objects.filter(worker=OuterRef("pk"), withdrawn_at=None)
    doors = [provider, INVITE] if PROVIDERS[provider].takes_own_people else [provider]
    known = Worker.objects.filter(Exists(theirs), provider__in=doors, is_demo=False)
    if asked.min_answers:
        of_worker = Participation.objects.filter(withdrawn_at=None).values("worker").annotate(sum=Sum("answered"))
        known = known.filter(pk__in=of_worker.filter(sum__gte=asked.min_answers).values("worker"))
    if asked.took_part_in:
        known = known.filter(Exists(theirs.filter(campaign__in=asked.took_part_in, answered__gt=0)))
    if asked.grant:
        known = known.filter(workers_with(asked.grant))
    return known.exclude(Exists(theirs.filter(campaign__in=asked.not_in, given__gt=0))).count()


def late_answers(campaign: Campaign) -> QuerySet[Assignment]:
    """Return the late answers that are still to be decided, oldest first."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.LATE, late_decision=None)
    return rows.select_related("annotation", "task", "participation__worker").order_by("ended_at", "pk")


def late_rows(campaign: Campaign, turns: Iterable[Assignment]) -> list[tuple[Assignment, str]]:
    """Return each late answer with its text."""
    summary = type_of(campaign).summary
    return [(turn, summary(turn.task.question, turn.annotation.answer)) for turn in turns]


def reports(campaign: Campaign) -> QuerySet[ProblemReport]:
    """Return the problems that people reported with texts, open ones first."""
    rows = reports_of([campaign]).select_related("assignment__task", "assignment__participation__worker", "settled_by")
    return rows.order_by(F("settled_at").asc(nulls_first=True), "id")


# ---- Records for the worker filters ---------------------------------------------------------------


def worker_records(campaign: Campaign, rows: Iterable[CleanedRow] | None = None) -> list[WorkerRecord]:
    """Return each person's record, named by the id of their participation; reads every answer once.

    `rows` are the campaign's cleaned answers, task by task and late ones too, if the caller has them already.
    """
    work: dict[int, list[Work]] = {}
    type_ = type_of(campaign)
    rows = cleaned_rows(campaign, late=True) if rows is None else rows
    tasks = ((task_id, list(group)) for task_id, group in groupby(rows, key=lambda row: row.task))
    for batch in batches(tasks, BATCH):
        passages = _passages([task_id for task_id, _ in batch], ITEM_KINDS[type_.item_kind])
        questions = _questions([task_id for task_id, _ in batch]) if type_.name in DESCRIBED else {}
        for task_id, answers in batch:
            shares = shares_agreeing([row.cleaned for row in answers], type_.closeness, type_.thresholds.same)
            patterns = [type_.patterns(row.cleaned, row.shown, questions.get(task_id, {})) for row in answers]
            for row, share, own in zip(answers, shares, beside_others(patterns), strict=True):
                piece = Work(row.units, passages[task_id], _active_seconds(row), share, own)
                work.setdefault(row.participation, []).append(piece)
    gold = {
        pk: (right, seen) for pk, right, seen in campaign.participations.values_list("pk", "gold_right", "gold_seen")
    }
    return [
        WorkerRecord(str(pk), tuple(pieces), HitRate(*gold[pk]) if gold[pk][1] else None)
        for pk, pieces in sorted(work.items())
    ]


def _active_seconds(row: CleanedRow) -> float | None:
    """Return the active time, or None. Imported answers carry none: theirs is the time from accepting to submitting."""
    if row.active_ms is None:
        return float(row.seconds) if row.is_imported else None
    return row.active_ms / 1000


def _questions(task_ids: list[int]) -> dict[int, Any]:
    return dict(Task.objects.filter(pk__in=task_ids).values_list("pk", "question"))


def _passages(task_ids: list[int], kind: ItemKind) -> dict[int, str]:
    rows = Task.objects.filter(pk__in=task_ids).values_list("pk", KeyTextTransform(kind.passage_field, "member__value"))
    return {pk: kind.passage(stored) if stored else "" for pk, stored in rows}
