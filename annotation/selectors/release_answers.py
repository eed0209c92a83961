"""Reads of what releases are made from: campaigns, people, and every answer with its reviews."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from annotation.models import (
    Annotation,
    AnnotationVersion,
    Assignment,
    AssignmentStatus,
    Campaign,
    LateChoice,
    Participation,
    Review,
    Settlement,
    Task,
    Verdict,
    Worker,
    simulated,
)
from annotation.quality.trust import Trust
from annotation.releasing.building import CollectedAnswer, CollectedSettlement
from annotation.releasing.recipe import Recipe, make_recipe
from annotation.selectors.progress import people_in, real_wage, simulated_in
from annotation.selectors.settlements import settlements_of
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from corpus.models import SampledInstance
from kernel.errors import InvalidInput
from kernel.values import batches

PAGE = 200  # instances in memory
ANSWERED = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)


def recipe_for(names: Sequence[str], **options: Any) -> Recipe:
    """Return a recipe for these campaigns, with the options of `make_recipe`; their task type must be the same."""
    if not names:
        raise InvalidInput("name at least one campaign", field="campaigns")
    campaigns = _campaigns(names)
    types = {campaign.task_type: campaign.name for campaign in campaigns}
    if len(types) > 1:
        examples = " and ".join(f"“{name}” asks for {type_}" for type_, name in sorted(types.items()))
        raise InvalidInput(f"a release holds answers of one task type, but {examples}", field="campaigns")
    first, *others = campaigns
    for other in others:
        if other.task_settings != first.task_settings:
            why = f"a release holds answers to one task, but the settings of “{first}” and “{other}” differ"
            raise InvalidInput(why, field="campaigns")
    return make_recipe(type_of(first), names, task_settings=first.task_settings, **options)


def campaigns_of(recipe: Recipe) -> list[Campaign]:
    """Return the recipe's campaigns by name; raises InvalidInput if one is gone or has another task type."""
    campaigns = _campaigns(recipe.campaigns)
    for campaign in campaigns:
        if campaign.task_type != recipe.task_type:
            why = f"{campaign.name!r} asks for {campaign.task_type}, but the recipe is for {recipe.task_type}"
            raise InvalidInput(why, field="campaigns")
        if campaign.task_settings != recipe.task_settings:
            raise InvalidInput(f"{campaign.name!r} has other task settings than the recipe", field="campaigns")
    return campaigns


def _campaigns(names: Sequence[str]) -> list[Campaign]:
    by_name = {campaign.name: campaign for campaign in Campaign.objects.filter(name__in=names)}
    for name in names:
        if name not in by_name:
            known = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise InvalidInput(f"there is no campaign {name!r}; known: {known}", field="campaigns")
    return [by_name[name] for name in names]


def state_of(campaigns: Sequence[Campaign]) -> tuple[Any, ...]:
    """Return a value that changes when an answer, a review or an exclusion comes in."""
    answers = Annotation.objects.filter(assignment__campaign__in=campaigns)
    people = Participation.objects.filter(campaign__in=campaigns)
    return (
        *answers.aggregate(n=Count("id"), last=Max("reviewed_at"), open=Count("id", filter=Q(verdict=""))).values(),
        Review.objects.filter(annotation__assignment__campaign__in=campaigns).count(),
        Settlement.objects.filter(task__campaign__in=campaigns).count(),
        AnnotationVersion.objects.filter(annotation__assignment__campaign__in=campaigns).count(),
        *people.aggregate(out=Count("excluded_at"), gone=Count("withdrawn_at"), points=Sum("gold_points")).values(),
    )


def workers_of(campaigns: Sequence[Campaign]) -> dict[int, str]:
    """Return a name for each participant by the row's id. It is the same wherever the person answers."""
    rows = Worker.objects.filter(participations__campaign__in=campaigns).distinct()
    named = rows.values_list("pk", "provider", "external_id")
    return {pk: f"{provider}\n{external}" for pk, provider, external in named}


def simulated_workers(campaigns: Sequence[Campaign]) -> frozenset[str]:
    """Return the names that `workers_of` gives to simulated participants."""
    rows = Worker.objects.filter(simulated(), participations__campaign__in=campaigns).distinct()
    return frozenset(f"{provider}\n{external}" for provider, external in rows.values_list("provider", "external_id"))


def assignments_done(campaigns: Sequence[Campaign], workers: Mapping[int, str]) -> dict[str, int]:
    """Return how many tasks each person has answered, gold aside."""
    rows = Assignment.objects.filter(campaign__in=campaigns, status__in=ANSWERED, task__is_gold=False)
    rows = rows.filter(annotation__isnull=False).order_by()
    counted = rows.values_list("participation__worker_id").annotate(n=Count("id"))
    return {workers[worker]: n for worker, n in counted}


def trust_of_workers(campaigns: Sequence[Campaign], workers: Mapping[int, str]) -> dict[str, Trust]:
    """Return each person's trust over all these campaigns; nobody without a judged check task is in it."""
    rows = Participation.objects.filter(campaign__in=campaigns, gold_seen__gt=0).order_by().values_list("worker")
    sums = rows.annotate(points=Sum("gold_points"), tests=Sum("gold_seen"))
    return {workers[worker]: Trust(points, tests) for worker, points, tests in sums}


def campaign_facts(campaign: Campaign) -> dict[str, Any]:
    """Return what a datasheet says about a campaign: who, at what pay, how long, under which instructions.

    Simulated participants are counted beside the people; times and hourly pay are of people alone.
    """
    people = people_in(campaign)
    counts = people.aggregate(n=Count("id"), out=Count("excluded_at"), gone=Count("withdrawn_at"))
    answers = Annotation.objects.filter(assignment__campaign=campaign, assignment__status=AssignmentStatus.SUBMITTED)
    answers = answers.exclude(simulated("assignment__participation__worker"))
    worked = Coalesce(F("active_ms"), F("seconds") * 1000)
    number, wage = answers.count(), real_wage(campaign)
    middle = answers.annotate(ms=worked).order_by("ms").values_list("ms", flat=True)
    median = middle[number // 2] / 1000 if number else None
    return {
        "name": campaign.name,
        "provider": campaign.provider,
        "people": counts["n"],
        "simulated": simulated_in(campaign),
        "excluded": counts["out"],
        "withdrawn": counts["gone"],
        "redundancy": campaign.redundancy,
        "reward": str(campaign.reward),
        "currency": campaign.currency,
        "median_seconds": None if median is None else round(median),
        "hourly_wage": "" if wage is None else str(wage),
        "instructions": campaign.instructions.name,
        "instructions_version": campaign.instructions.version,
        "consent": bool(campaign.consent.strip()),
        "has_signals": campaign.has_signals,
        "started_on": campaign.started_at.date().isoformat() if campaign.started_at else "",
        "closed_on": campaign.closed_at.date().isoformat() if campaign.closed_at else "",
        **_lessons_in(campaign),
    }


def _lessons_in(campaign: Campaign) -> dict[str, Any]:
    """Return what a campaign asked before the first task, where it was not simply what its task type brings."""
    if campaign.lessons is None and not campaign.practice_must_be_right:
        return {}
    return {
        "practice": campaign.practice,
        "quiz_pass": campaign.quiz_pass,
        "has_own_lessons": campaign.lessons is not None,
        "practice_must_be_right": campaign.practice_must_be_right,
    }


def collected(
    campaigns: Sequence[Campaign],
    workers: Mapping[int, str],
    simulated_names: Collection[str],
    most: int | None,
    only: QuerySet[Task] | None = None,
) -> Iterator[tuple[dict[str, Any], str, list[CollectedAnswer], bool, CollectedSettlement | None]]:
    """Yield every item and variant (or the first `most`) by key, with its answers, whether all tasks are gold, and the
    answer that reviewers gave the task itself. `only` narrows the tasks that are read."""
    order = {campaign.pk: number for number, campaign in enumerate(campaigns)}
    for page in islice(_pages_of_tasks(campaigns, order, only), most // PAGE if most else None):
        tasks = [pk for _, group in page for pk, _ in group]
        rows = SampledInstance.objects.filter(tasks__in=tasks).values_list("tasks", "value", "tasks__variant")
        asked = {pk: (value, variant) for pk, value, variant in rows}
        answers = _answers(tasks, workers, simulated_names)
        settled = _settled(campaigns, tasks)
        for _, group in page:
            counted = [answer for pk, is_gold in group if not is_gold for answer in answers[pk]]
            own = [settled[pk] for pk, _ in group if pk in settled]
            final = next((settlement for settlement in own if settlement.answer is not None), next(iter(own), None))
            yield *asked[group[0][0]], counted, all(is_gold for _, is_gold in group), final


def _settled(campaigns: Sequence[Campaign], tasks: Sequence[int]) -> dict[int, CollectedSettlement]:
    """Return the answer of each task that its reviewers agree on, and which need another look."""
    if not type_of(campaigns[0]).settles:
        return {}
    needed = dict(Task.objects.filter(pk__in=tasks).values_list("pk", "campaign__reviewers"))
    by_needed: dict[int, list[int]] = defaultdict(list)
    for task, reviewers in needed.items():
        by_needed[reviewers].append(task)
    outcomes = [settlements_of(some, needed=reviewers) for reviewers, some in by_needed.items()]
    return {
        task: CollectedSettlement(end.corrected)
        for part in outcomes
        for task, end in part.items()
        if end.corrected is not None or end.needs_another_look
    }


def _pages_of_tasks(
    campaigns: Sequence[Campaign], order: dict[int, int], only: QuerySet[Task] | None
) -> Iterator[list[tuple[str, list[tuple[int, bool]]]]]:
    """Return pages of items and variants by key, each with its tasks (id, is gold) in the order of the campaigns."""
    rows = Task.objects.filter(campaign__in=campaigns).order_by()
    rows = rows if only is None else rows.filter(pk__in=only)
    fields = ("member__key", "variant", "campaign_id", "pk", "is_gold")
    tasks = [
        (task_key(key, variant), order[campaign], pk, is_gold)
        for key, variant, campaign, pk, is_gold in rows.values_list(*fields).iterator()
    ]
    tasks.sort()  # not in the database: its collation is not ours
    by_key = groupby(tasks, key=lambda task: task[0])
    return batches(((key, [(pk, is_gold) for _, _, pk, is_gold in group]) for key, group in by_key), PAGE)


def _answers(
    tasks: Sequence[int], workers: Mapping[int, str], simulated_names: Collection[str]
) -> dict[int, list[CollectedAnswer]]:
    by_task: dict[int, list[CollectedAnswer]] = defaultdict(list)
    reasons = _reasons(tasks)
    rows = Annotation.objects.filter(assignment__task__in=tasks, assignment__status__in=ANSWERED).order_by()
    for row in rows.values(
        "pk", "answer", "verdict", "corrected", "assignment__task_id", "assignment__status",
        "assignment__late_decision__choice",
        "assignment__participation__worker_id", "assignment__participation__excluded_at",
        "assignment__participation__excluded_why", "assignment__participation__withdrawn_at",
    ):  # fmt: skip
        worker = workers[row["assignment__participation__worker_id"]]
        by_task[row["assignment__task_id"]].append(_answer(row, worker, worker in simulated_names, reasons))
    for answers in by_task.values():
        answers.sort(key=lambda answer: answer.worker)  # not by id, and not by time
    return by_task


def _reasons(tasks: Sequence[int]) -> dict[tuple[int, str], list[str]]:
    """Return the reasons of reviews that stand, by annotation and verdict; bulk reviews looked at no single answer."""
    reasons: dict[tuple[int, str], list[str]] = defaultdict(list)
    rows = Review.objects.filter(annotation__assignment__task__in=tasks, bulk="", undone_by=None).order_by("id")
    for pk, verdict, why in rows.values_list("annotation_id", "verdict", "why"):
        reasons[pk, verdict].append(why.strip())
    return reasons


def _answer(
    row: Mapping[str, Any], worker: str, is_simulated: bool, reasons: Mapping[tuple[int, str], Sequence[str]]
) -> CollectedAnswer:
    left = ""
    if row["assignment__participation__withdrawn_at"]:
        left = "The person withdrew."
    elif row["assignment__participation__excluded_at"]:
        why = row["assignment__participation__excluded_why"].strip()
        left = f"The person was excluded by a researcher{f': {why}' if why else ''}."
    return CollectedAnswer(
        worker=worker,
        answer=row["answer"],
        is_late=row["assignment__status"] == AssignmentStatus.LATE,
        is_turned_down=row["assignment__late_decision__choice"] in (LateChoice.DECLINE, LateChoice.PAY),
        is_simulated=is_simulated,
        left=left,
        verdict=row["verdict"],
        corrected=row["corrected"],
        is_looked_at=(row["pk"], Verdict.ACCEPT.value) in reasons,
        why="; ".join(dict.fromkeys(filter(None, reasons.get((row["pk"], Verdict.EXCLUDE.value), ())))),
    )
