"""Which stages a campaign belongs to, and who may not judge what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Assignment,
    Campaign,
    CampaignStatus,
    FollowUp,
    FollowUpAuthor,
    Participation,
    Task,
)
from annotation.pricing import Price
from annotation.providers import PROVIDERS
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.places_left import author_mark
from annotation.selectors.progress import Standing, standings
from annotation.task_types import type_of
from corpus.models import Sample
from kernel.models import User
from kernel.roles import Role

MOST_STAGES = 20


def keeps_authors_out(sample: Sample) -> bool:
    """Tell whether nobody may be asked about what they gave themselves."""
    return FollowUp.objects.filter(sample=sample, keeps_authors_out=True).exists()


def group_field(sample_id: int) -> str:
    """Return the field of a sample's members that holds the overlap group of their tasks.

    One person may judge several pieces of one text, so each item of a follow-up is a group of its own.
    """
    return "key" if FollowUp.objects.filter(sample=sample_id).exists() else "group"


def wrote(person: Participation) -> Exists:
    """Return the condition, of a task, that this person gave what it asks about."""
    is_me = Q(participation__worker=person.worker_id) | Q(mark=mark_of(person))
    return Exists(FollowUpAuthor.objects.filter(is_me, member=OuterRef("member")))


def mark_of(person: Participation) -> str:
    return author_mark(person.worker.provider, person.worker.external_id)


# ---- The chain of stages ----------------------------------------------------------------------------


@dataclass(frozen=True)
class CampaignStage:
    """A campaign among the stages that follow each other; the sample alone while there is no campaign for it."""

    number: int
    campaign: Campaign | None
    sample: Sample
    kind: str  # label of the follow-up; "" for the first stage
    answers: int
    wanted: int
    price: Price | None
    is_here: bool
    follow_up: FollowUp | None = None


@dataclass(frozen=True)
class Chain:
    stages: tuple[CampaignStage, ...]

    @property
    def price(self) -> list[tuple[str, Decimal]]:
        """What all stages cost, by currency."""
        totals: dict[str, Decimal] = {}
        for stage in self.stages:
            if stage.campaign and stage.price:
                totals[stage.campaign.currency] = totals.get(stage.campaign.currency, Decimal()) + stage.price.total
        return sorted(totals.items())


def chain_of(campaign: Campaign) -> Chain:
    """Return the stages before this campaign, itself, and all that follow it; without any others, an empty chain."""
    before = earlier_stages(campaign)
    after = _later_stages([campaign], [])
    if not before and not after:
        return Chain(())
    campaigns = [*before, campaign, *(own for own, _ in after if own)]
    standing = standings([*campaigns])
    stages = [_stage(own, standing, number, own == campaign) for number, own in enumerate([*before, campaign], 1)]
    for own, row in after:
        if own:
            stages.append(_stage(own, standing, row.stage, is_here=False))
        else:
            stages.append(
                CampaignStage(row.stage, None, row.sample, label_of(row), 0, 0, None, is_here=False, follow_up=row)
            )
    return Chain(tuple(stages))


def earlier_stages(campaign: Campaign) -> list[Campaign]:
    """Return the campaigns from whose answers this one's items come, the first stage first."""
    stages: list[Campaign] = []
    while len(stages) < MOST_STAGES:
        row = FollowUp.objects.select_related("parent__sample").filter(sample=campaign.sample_id).first()
        if row is None or row.parent is None:
            break
        campaign = row.parent
        stages.insert(0, campaign)
    return stages


def _later_stages(
    parents: Sequence[Campaign], known: list[tuple[Campaign | None, FollowUp]]
) -> list[tuple[Campaign | None, FollowUp]]:
    """Return every campaign that asks about answers of these, and samples without a campaign, stage by stage."""
    rows = FollowUp.objects.filter(parent__in=parents).select_related("sample", "parent").order_by("pk")
    level: list[tuple[Campaign | None, FollowUp]] = []
    for row in rows:
        judging = Campaign.objects.filter(sample=row.sample_id).select_related("sample").order_by("pk")
        own = [campaign for campaign in judging if not campaign.is_rehearsal]
        level += [(campaign, row) for campaign in own] or [(None, row)]
    if not level or len(known) > MOST_STAGES:
        return known
    return _later_stages([campaign for campaign, _ in level if campaign], [*known, *level])


def _stage(campaign: Campaign, standing: dict[int, Standing], number: int, is_here: bool) -> CampaignStage:
    own = standing[campaign.pk]
    row = FollowUp.objects.select_related("parent").filter(sample=campaign.sample_id).first()
    price = price_of_campaign(campaign, own)
    label = label_of(row) if row else ""
    return CampaignStage(number, campaign, campaign.sample, label, own.answers, own.wanted, price, is_here, row)


def label_of(row: FollowUp) -> str:
    """Return what a follow-up asks, in the words of pages."""
    kind = type_of(row.parent).follow_ups.get(row.kind) if row.parent else None
    return kind.label if kind else row.kind


def follow_up_choices() -> list[tuple[str, str]]:
    """Return the names of the campaigns whose votes a release can take."""
    asked = FollowUp.objects.filter(parent__isnull=False).values("sample")
    rows = Campaign.objects.filter(sample__in=asked).exclude(status=CampaignStatus.DRAFT).order_by("name")
    return [(row.name, row.name) for row in rows if not row.is_rehearsal]


# ---- Whom a follow-up still needs -------------------------------------------------------------------


def tasks_without_judges(campaign: Campaign) -> int:
    """Return how many open tasks nobody may answer who is in the campaign, or has an account and could join.

    They ask about what all these people gave themselves. 0 while there is nobody at all.
    """
    if not campaign.keeps_authors_out:
        return 0
    here = _judges(campaign)
    accounts = _accounts(campaign)
    if not here.exists() and not accounts.exists():
        return 0
    authors = FollowUpAuthor.objects.filter(member=OuterRef(OuterRef("member")))
    did = Assignment.objects.filter(participation=OuterRef("pk"), task=OuterRef(OuterRef("pk")))
    free = here.filter(~Exists(authors.filter(participation__worker=OuterRef("worker"))), ~Exists(did))
    could = accounts.filter(~Exists(authors.filter(participation__worker__user=OuterRef("pk"))))
    tasks = Task.objects.filter(campaign=campaign, is_gold=False, free__gt=0)
    return tasks.filter(~Exists(free), ~Exists(could)).count()


def _judges(campaign: Campaign) -> QuerySet[Participation]:
    return Participation.objects.filter(
        campaign=campaign, excluded_at=None, stopped_at=None, withdrawn_at=None, finished_at=None
    ).order_by()


def _accounts(campaign: Campaign) -> QuerySet[User]:
    """Return the annotators with an account who could still join."""
    if not PROVIDERS[campaign.provider].takes_own_people:
        return User.objects.none()
    joined = Q(annotation_worker__participations__campaign=campaign)
    return User.objects.filter(is_active=True, groups__name=Role.ANNOTATOR.value).exclude(joined).order_by()
