"""Previewing, freezing and deleting releases. The database refuses every change of a frozen release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from annotation.models import Campaign, Release, ReleaseDiscard, ReleaseItem, RetiredVersion
from annotation.pseudonyms import Pseudonyms
from annotation.releasing.building import Builder, Built
from annotation.releasing.fitting import AllEstimates, fit
from annotation.releasing.hashing import ReleaseHash, digest_of
from annotation.releasing.recipe import Recipe
from annotation.releasing.statistics import Judgements, Statistics
from annotation.releasing.votes import FIELD, JudgedPieces
from annotation.selectors import follow_up_votes, release_answers
from annotation.selectors import releases as selectors
from annotation.task_types import type_of
from annotation.task_types.consensus_rules import needing_all
from annotation.task_types.releases import ReleaseFacet
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.values import Json, batches, counted, storable

CHUNK = 100  # instances a transaction: some tens of milliseconds
DELETE_CHUNK = 500
LONGEST_NAME = 100
UNFITTED: AllEstimates = {}
Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class ReleasePlan:
    """What to freeze, and how to present it."""

    name: str
    recipe: Recipe
    description: str = ""
    licence: str = ""
    is_demo: bool = False


def create_release(plan: ReleasePlan, *, by: User | None) -> Release:
    """Create the next version of this name, empty; `freeze_release` fills it in a job or a command."""
    name = storable(plan.name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"give the release a name of at most {LONGEST_NAME} characters", field="name")
    if len(plan.licence) > 200:
        raise InvalidInput("must have at most 200 characters", field="licence")
    campaigns = release_answers.campaigns_of(plan.recipe)
    plan.recipe.cleaning_of(type_of(plan.recipe))
    if plan.recipe.votes:
        follow_up_votes.check_votes(campaigns, plan.recipe.votes)
    try:
        with transaction.atomic():
            release = Release.objects.create(
                name=name,
                version=selectors.last_version(name) + 1,
                recipe=plan.recipe.to_json(),
                description=storable(plan.description).strip(),
                licence=storable(plan.licence).strip(),
                created_by=by,
                is_demo=plan.is_demo or all(campaign.is_demo for campaign in campaigns),
            )
            release.campaigns.set(campaigns)
    except IntegrityError as error:
        raise WrongState(f"A release “{name}” is being created right now: try again.") from error
    return release


def start_freezing(release: Release, *, by: User | None) -> Job:
    """Queue the job that fills the release."""
    return job_services.create_job(
        "freeze_release",
        subject=str(release),
        parameters={"release": release.pk, "by": by.pk if by else None},
        by=by,
        lock=lock_of(release),
    )


def lock_of(release: Release) -> str:
    return f"release {release.pk}"


def preview_release(recipe: Recipe, most: int | None = None) -> Statistics:
    """Return the statistics that a release by this recipe would have now; nothing is stored.

    With `most`, only the first instances are read: their keys are hashes, so they are a fair sample of all.
    """
    statistics = Statistics(type_of(recipe).release, looks_at_trust=recipe.trust_limit is not None)
    campaigns = release_answers.campaigns_of(recipe)
    follow_up = _FollowUpFacts.of(recipe, campaigns)
    for built in _build(recipe, campaigns, lambda worker: worker, follow_up, most=most):
        statistics.add(built)
    return statistics


@dataclass(frozen=True)
class _FollowUpFacts:
    """What follow-ups say of the items: which are gone, and the votes on their pieces."""

    gone: Mapping[str, str]
    judged: JudgedPieces | None

    @classmethod
    def of(cls, recipe: Recipe, campaigns: Sequence[Campaign]) -> _FollowUpFacts:
        gone = follow_up_votes.gone_items(campaigns, simulated=recipe.simulated)
        return cls(gone, follow_up_votes.judged(recipe, campaigns))


def _build(
    recipe: Recipe,
    campaigns: Sequence[Campaign],
    pseudonym: Callable[[str], str],
    follow_up: _FollowUpFacts,
    simulated: frozenset[str] | None = None,
    most: int | None = None,
    estimates: AllEstimates = UNFITTED,
) -> Iterator[Built]:
    """Yield what the recipe makes of every instance (or of the first `most`), by the instances' keys."""
    type_, workers = type_of(recipe), release_answers.workers_of(campaigns)
    done = release_answers.assignments_done(campaigns, workers)
    cleaning, gone, judged = recipe.cleaning_of(type_), follow_up.gone, follow_up.judged
    trusted = release_answers.trust_of_workers(campaigns, workers) if recipe.trust_limit else {}
    builder = Builder(recipe, type_, cleaning, done, pseudonym, estimates, gone, judged, trusted)
    simulated = release_answers.simulated_workers(campaigns) if simulated is None else simulated
    for item, variant, answers, is_gold, settled in release_answers.collected(campaigns, workers, simulated, most):
        yield builder.build(item, answers, variant=variant, is_gold=is_gold, settled=settled)


def freeze_release(release: Release, *, by: User | None, report: Report) -> Release:
    """Fill and close a release in short transactions. After an interruption, start again; if frozen, do nothing."""
    if release.content_hash:
        return release
    recipe = Recipe.from_json(release.recipe)
    release.recipe = recipe.to_json()  # of today's schema, as the rows are
    campaigns, facet = release_answers.campaigns_of(recipe), type_of(recipe).release
    report(0, None, "Collecting the answers")
    _empty(release)
    total = sum(campaign.tasks_made for campaign in campaigns)
    read = follow_up_votes.read_for(recipe, campaigns)
    state = release_answers.state_of(read)
    follow_up = _FollowUpFacts.of(recipe, campaigns)
    statistics, judgements, digest = (
        Statistics(facet, looks_at_trust=recipe.trust_limit is not None),
        Judgements(facet.words.measured, type_of(recipe).scales),
        ReleaseHash(release.recipe),
    )
    simulated = release_answers.simulated_workers(campaigns)
    estimates = _fitted(recipe, campaigns, simulated, follow_up, report)
    pseudonyms = Pseudonyms(settings.SECRET_KEY, release.name, release.version, simulated)
    writer, done = _Writer(release, facet, pseudonyms), 0
    for batch in batches(_build(recipe, campaigns, pseudonyms.of, follow_up, simulated, estimates=estimates), CHUNK):
        for built in batch:
            statistics.add(built)
            judgements.add(built)
            if built.row is not None:
                digest.add(built.row)
        writer.store(batch)
        done += len(batch)
        report(done, total, f"{counted(writer.items, 'instance')} kept, {counted(writer.discards, 'thing')} left out")
    if state != release_answers.state_of(read):
        raise WrongState(
            "Answers, reviews or exclusions changed in the meantime: try again, so that all of them count."
        )
    figures: dict[str, Any] = statistics.to_json()
    if not writer.items:
        raise InvalidInput(_why_empty(figures), field="recipe")
    release.statistics = {
        **figures,
        "agreement": judgements.to_json(),
        "campaigns": [release_answers.campaign_facts(campaign) for campaign in campaigns],
        **_votes_in(recipe),
    }
    return _close(release, writer.items, digest.hexdigest(), by=by)


def _votes_in(recipe: Recipe) -> dict[str, Any]:
    """Return what statistics say of votes; nothing where the recipe asks for none."""
    if recipe.votes is None:
        return {}
    voting = Campaign.objects.select_related("instructions").get(name=recipe.votes.campaign)
    return {FIELD: release_answers.campaign_facts(voting)}


def _fitted(
    recipe: Recipe, campaigns: Sequence[Campaign], simulated: frozenset[str], follow_up: _FollowUpFacts, report: Report
) -> AllEstimates:
    """Return what rules that look at all tasks find; without such a rule nothing is read."""
    parts = needing_all(type_of(recipe).consensus_rules, recipe.consensus)
    if not parts:
        return UNFITTED
    report(0, None, "Comparing the answers to all tasks")
    return fit(parts, _build(recipe, campaigns, str, follow_up, simulated))


def _why_empty(statistics: Mapping[str, Any]) -> str:
    if statistics["discarded"]["simulated"]:
        return (
            "the recipe keeps no instances: it leaves out the answers of simulated participants. Set `simulated` to "
            "include them, marked as simulated"
        )
    return "the recipe keeps no instances: preview it and lower its thresholds"


class _Writer:
    """Stores what was built, with positions that run from 0."""

    def __init__(self, release: Release, facet: ReleaseFacet, pseudonyms: Pseudonyms) -> None:
        self.release, self.facet, self.pseudonyms = release, facet, pseudonyms
        self.items = self.discards = 0

    def store(self, batch: Sequence[Built]) -> None:
        rows = [built.row for built in batch if built.row is not None]
        discarded = [discard for built in batch for discard in built.discarded]
        with transaction.atomic():
            ReleaseItem.objects.bulk_create(self._item(*numbered) for numbered in enumerate(rows, self.items))
            ReleaseDiscard.objects.bulk_create(
                ReleaseDiscard(
                    release=self.release,
                    position=position,
                    step=discard.step,
                    why=discard.why,
                    key=discard.key,
                    annotator=self.pseudonyms.of(discard.worker) if discard.worker else "",
                    answer=discard.answer,
                )
                for position, discard in enumerate(discarded, self.discards)
            )
        self.items += len(rows)
        self.discards += len(discarded)

    def _item(self, position: int, row: dict[str, Any]) -> ReleaseItem:
        category, size = self.facet.category_and_size(row)
        return ReleaseItem(
            release=self.release,
            position=position,
            key=row["key"],
            type=category,
            size=size,
            value=row,
            digest=digest_of(row),
        )


@transaction.atomic
def _close(release: Release, size: int, digest: str, *, by: User | None) -> Release:
    release.size, release.content_hash, release.frozen_at = size, digest, now()
    release.save(update_fields=["recipe", "size", "content_hash", "statistics", "frozen_at"])
    audit.record("freeze release", release, by=by, after=_as_json(release))
    return release


def _as_json(release: Release) -> Json:
    return {"size": release.size, "content_hash": release.content_hash, "recipe": release.recipe}


# ---- Deleting -------------------------------------------------------------------------------------


def delete_release(release: Release, *, by: User | None) -> None:
    """Delete a release, its items and its files in short transactions; raises WrongState while anything uses it.

    The version of a frozen release is never used again.
    """
    with transaction.atomic():
        if users := selectors.users_of(release):
            raise WrongState(f"“{release}” is used by {', '.join(map(str, users))}: delete that first.")
        audit.record("delete release", release, by=by, before=_as_json(release))
        if release.content_hash:
            fields = {"content_hash": release.content_hash, "is_demo": release.is_demo}
            RetiredVersion.objects.get_or_create(name=release.name, version=release.version, defaults=fields)
        Release.objects.filter(pk=release.pk).update(content_hash="")  # from here on nobody can use it
    for name in release.exports.values_list("file", flat=True):
        default_storage.delete(name)
    try:
        _empty(release)
        release.delete()
    except ProtectedError as error:
        raise WrongState(
            f"“{release}” is used by {counted(len(error.protected_objects), 'other')}: delete those first."
        ) from error


def _empty(release: Release) -> None:
    for model in (ReleaseItem, ReleaseDiscard):
        rows = model.objects.filter(release=release).order_by()
        while ids := list(rows.values_list("pk", flat=True)[:DELETE_CHUNK]):
            model.objects.filter(pk__in=ids).delete()
