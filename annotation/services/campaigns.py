"""The life of a campaign: draft → running ⇄ paused → closed. Every step is an UPDATE that names the state it leaves."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Grant,
    Instructions,
    Participation,
    Task,
)
from annotation.pricing import CURRENCIES, Price, Study, money, study_of
from annotation.providers import DEFAULT, PROVIDERS
from annotation.providers.base import Marketplace
from annotation.qualifications import qualifications
from annotation.quality.trust import LEAST_TESTS
from annotation.selectors.campaigns import tasks_wanted
from annotation.selectors.costs import planned_price
from annotation.selectors.follow_ups import group_field, keeps_authors_out
from annotation.selectors.sampled_items import has_column, places_held
from annotation.services.assigning import end_turn, lock_tasks
from annotation.services.instructions import default_instructions
from annotation.services.market import spending
from annotation.task_types import DEFAULT_TASK_TYPE, task_count, type_of
from annotation.task_types.base import TaskType
from annotation.task_types.lessons import Lessons, lessons_of, read_lessons
from annotation.task_types.registry import DESCRIBED
from annotation.task_types.settings import checked_settings
from corpus.items import ITEM_KINDS
from corpus.models import Sample, SampledInstance
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.services.bulk import insert_rows
from kernel.values import Json, counted, storable

CHUNK = 500  # tasks a transaction
TASK_FIELDS = (
    "campaign", "member", "variant", "position", "group", "question", "html", "slots", "free", "answers", "is_gold",
)  # fmt: skip
LARGEST_SEED = 2**53
LONGEST_CONTACT = 200
SAMPLED = "its item is also in the campaign's sample, so people would see the answer before they are asked"
OTHER_ITEM = "choose another item"
LOOKED_AT = 100  # items, to see which texts a sample has
# Kinds of jobs that work on a campaign; its name is the job's subject.
JOB_KINDS = (
    "make_tasks",
    "look_at_people",
    "import_mturk_results",
    "follow_marketplace",
    "rehearse_campaign",
    "make_follow_up",
)


@dataclass(frozen=True)
class CampaignPlan:
    """What a campaign is made with."""

    name: str
    sample: Sample
    task_type: str = DEFAULT_TASK_TYPE
    task_settings: dict[str, Any] = field(default_factory=dict)
    instructions: Instructions | None = None  # None: those of the task type
    provider: str = DEFAULT
    provider_settings: dict[str, Any] = field(default_factory=dict)
    redundancy: int = 3
    reward: Decimal = Decimal(0)
    currency: str = "USD"
    time_limit_s: int = 900
    estimated_s: int = 90
    per_person: int = 0
    gold_every: int = 0
    trust_stop: int = 0
    trust_tests: int = LEAST_TESTS
    shows_reasons: bool = False
    practice: int = 0
    quiz_pass: int = 0
    quiz_gold: int = 0
    practice_must_be_right: bool = False
    lessons: dict[str, Any] | None = None  # None: those of the task type
    qualifications: dict[str, Any] = field(default_factory=dict)
    consent: str | None = None  # None: the text of the task type
    contact: str = ""
    has_signals: bool = True
    seed: int = 0
    is_pilot: bool = False


LIMITS = {
    "redundancy": (1, 50),
    "time_limit_s": (60, 7 * 24 * 3600),
    "estimated_s": (1, 24 * 3600),
    "per_person": (0, 1_000_000),
    "gold_every": (0, 1000),
    "trust_stop": (0, 100),
    "trust_tests": (1, 1000),
    "quiz_gold": (0, 50),
    "reward": (0, 1000),
}


def create_campaign(
    plan: CampaignPlan, *, by: User | None, is_demo: bool = False, made_from: Campaign | None = None
) -> Campaign:
    """Return a draft; its tasks are made by `make_tasks`, in a job or a command."""
    plan = checked_plan(plan)
    values = {name: getattr(plan, name) for name in CampaignPlan.__dataclass_fields__}
    values["name"] = storable(plan.name).strip()
    values["instructions"] = plan.instructions or default_instructions(type_of(plan))
    values["consent"] = type_of(plan).consent if plan.consent is None else plan.consent
    try:
        with transaction.atomic():
            values["keeps_authors_out"] = keeps_authors_out(plan.sample)
            campaign = Campaign.objects.create(**values, created_by=by, is_demo=is_demo, made_from=made_from)
            recorded: Json = {"sample": plan.sample.name, "redundancy": plan.redundancy, "reward": str(plan.reward)}
            audit.record("create campaign", campaign, by=by, after=recorded)
    except IntegrityError as error:
        raise InvalidInput("there is already a campaign with this name", field="name") from error
    return campaign


def checked_plan(plan: CampaignPlan, *, compared: Json = None) -> CampaignPlan:
    """Return the plan with settings and lessons as they are stored, or raise InvalidInput for the first bad field.

    `compared`: lessons that have been found apart from this sample before.
    """
    if not 0 < len(storable(plan.name).strip()) <= 100:
        raise InvalidInput("enter a name of at most 100 characters", field="name")
    check_amounts(plan)
    if abs(plan.seed) > LARGEST_SEED:
        raise InvalidInput(f"must be between -{LARGEST_SEED:,} and {LARGEST_SEED:,}", field="seed")
    plan = replace(plan, task_settings=checked_settings(plan.task_type, plan.task_settings))
    type_ = type_of(plan)
    lessons = lessons_of(type_, None) if plan.lessons is None else read_lessons(plan.lessons, type_)
    for name, most in (("practice", len(lessons.practice)), ("quiz_pass", plan.quiz_gold or len(lessons.quiz))):
        if not 0 <= getattr(plan, name) <= most:
            raise InvalidInput(f"must be between 0 and {most}, the number of questions", field=name)
    if plan.quiz_gold and not plan.quiz_pass:
        why = f"enter how many of the {counted(plan.quiz_gold, 'check task')} of the quiz must be right"
        raise InvalidInput(why, field="quiz_pass")
    if plan.instructions and plan.instructions.task_type != type_.key:
        why = f"these are for the task “{plan.instructions.task_type}”, but the campaign asks “{type_.key}”"
        raise InvalidInput(f"{why}: choose others", field="instructions")
    if not plan.contact.strip():
        raise InvalidInput("enter a contact that people can write to", field="contact")
    if plan.consent is not None and not plan.consent.strip():
        raise InvalidInput("enter the text that people agree to", field="consent")
    provider = PROVIDERS[plan.provider]
    provider.check(plan.provider_settings)
    if isinstance(provider, Marketplace) and plan.currency != provider.currency:
        raise InvalidInput(f"must be {provider.currency}: the marketplace takes no other", field="currency")
    _check_qualifications(plan)
    if not plan.sample.size:
        raise InvalidInput("is empty: choose another sample", field="sample")
    if plan.sample.item_kind != type_.item_kind:
        asked = ITEM_KINDS[type_.item_kind].plural
        why = f"this sample holds {plan.sample.kind.plural}, but the task “{type_.key}” asks about {asked}"
        raise InvalidInput(f"{why}: choose another sample", field="sample")
    _check_texts(plan, type_)
    _check_suggestions(plan, type_)
    if plan.lessons is None:
        return plan
    known = read_lessons(compared, type_) if compared else None
    check_apart(lessons, type_, plan.sample, known=known, advice="choose another item or another sample")
    return replace(plan, lessons=lessons.to_json())


def _check_texts(plan: CampaignPlan, type_: TaskType) -> None:
    """Raise if none of the first items has a text that the task shows."""
    first = SampledInstance.objects.filter(sample=plan.sample).order_by("position").values_list("value", flat=True)
    items = [type_.read(value) for value in first[:LOOKED_AT]] if type_.name in DESCRIBED else []
    for name in type_.missing_texts(items[0]) if items else ():
        if all(name in type_.missing_texts(item) for item in items) and not has_column(plan.sample, name):
            known = ", ".join(dict.fromkeys(own for item in items for own in ITEM_KINDS[type_.item_kind].texts(item)))
            why = f"this sample has no text “{name}”, which the task shows; it has {known or 'none'}"
            raise InvalidInput(f"{why}: choose another sample", field="sample")


def _check_suggestions(plan: CampaignPlan, type_: TaskType) -> None:
    """Raise if one of the first items suggests what is no answer; the others are checked when their task is made."""
    members = SampledInstance.objects.filter(sample=plan.sample).order_by("position").values_list("position", "value")
    for position, value in members[:LOOKED_AT] if type_.name in DESCRIBED else ():
        _check_suggestion(type_, type_.read(value), f"row {position + 1:,} of the sample")


def _check_suggestion(type_: TaskType, item: Any, where: str) -> None:
    if why := type_.bad_suggestion(item):
        title = ITEM_KINDS[type_.item_kind].title(item)
        advice = "correct the file and import its rows as another sample"
        raise InvalidInput(f"{where} (“{title}”) suggests what cannot be: {why}; {advice}", field="sample")


def check_apart(
    lessons: Lessons, type_: TaskType, sample: Sample, *, known: Lessons | None = None, advice: str = OTHER_ITEM
) -> None:
    """Raise if a practice question is about an item of the sample: people would see its answer before they are asked.

    Items that the task type itself practises with, and those of `known`, are not looked at.
    """
    passed = {question.item.key for question in (*type_.practice, *(known.practice if known else ()))}
    new = [(number, own.item) for number, own in enumerate(lessons.practice, 1) if own.item.key not in passed]
    for place in sorted(places_held(sample, [item for _, item in new], type_)):
        raise InvalidInput(f"practice question {new[place][0]}: {SAMPLED}; {advice}", field="lessons")


def check_amounts(plan: CampaignPlan) -> None:
    """Raise on the first thing that the cost depends on and that cannot be."""
    if not plan.reward.is_finite():
        raise InvalidInput("is not an amount of money", field="reward")
    for name, (low, high) in LIMITS.items():
        if not low <= getattr(plan, name) <= high:
            unit = " seconds" if name.endswith("_s") else ""
            raise InvalidInput(f"must be between {low:,} and {high:,}{unit}", field=name)
    if money(plan.reward) != plan.reward:
        raise InvalidInput("give an amount with at most two decimals", field="reward")
    if plan.gold_every == 1:
        raise InvalidInput("1 would make every task a check task: enter 0 for none, or 2 or more", field="gold_every")
    if plan.currency not in CURRENCIES:
        raise InvalidInput("give the three letters of a currency in use (ISO 4217), as in USD", field="currency")


def _check_qualifications(plan: CampaignPlan) -> None:
    asked = qualifications(plan.qualifications)
    if unknown := set(asked.grant) - set(Grant.objects.filter(pk__in=asked.grant).values_list("pk", flat=True)):
        problem = f"grant: there is no grant {min(unknown)}; a grant's page shows its number"
        raise InvalidInput(problem, field="qualifications.grant")
    for name, numbers in (("took_part_in", asked.took_part_in), ("not_in", asked.not_in)):
        unknown = set(numbers) - set(Campaign.objects.filter(pk__in=numbers).values_list("pk", flat=True))
        if unknown:
            problem = f"{name}: there is no campaign {min(unknown)}; a campaign's settings page shows its number"
            raise InvalidInput(problem, field=f"qualifications.{name}")


def price_of_plan(plan: CampaignPlan, gold: int = 0) -> Price:
    """Return what all answers will cost; `gold` check tasks are chosen already."""
    return planned_price(
        provider=plan.provider,
        tasks=task_count(plan.task_type, plan.sample.size),
        redundancy=plan.redundancy,
        reward=plan.reward,
        gold_every=plan.gold_every,
        per_person=plan.per_person,
        gold=gold,
    )


def study_of_plan(plan: CampaignPlan | Campaign, price: Price) -> Study | None:
    """Return how to set the study up where people come from; None for our own people, or if a visit has no length."""
    if PROVIDERS[plan.provider].takes_own_people:
        return None
    limits = {"per_person": plan.per_person, "estimated_s": plan.estimated_s}
    people = task_count(plan.task_type, plan.redundancy)  # nobody meets an item twice
    return study_of(price, tasks=plan.sample.size, redundancy=people, **limits)


def make_tasks(campaign: Campaign) -> Iterator[int]:
    """Make the tasks that are not there yet, in the campaign's seeded order; yields how many there are so far.

    After a crash it goes on where it stopped: a position has a task or has none. The next ones are rendered while the
    database stores those before.
    """
    members = SampledInstance.objects.filter(sample=campaign.sample_id)
    group = group_field(campaign.sample_id)
    ids = list(members.order_by("position").values_list("pk", flat=True))
    asked = [(pk, variant) for variant in type_of(campaign).variants for pk in ids]
    random.Random(campaign.seed).shuffle(asked)  # noqa: S311 - an order, not a secret
    done = Task.objects.filter(campaign=campaign).count()
    with ThreadPoolExecutor(max_workers=1) as aside:

        def begin(first: int) -> Future[list[tuple[Any, ...]]]:
            return aside.submit(_tasks, campaign, _members(asked[first : first + CHUNK], group), first)

        coming = begin(done)
        while tasks := coming.result():
            coming = begin(done + len(tasks))
            done += len(tasks)
            with transaction.atomic():  # other writers wait for bare rows only
                insert_rows(Task, TASK_FIELDS, tasks)
                Campaign.objects.filter(pk=campaign.pk).update(tasks_made=done)
            yield done


def _members(asked: list[tuple[int, str]], group: str) -> list[tuple[int, str, str, Any]]:
    """Return id, variant, overlap group (the field of this name) and value of these members, in their order."""
    rows = SampledInstance.objects.filter(pk__in={pk for pk, _ in asked}).values_list("pk", group, "value")
    members = {pk: (group, value) for pk, group, value in rows}
    return [(pk, variant, *members[pk]) for pk, variant in asked]


def _tasks(campaign: Campaign, members: list[tuple[int, str, str, Any]], first: int) -> list[tuple[Any, ...]]:
    """Return the rows (TASK_FIELDS) of these members' tasks; positions run from `first`. Asks the database nothing."""
    type_, slots = type_of(campaign), campaign.redundancy
    rows = []
    for position, (pk, variant, group, value) in enumerate(members, first):
        item = type_.read(value)
        _check_suggestion(type_, item, "a row of the sample")
        question, html = json.dumps(type_.question(item, variant)), type_.html(item, variant)
        rows.append((campaign.pk, pk, variant, position, group, question, html, slots, slots, 0, False))
    return rows


def lock_of(campaign: Campaign) -> str:
    """Return what keeps two jobs from working on one campaign, or on the sandbox of rehearsals, at a time."""
    return "rehearsals" if campaign.is_rehearsal else f"campaign {campaign.pk}"


def start_job(kind: str, campaign: Campaign, *, by: User | None, **parameters: Any) -> Job:
    """Queue a job on a campaign; refused while another is at work on it."""
    job_services.sweep_killed_commands()
    parameters = {"campaign": campaign.pk, **parameters}
    return job_services.create_job(kind, subject=str(campaign), parameters=parameters, by=by, lock=lock_of(campaign))


# ---- Steps ----------------------------------------------------------------------------------------


def start(campaign_id: int, *, by: User | None) -> Campaign:
    """Let people in. Raises NotAllowed if that spends money and this person may not."""
    campaign = Campaign.objects.select_related("sample").get(pk=campaign_id)
    decided = spending.decision(campaign, by)
    if campaign.tasks_made < tasks_wanted(campaign):
        raise WrongState("The tasks are still being created: wait for that job, or retry it.")
    _check_quiz(campaign)
    fields = {"started_at": now(), **decided}
    return _step(campaign_id, "start campaign", (CampaignStatus.DRAFT,), CampaignStatus.RUNNING, by, **fields)


def _check_quiz(campaign: Campaign) -> None:
    """Raise if too few check tasks are chosen for the quiz."""
    chosen = campaign.tasks.filter(is_gold=True, gold__isnull=False).count() if campaign.quiz_gold else 0
    if chosen < campaign.quiz_gold:
        wanted = counted(campaign.quiz_gold, "check task")
        raise WrongState(f"The quiz is made of {wanted}, but {chosen:,} are chosen: choose more, or edit the settings.")


def pause(campaign_id: int, *, by: User | None) -> Campaign:
    """Give out no further task; what is in people's hands can be finished."""
    return _step(campaign_id, "pause campaign", (CampaignStatus.RUNNING,), CampaignStatus.PAUSED, by)


def resume(campaign_id: int, *, by: User | None) -> Campaign:
    """Let people in again. Raises NotAllowed if that spends money and this person may not."""
    states = (CampaignStatus.PAUSED, CampaignStatus.CLOSED)
    fields = {"closed_at": None, **spending.decision(Campaign.objects.get(pk=campaign_id), by)}
    return _step(campaign_id, "resume campaign", states, CampaignStatus.RUNNING, by, **fields)


def close(campaign_id: int, *, by: User | None) -> Campaign:
    """End the campaign: nothing is given out, nothing can be corrected; what is in people's hands can be finished."""
    states = (CampaignStatus.RUNNING, CampaignStatus.PAUSED)
    return _step(campaign_id, "close campaign", states, CampaignStatus.CLOSED, by, closed_at=now())


@transaction.atomic(durable=True)
def _step(
    campaign_id: int, action: str, states: tuple[str, ...], status: str, by: User | None, **fields: Any
) -> Campaign:
    changed = Campaign.objects.filter(pk=campaign_id, status__in=states).update(status=status, **fields)
    campaign = Campaign.objects.get(pk=campaign_id)
    if changed:
        audit.record(action, campaign, by=by, after={"status": status})
    elif campaign.status != status:
        raise WrongState(f"The campaign is {campaign.state.lower()}: this cannot be done now.")
    return campaign


@transaction.atomic(durable=True)
def extend(campaign_id: int, *, people: int, by: User | None, now_asked: int | None = None) -> Campaign:
    """Add `people` slots to every task. With `now_asked`, the redundancy before, repeating it has no effect."""
    if not 1 <= people <= LIMITS["redundancy"][1]:
        raise InvalidInput("must be between 1 and 50", field="people")
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    decided = spending.decision(campaign, by)
    if now_asked is not None and campaign.redundancy != now_asked:
        if campaign.redundancy == now_asked + people:
            return campaign
        asked = counted(campaign.redundancy, "person is", "people are")
        raise WrongState(f"Somebody has changed it: {asked} asked about every task now.")
    tasks = Task.objects.filter(campaign=campaign, is_gold=False)
    lock_tasks(tasks.values_list("pk", flat=True))
    tasks.update(slots=F("slots") + people, free=F("free") + people)
    campaign.redundancy += people
    Campaign.objects.filter(pk=campaign.pk).update(redundancy=campaign.redundancy, **decided)
    audit.record("extend campaign", campaign, by=by, after={"redundancy": campaign.redundancy})
    return campaign


def why_kept(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted, in a sentence; "" when nobody would lose anything."""
    turns = Assignment.objects.filter(campaign=campaign)
    if answers := turns.exclude(annotation=None).count():
        return f"People have answered in this campaign (answers: {answers:,}): it cannot be deleted, only closed."
    if campaign.postings.exclude(external_id="").exists():
        return "The tasks were published on a marketplace: the campaign cannot be deleted, only closed."
    if Participation.objects.filter(campaign=campaign, earned__gt=0).exists():
        return "The campaign records what is owed to people who withdrew: it cannot be deleted, only closed."
    if at_work := turns.filter(status=AssignmentStatus.TAKEN).count():
        return f"People are working on tasks ({at_work:,}): pause the campaign and release their tasks first."
    return ""


@transaction.atomic(durable=True)
def delete_campaign(campaign_id: int, *, by: User | None, even_answers: bool = False) -> None:
    """Delete a campaign in which nobody would lose anything; a demo goes with its answers."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign_id)
    if not even_answers and (why := why_kept(campaign)):
        raise WrongState(why)
    audit.record("delete campaign", campaign, by=by, before={"tasks": campaign.tasks_made})
    Assignment.objects.filter(campaign=campaign).delete()
    campaign.delete()


def release_turns(campaign: Campaign, *, by: User | None) -> int:
    """Take back every task in people's hands; their drafts stay, and count if sent while the slot is free."""
    number = 0
    for turn in Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.TAKEN).only("task_id"):
        with transaction.atomic():
            number += end_turn(turn, AssignmentStatus.EXPIRED, now())
    if number:
        audit.record("release held tasks", campaign, by=by, after={"tasks": number})
    return number
