"""Reads of releases, and of the answers they are made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db.models import PROTECT, Count, F, IntegerField, Max, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.fields.related import ForeignObjectRel
from django.db.models.functions import Cast, Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import (
    Annotation,
    AnnotationVersion,
    Assignment,
    AssignmentStatus,
    Campaign,
    LateChoice,
    Participation,
    Release,
    ReleaseDiscard,
    ReleaseExport,
    ReleaseItem,
    RetiredVersion,
    Review,
    Task,
    Verdict,
    Worker,
    simulated,
)
from annotation.releasing.building import Answer, Builder, Built
from annotation.releasing.facts import Facts, ReleaseRow
from annotation.releasing.recipe import Recipe
from annotation.releasing.statistics import Statistics
from annotation.selectors.progress import people_in, real_wage, simulated_in
from corpus.contexts import PARAGRAPH_BREAK, ContextKind
from corpus.frozen import FrozenInstance
from corpus.models import Article, Corpus, SampledInstance
from tesa_site.kernel.errors import InvalidInput, WrongState

PAGE = 200  # instances in memory
ANSWERED = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)


def releases() -> QuerySet[Release]:
    """Return all releases; `simulated` is how many simulated participants wrote each, None where nobody counted."""
    found = Release.objects.select_related("created_by").defer("statistics")
    return found.annotate(simulated=Cast(KT("statistics__released__simulated_annotators"), IntegerField()))


def newest(name: str, version: int | None = None) -> Release:
    """Return the finished release of this name: its newest version, or the one asked for."""
    found = Release.objects.filter(name=name).exclude(content_hash="").order_by("-version")
    release = (found.filter(version=version) if version else found).first()
    if release is None:
        known = ", ".join(map(str, Release.objects.exclude(content_hash="").order_by("name", "version"))) or "none"
        raise InvalidInput(f"there is no such release; known: {known}", field="release")
    return release


def last_version(name: str) -> int:
    """Return the highest version this name ever had, deleted ones included; 0 where there was none."""
    rows = (model.objects.filter(name=name) for model in (Release, RetiredVersion))
    return max(found.aggregate(last=Max("version"))["last"] or 0 for found in rows)


def retired() -> QuerySet[RetiredVersion]:
    """Return the deleted releases whose numbers are not given again."""
    return RetiredVersion.objects.order_by("name", "version")


def values_in_pages(release: Release, page: int = 1000) -> Iterator[ReleaseRow]:
    """Yield all rows in order: what exports are made of."""
    rows, first = ReleaseItem.objects.filter(release=release).order_by("position"), 0
    while some := list(rows.filter(position__range=(first, first + page - 1)).values_list("value", flat=True)):
        yield from some
        first += page


def facts_of(release: Release) -> Facts:
    """Return a finished release as exports describe it."""
    if not release.content_hash or release.frozen_at is None:
        raise WrongState(f"“{release}” is not frozen yet: wait for its job, or retry it.")
    return Facts(
        name=release.name,
        version=release.version,
        content_hash=release.content_hash,
        recipe=release.recipe,
        statistics=release.statistics,
        size=release.size,
        frozen_on=release.frozen_at.date(),
        description=release.description,
        licence=release.licence,
    )


def stored_file(release_id: int, format_: str) -> tuple[File[bytes], str]:
    """Return a file that was made of a release, open, and its name; raises Http404 where there is none."""
    release = get_object_or_404(Release, pk=release_id)
    export = get_object_or_404(ReleaseExport, release=release, format=format_)
    try:
        return default_storage.open(export.file), export.file.rpartition("/")[2]
    except FileNotFoundError as error:
        raise Http404("The file is gone: export it again.") from error


class Places:
    """Says where rows' contexts begin in their articles, if a corpus of that name still holds them unchanged."""

    def __init__(self) -> None:
        self.corpora: dict[str, int] = dict(Corpus.objects.values_list("name", "pk"))

    def __call__(self, rows: Sequence[ReleaseRow]) -> list[int | None]:
        """Return a place, or None, for each of a few hundred rows: one query for each corpus among them."""
        asked: dict[int, set[str]] = {}
        for row in rows:
            if row["corpus"] in self.corpora:
                asked.setdefault(self.corpora[row["corpus"]], set()).add(row["article_id"])
        texts: dict[tuple[int | None, str], tuple[str, str]] = {}
        for corpus, ids in asked.items():
            found = Article.objects.filter(corpus=corpus, source_id__in=ids)
            for id_, abstract, paragraphs in found.values_list("source_id", "abstract", "paragraphs").order_by():
                texts[corpus, id_] = abstract, PARAGRAPH_BREAK.join(paragraphs)
        return [_place(row, texts.get((self.corpora.get(row["corpus"]), row["article_id"]))) for row in rows]


def _place(row: ReleaseRow, texts: tuple[str, str] | None) -> int | None:
    if texts is None:
        return None
    start = texts[0 if row["kind"] == ContextKind.ABSTRACT else 1].find(row["context"])
    return None if start < 0 else start


def discards(release: Release, step: str = "") -> QuerySet[ReleaseDiscard]:
    found = ReleaseDiscard.objects.filter(release=release).order_by("position")
    return found.filter(step=step) if step else found


def seen_at(release: Release, keys: Sequence[str]) -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """Return where instances can be seen: their positions in the release, else (sample, position) of a campaign."""
    kept = dict(ReleaseItem.objects.filter(release=release, key__in=keys).values_list("key", "position"))
    rows = SampledInstance.objects.filter(sample__campaigns__releases=release, key__in=set(keys) - kept.keys())
    return kept, {key: (sample, position) for key, sample, position in rows.values_list("key", "sample_id", "position")}


def items(release: Release, *, type: str = "", size: int = 0) -> QuerySet[ReleaseItem]:
    found = ReleaseItem.objects.filter(release=release).order_by("position")
    found = found.filter(type=type) if type else found
    return found.filter(size=size) if size else found


@dataclass(frozen=True)
class Difference:
    """Which instances only one of two releases holds, and of which they say something else; by key."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    same: int


def difference(before: Release, after: Release) -> Difference:
    old, new = (dict(one.items.order_by().values_list("key", "digest")) for one in (before, after))
    changed = tuple(sorted(key for key in old.keys() & new.keys() if old[key] != new[key]))
    return Difference(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=changed,
        same=len(old.keys() & new.keys()) - len(changed),
    )


def by_key(release: Release, keys: Sequence[str]) -> dict[str, ReleaseItem]:
    return {item.key: item for item in release.items.filter(key__in=keys)}


NAMED = 3  # of each kind; more are counted


@dataclass(frozen=True)
class Usage:
    """Something that is built on a release, in words; `address` is its page, or nothing."""

    label: str
    address: str = ""

    def __str__(self) -> str:
        return self.label


def users_of(release: Release) -> list[Usage]:
    """Return what keeps a release from being deleted: later apps protect what they are built on. Three of each kind."""
    found: list[Usage] = []
    for relation in Release._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is PROTECT:
            other = relation.field.model
            users = other._default_manager.filter(**{relation.field.name: release})
            for user in users[:NAMED]:
                address = getattr(user, "get_absolute_url", str)()
                found.append(Usage(f"{other._meta.verbose_name} “{user}”", address))
            if (more := users.count() - NAMED) > 0:
                found.append(Usage(f"{more:,} more {other._meta.verbose_name_plural}"))
    return found


# ---- What a release is made from ------------------------------------------------------------------


def campaigns_of(recipe: Recipe) -> list[Campaign]:
    """Return the recipe's campaigns by name; one that is gone, or asks something else, is refused."""
    found = {campaign.name: campaign for campaign in Campaign.objects.filter(name__in=recipe.campaigns)}
    for name in recipe.campaigns:
        if name not in found:
            known = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise InvalidInput(f"there is no campaign {name!r}; known: {known}", field="campaigns")
        if found[name].task_type != "aggregation":
            raise InvalidInput(f"{name!r} does not ask for phrases: a release cannot hold it", field="campaigns")
    return [found[name] for name in recipe.campaigns]


def state_of(campaigns: Sequence[Campaign]) -> tuple[Any, ...]:
    """Return what differs when an answer, a review or an exclusion came in between two looks."""
    answers = Annotation.objects.filter(assignment__campaign__in=campaigns)
    people = Participation.objects.filter(campaign__in=campaigns)
    return (
        *answers.aggregate(n=Count("id"), last=Max("reviewed_at"), open=Count("id", filter=Q(verdict=""))).values(),
        Review.objects.filter(annotation__assignment__campaign__in=campaigns).count(),
        AnnotationVersion.objects.filter(annotation__assignment__campaign__in=campaigns).count(),
        *people.aggregate(out=Count("excluded_at"), gone=Count("withdrawn_at")).values(),
    )


def workers_of(campaigns: Sequence[Campaign]) -> dict[int, str]:
    """Return who took part: a name that is the same wherever the person answers, by the row's id."""
    rows = Worker.objects.filter(participations__campaign__in=campaigns).distinct()
    named = rows.values_list("pk", "provider", "external_id")
    return {pk: f"{provider}\n{external}" for pk, provider, external in named}


def simulated_workers(campaigns: Sequence[Campaign]) -> frozenset[str]:
    """Return the names that `workers_of` gives to simulated participants."""
    rows = Worker.objects.filter(simulated(), participations__campaign__in=campaigns).distinct()
    return frozenset(f"{provider}\n{external}" for provider, external in rows.values_list("provider", "external_id"))


def assignments_done(campaigns: Sequence[Campaign], workers: dict[int, str]) -> dict[str, int]:
    """Return how many tasks each person has answered, gold aside."""
    rows = Assignment.objects.filter(campaign__in=campaigns, status__in=ANSWERED, task__is_gold=False)
    rows = rows.filter(annotation__isnull=False).order_by()
    counted = rows.values_list("participation__worker_id").annotate(n=Count("id"))
    return {workers[worker]: n for worker, n in counted}


def told_campaign(campaign: Campaign) -> dict[str, Any]:
    """Return what a datasheet says of a campaign: who, at what pay, how long, under which instructions.

    Simulated participants are counted beside the people; times and wages are of people alone.
    """
    people = people_in(campaign)
    counts = people.aggregate(n=Count("id"), out=Count("excluded_at"), gone=Count("withdrawn_at"))
    answers = Annotation.objects.filter(assignment__campaign=campaign, assignment__status=AssignmentStatus.SUBMITTED)
    answers = answers.exclude(simulated("assignment__participation__worker__"))
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
    }


def built(
    recipe: Recipe, campaigns: Sequence[Campaign], pseudonym: Callable[[str], str], most: int | None = None
) -> Iterator[Built]:
    """Yield what the recipe makes of every instance (or of the first `most`), by the instances' keys."""
    workers, invented = workers_of(campaigns), simulated_workers(campaigns)
    builder = Builder(recipe, recipe.pipeline(), assignments_done(campaigns, workers), pseudonym)
    order = {campaign.pk: number for number, campaign in enumerate(campaigns)}
    for some in islice(_pages_of_tasks(campaigns, order), most // PAGE if most else None):
        tasks = [task for _, group in some for task in group]
        values = dict(SampledInstance.objects.filter(tasks__in=[pk for pk, _ in tasks]).values_list("tasks", "value"))
        answers = _answers([pk for pk, _ in tasks], workers, invented)
        for _, group in some:
            instance = FrozenInstance.from_json(values[group[0][0]])
            given = [answer for pk, is_gold in group if not is_gold for answer in answers[pk]]
            yield builder.build(instance, given, is_gold=all(is_gold for _, is_gold in group))


def _pages_of_tasks(
    campaigns: Sequence[Campaign], order: dict[int, int]
) -> Iterator[list[tuple[str, list[tuple[int, bool]]]]]:
    """Yield instances by key, each with its tasks (id, is gold) in the order of the campaigns."""
    rows = Task.objects.filter(campaign__in=campaigns).order_by()
    found = [
        (key, order[campaign], pk, is_gold)
        for key, campaign, pk, is_gold in rows.values_list("member__key", "campaign_id", "pk", "is_gold").iterator()
    ]
    found.sort()  # here, not in the database: its collation is not ours
    page: list[tuple[str, list[tuple[int, bool]]]] = []
    for key, group in groupby(found, key=lambda one: one[0]):
        page.append((key, [(pk, is_gold) for _, _, pk, is_gold in group]))
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page


def _answers(tasks: Sequence[int], workers: dict[int, str], invented: Collection[str]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = defaultdict(list)
    said = _said(tasks)
    rows = Annotation.objects.filter(assignment__task__in=tasks, assignment__status__in=ANSWERED).order_by()
    for one in rows.values(
        "pk", "answer", "verdict", "phrases", "assignment__task_id", "assignment__status",
        "assignment__late_decision__choice",
        "assignment__participation__worker_id", "assignment__participation__excluded_at",
        "assignment__participation__excluded_why", "assignment__participation__withdrawn_at",
    ):  # fmt: skip
        answer = _answer(one, workers, said)
        answer = replace(answer, is_simulated=answer.worker in invented)
        found[one["assignment__task_id"]].append(answer)
    for answers in found.values():
        answers.sort(key=lambda answer: answer.worker)  # not by id, and not by time
    return found


def _said(tasks: Sequence[int]) -> dict[tuple[int, str], list[str]]:
    """Return the reasons that stand, by annotation and verdict. Accepting many at once is no look at this one."""
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    rows = Review.objects.filter(annotation__assignment__task__in=tasks, bulk="", undone_by=None).order_by("id")
    for pk, verdict, why in rows.values_list("annotation_id", "verdict", "why"):
        found[pk, verdict].append(why.strip())
    return found


def _answer(row: Mapping[str, Any], workers: dict[int, str], said: Mapping[tuple[int, str], Sequence[str]]) -> Answer:
    left = ""
    if row["assignment__participation__withdrawn_at"]:
        left = "The person withdrew."
    elif row["assignment__participation__excluded_at"]:
        why = row["assignment__participation__excluded_why"].strip()
        left = f"The person was excluded by a researcher{f': {why}' if why else ''}."
    corrected = row["phrases"]
    return Answer(
        worker=workers[row["assignment__participation__worker_id"]],
        phrases=tuple(map(str, row["answer"].get("phrases") or ())),
        impossible=bool(row["answer"].get("impossible")),
        is_late=row["assignment__status"] == AssignmentStatus.LATE,
        is_turned_down=row["assignment__late_decision__choice"] in (LateChoice.DECLINE, LateChoice.PAY),
        left=left,
        verdict=row["verdict"],
        corrected=None if corrected is None else tuple(map(str, corrected)),
        is_looked_at=(row["pk"], Verdict.ACCEPT.value) in said,
        why="; ".join(dict.fromkeys(filter(None, said.get((row["pk"], Verdict.EXCLUDE.value), ())))),
    )


def preview(recipe: Recipe, most: int | None = None) -> Statistics:
    """Return what a release by this recipe would hold now; nothing is stored.

    A page looks at the first `most` instances only: their keys are hashes, so they are a fair sample of all.
    """
    statistics = Statistics()
    for one in built(recipe, campaigns_of(recipe), lambda worker: worker, most):
        statistics.add(one)
    return statistics
