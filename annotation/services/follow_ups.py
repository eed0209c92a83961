"""Making a follow-up: the sample of items from a campaign's answers, then a draft that asks about them.

Every step looks at what is there, so that a killed job goes on where it stopped, and a second one changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, TypeAlias

from django.db import transaction

from annotation.models import Campaign, FollowUp, FollowUpAuthor, FollowUpItem, Participation, Task
from annotation.selectors import release_answers
from annotation.selectors.counted_answers import counted_answers
from annotation.selectors.follow_ups import earlier_stages
from annotation.selectors.places_left import author_mark
from annotation.services import campaigns
from annotation.services.descriptions import keep_description
from annotation.services.editing import plan_of
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from annotation.task_types.follow_ups import FollowUpKind, Naming, NewItem, gathered
from corpus.items.rows import ROWS, FrozenRow
from corpus.models import Sample, SampledInstance
from corpus.services import samples
from kernel.errors import InvalidInput, WrongState
from kernel.models import Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.values import Json, counted, storable

JOB_KIND = "make_follow_up"
CHUNK = 100  # new items that are stored in one transaction, and tasks that are read for it
MOST_READ = 200  # tasks, for an estimate
LOOKED_AT = 100  # items, to see which texts they have
LONGEST_NAME = 100
ITEM = "item"  # the column that holds the key of the item that was answered
ESTIMATED_S = 30  # to judge a piece, unless somebody says otherwise
GONE = "The follow-up is gone."
UNDERSTOOD = "Name the follow-up after what is asked next."
Report = Callable[[int, int | None, str], None]
_Author: TypeAlias = tuple[int, str]  # the participation, and the mark that is left when they withdraw


@dataclass(frozen=True)
class FollowUpOrder:
    """Which follow-up to make. Sample and draft get the same name."""

    name: str
    kind: str
    redundancy: int = 3
    reward: Decimal = field(default_factory=Decimal)
    estimated_s: int = ESTIMATED_S
    contact: str = ""  # empty: that of the parent
    keeps_authors_out: bool = True
    simulated: bool = False

    def plan(self) -> dict[str, Json]:
        return {
            "redundancy": self.redundancy,
            "reward": str(self.reward),
            "estimated_s": self.estimated_s,
            "contact": self.contact,
        }


def check_parent(campaign: Campaign) -> None:
    """Raise, in one sentence, where a campaign can have no follow-up."""
    if campaign.is_rehearsal:
        raise WrongState(
            "This is a rehearsal, whose people are simulated: create a follow-up of the campaign that was rehearsed."
        )
    if not type_of(campaign).follow_ups:
        raise WrongState(
            "Nothing in these answers can be asked about: a follow-up needs a part in which people write or mark."
        )
    if not has_answers(campaign):
        raise WrongState("Nobody has answered in this campaign yet: create the follow-up when there are answers.")


def is_only_too_early(campaign: Campaign) -> bool:
    """Tell whether answers are all that a campaign lacks for a follow-up."""
    return not campaign.is_rehearsal and bool(type_of(campaign).follow_ups) and not has_answers(campaign)


def has_answers(campaign: Campaign) -> bool:
    """Tell whether anybody has answered a task that is no check task."""
    return Task.objects.filter(campaign=campaign, is_gold=False, answers__gt=0).exists()


def kind_of(campaign: Campaign, name: str) -> FollowUpKind:
    """Return a follow-up of a campaign's task type by name; an unknown name raises InvalidInput."""
    known = type_of(campaign).follow_ups
    if name not in known:
        raise InvalidInput(f"there is no follow-up “{name}” of this task; there are {', '.join(known)}", field="kind")
    return known[name]


def start_follow_up(campaign: Campaign, order: FollowUpOrder, *, by: User | None) -> tuple[FollowUp, Job | None]:
    """Create the follow-up and queue the job that makes it; asked for again, return the one that is there."""
    row = open_follow_up(campaign, order, by=by)
    if row.campaign_id and is_ready(row):
        return row, None
    return row, start_job(row, by=by)


def open_follow_up(campaign: Campaign, order: FollowUpOrder, *, by: User | None) -> FollowUp:
    """Return the follow-up of this order, created without items; raise where it cannot be."""
    order = _checked(campaign, order)
    known = FollowUp.objects.select_related("sample").filter(sample__name=order.name, parent=campaign).first()
    if known:
        _check_same(known, order)
        return known
    _check_name_is_free(order.name)
    made_of = f"Answers in {campaign.name} ({kind_of(campaign, order.kind).label})"[:200]
    with transaction.atomic():
        sample = samples.open_sample(
            order.name, item_kind=ROWS.name, made_of=made_of, created_by=by, is_demo=campaign.is_demo
        )
        row = FollowUp.objects.create(
            sample=sample,
            parent=campaign,
            kind=order.kind,
            stage=len(earlier_stages(campaign)) + 2,
            keeps_authors_out=order.keeps_authors_out,
            simulated=order.simulated,
            plan=order.plan(),
            created_by=by,
        )
        after: Json = {"follow-up": order.name, "kind": order.kind, **order.plan()}
        audit.record("create follow-up", campaign, by=by, after=after)
    return row


def _checked(campaign: Campaign, order: FollowUpOrder) -> FollowUpOrder:
    check_parent(campaign)
    kind_of(campaign, order.kind)
    name = storable(order.name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"enter a name of at most {LONGEST_NAME} characters", field="name")
    if name in (campaign.name, campaign.sample.name):
        raise InvalidInput(f"a campaign cannot be a follow-up of itself. {UNDERSTOOD}", field="name")
    order = replace(order, name=name, contact=storable(order.contact).strip() or campaign.contact)
    if len(order.contact) > campaigns.LONGEST_CONTACT:
        raise InvalidInput(f"must have at most {campaigns.LONGEST_CONTACT} characters", field="contact")
    campaigns.check_amounts(_plan(campaign, order.plan(), campaign.sample, order.name))
    return replace(order, reward=Decimal(order.reward))


def _check_same(row: FollowUp, order: FollowUpOrder) -> None:
    same = (row.kind, row.keeps_authors_out, row.simulated, row.plan)
    if same != (order.kind, order.keeps_authors_out, order.simulated, order.plan()):
        raise InvalidInput("this campaign has another follow-up of this name: choose another name", field="name")


def _check_name_is_free(name: str) -> None:
    for model, what in ((Sample, "sample"), (Campaign, "campaign")):
        if model.objects.filter(name=name).exists():
            raise InvalidInput(f"there is already a {what} with this name: choose another name", field="name")


def is_ready(row: FollowUp) -> bool:
    """Tell whether everything has been made: the sample, the draft and its tasks."""
    sample, draft = row.sample, row.campaign
    return bool(sample.content_hash and draft and draft.tasks_made >= sample.size)


def start_job(row: FollowUp, *, by: User | None) -> Job:
    """Queue the job that makes a follow-up, or goes on with it."""
    subject = str(row.parent or row.sample)
    return job_services.create_job(
        JOB_KIND, subject=subject, parameters=parameters_of(row, by), by=by, lock=lock_of(row)
    )


def parameters_of(row: FollowUp, by: User | None) -> dict[str, Any]:
    return {"follow_up": row.pk, "sample": row.sample_id, "by_id": by.pk if by else 0}


def lock_of(row: FollowUp) -> str:
    return samples.lock_of(row.sample.name)


# ---- The job ----------------------------------------------------------------------------------------


def make_follow_up(row: FollowUp, *, by: User | None, report: Report) -> Campaign:
    """Make everything that is not there yet; return the draft."""
    if not row.sample.content_hash:
        _fill(row, report)
        samples.close_sample(row.sample, by=by, action="make follow-up")
    draft = row.campaign or _draft(row, by=by)
    for done in campaigns.make_tasks(draft):
        report(done, row.sample.size, f"{counted(done, 'task')} made")
    return draft


@dataclass(frozen=True)
class _Made:
    """The new items from the answers to one task."""

    key: str  # of the task
    item: str  # key of the item that it asks about
    group: str
    new: list[NewItem]


@dataclass
class _Maker:
    """Reads the answers of a follow-up's parent, item by item, and turns them into new items."""

    row: FollowUp
    parent: Campaign
    kind: FollowUpKind
    naming: Naming

    @classmethod
    def of(cls, row: FollowUp) -> _Maker:
        if row.parent is None:
            raise WrongState("The campaign whose answers were asked about is gone.")
        kind = kind_of(row.parent, row.kind)
        return cls(row, row.parent, kind, Naming(_names_in(row.parent), row.stage))

    def made(self, most: int | None = None) -> Iterator[_Made]:
        """Yield what becomes of each unread task of the parent (or of the first `most`), by their keys."""
        type_ = type_of(self.parent)
        for key, item, pairs in counted_answers(self.parent, simulated=self.row.simulated, most=most):
            if key <= self.row.done_key:
                continue
            pieces = gathered(self.kind, ((answer.worker, cleaned) for answer, cleaned in pairs))
            columns = {**type_.follow_up_columns(type_.read(item)), self.naming.of(ITEM): key}
            new = self.kind.items(columns, pieces, self.naming) if len(pieces) >= self.kind.fewest else []
            yield _Made(key, item["key"], item["group"], new)


def expected_items(campaign: Campaign, kind: str, *, simulated: bool) -> tuple[int, bool]:
    """Return how many items a follow-up would have now, and whether all answers were read; no more than some are."""
    row = FollowUp(parent=campaign, kind=kind, stage=2, simulated=simulated)
    maker = _Maker(row, campaign, kind_of(campaign, kind), Naming(frozenset(), 2))
    numbers = [len(own.new) for own in maker.made(MOST_READ)]
    if len(numbers) >= campaign.tasks_made:
        return sum(numbers), True
    return round(sum(numbers) * campaign.tasks_made / max(1, len(numbers))), False


def _names_in(campaign: Campaign) -> frozenset[str]:
    """Return the names of the columns that items of a follow-up keep of this campaign's items."""
    members = SampledInstance.objects.filter(sample=campaign.sample_id).order_by("position")
    if campaign.sample.item_kind == ROWS.name:
        orders = members.values_list("value__order", flat=True)
        return frozenset(name for order in orders.iterator() for name in order)
    type_ = type_of(campaign)
    first = members.values_list("value", flat=True)[:LOOKED_AT]
    return frozenset(name for value in first for name in type_.follow_up_columns(type_.read(value)))


def _fill(row: FollowUp, report: Report) -> None:
    """Store the items that are not there yet, in the order of the parent's tasks."""
    maker = _Maker.of(row)
    people = dict(Participation.objects.filter(campaign=maker.parent).values_list("worker_id", "pk"))
    names = release_answers.workers_of([maker.parent])
    authors = {
        name: (people[worker], author_mark(*name.split("\n", 1))) for worker, name in names.items() if worker in people
    }
    total, read = maker.parent.tasks_made, 0
    for batch in _portions(maker.made()):
        _store(row, maker.parent, batch, authors)
        read += len(batch)
        report(read, total, f"{counted(read, 'task')} read")
    if not row.sample.members.exists():
        row.sample.delete()
        raise InvalidInput(_why_empty(row, maker), field="campaign")


def _portions(made: Iterable[_Made]) -> Iterator[list[_Made]]:
    """Yield a few at a time, so that a transaction stores about as many rows whatever people marked."""
    portion: list[_Made] = []
    new = 0
    for own in made:
        portion.append(own)
        new += len(own.new)
        if len(portion) >= CHUNK or new >= CHUNK:
            yield portion
            portion, new = [], 0
    if portion:
        yield portion


def _why_empty(row: FollowUp, maker: _Maker) -> str:
    if not row.simulated and release_answers.simulated_workers([maker.parent]):
        return (
            "no answer of a person can be asked about, and those of simulated participants are left out: include "
            "them, or wait for people"
        )
    least = "no two different texts" if maker.kind.fewest > 1 else "nothing that can be asked about"
    return f"the answers that count hold {least}: there is no follow-up to make"


def _store(row: FollowUp, parent: Campaign, batch: Sequence[_Made], people: Mapping[str, _Author]) -> None:
    tasks = Task.objects.filter(campaign=parent, member__key__in=[own.item for own in batch])
    named = tasks.values_list("member__key", "variant", "pk", "member")
    sources = {task_key(key, variant): (pk, member) for key, variant, pk, member in named}
    earlier = _authors_before([member for _, member in sources.values()])
    rows: list[tuple[str, NewItem, FrozenRow]] = [
        (own.key, item, ROWS.from_row({**item.columns, "group": own.group})) for own in batch for item in own.new
    ]
    with transaction.atomic():
        first = row.sample.members.count()
        members = samples.store_members(row.sample, [frozen for _, _, frozen in rows], first)
        origins, authors = [], []
        for member, (key, item, _) in zip(members, rows, strict=True):
            task, judged = sources[key]
            origins.append(FollowUpItem(member=member, source_id=task, units=[*item.units]))
            wrote = {people[name] for name in item.authors} | earlier.get(judged, set())
            authors += [FollowUpAuthor(member=member, participation_id=pk, mark=mark) for pk, mark in sorted(wrote)]
        FollowUpItem.objects.bulk_create(origins)
        FollowUpAuthor.objects.bulk_create(authors)
        row.done_key = batch[-1].key
        row.most = max([row.most, *(len(item.units) for _, item, _ in rows)])
        row.skipped += sum(not own.new for own in batch)
        row.save(update_fields=["done_key", "most", "skipped"])


def _authors_before(members: Sequence[int]) -> dict[int, set[_Author]]:
    """Return who gave what these items hold, in stages before: they do not judge what was made of it either."""
    authors: dict[int, set[_Author]] = {}
    rows = FollowUpAuthor.objects.filter(member__in=members)
    for member, person, mark in rows.values_list("member", "participation", "mark"):
        authors.setdefault(member, set()).add((person, mark))
    return authors


def _draft(row: FollowUp, *, by: User | None) -> Campaign:
    """Keep the description of the task and create the draft, both or neither."""
    from annotation.task_types.own.writing import written  # YAML, which few requests need

    maker = _Maker.of(row)
    text = written(type_of(maker.parent).follow_up_task(maker.kind, maker.naming, row.most))
    with transaction.atomic():
        description = keep_description(text, by=by)
        settings = {"version": description.key, "description": description.value}
        plan = replace(_plan(maker.parent, row.plan, row.sample, row.sample.name), task_settings=settings)
        row.campaign = campaigns.create_campaign(plan, by=by, is_demo=maker.parent.is_demo)
        row.description = description
        row.save(update_fields=["campaign", "description"])
    return row.campaign


def _plan(parent: Campaign, own: Any, sample: Sample, name: str) -> campaigns.CampaignPlan:
    """Return the plan of the draft: the people and the provider of its parent, and what the order says."""
    return replace(
        plan_of(parent),
        name=name,
        sample=sample,
        task_type="own",
        task_settings={},
        instructions=None,
        redundancy=own["redundancy"],
        reward=Decimal(own["reward"]),
        estimated_s=own["estimated_s"],
        contact=own["contact"],
        per_person=0,
        gold_every=0,
        practice=0,
        quiz_pass=0,
        practice_must_be_right=False,
        lessons=None,
        qualifications={},
        consent=None,
        is_pilot=False,
    )
