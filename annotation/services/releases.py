"""Freezing releases, and taking them away. A frozen release is never changed: the database itself refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from annotation.models import Release, ReleaseDiscard, ReleaseItem, RetiredVersion
from annotation.releasing.agreeing import Judgements
from annotation.releasing.building import Built
from annotation.releasing.hashing import ReleaseHash, digest_of
from annotation.releasing.pseudonyms import Pseudonyms
from annotation.releasing.recipe import Recipe
from annotation.releasing.statistics import Statistics
from annotation.selectors import releases as selectors
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.services import audit
from tesa_site.kernel.services import jobs as job_services
from tesa_site.kernel.values import Json, batches, counted, storable

CHUNK = 100  # instances a transaction: some tens of milliseconds
DELETE_CHUNK = 500
LONGEST_NAME = 100
Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Order:
    """What to freeze, and how to present it."""

    name: str
    recipe: Recipe
    description: str = ""
    licence: str = ""
    is_demo: bool = field(default=False)


def create_release(order: Order, *, by: User | None) -> Release:
    """Return the next version of this name, empty: `freeze_release` fills it, in a job or a command."""
    name = storable(order.name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"give the release a name of at most {LONGEST_NAME} characters", field="name")
    if len(order.licence) > 200:
        raise InvalidInput("must have at most 200 characters", field="licence")
    campaigns = selectors.campaigns_of(order.recipe)
    order.recipe.pipeline()
    try:
        with transaction.atomic():
            release = Release.objects.create(
                name=name,
                version=selectors.last_version(name) + 1,
                recipe=order.recipe.to_json(),
                description=storable(order.description).strip(),
                licence=storable(order.licence).strip(),
                created_by=by,
                is_demo=order.is_demo or all(campaign.is_demo for campaign in campaigns),
            )
            release.campaigns.set(campaigns)
    except IntegrityError as error:
        raise WrongState(f"A release “{name}” is being made at this moment: try again.") from error
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


def freeze_release(release: Release, *, by: User | None, report: Report) -> Release:
    """Fill and close a release in short steps. Stopped half-way, it starts anew; frozen already, nothing is done."""
    if release.content_hash:
        return release
    recipe = Recipe.from_json(release.recipe)
    campaigns = selectors.campaigns_of(recipe)
    report(0, None, "Looking what there is")
    _empty(release)
    total = sum(campaign.tasks_made for campaign in campaigns)
    state = selectors.state_of(campaigns)
    statistics, judgements, digest = Statistics(), Judgements(), ReleaseHash(release.recipe)
    pseudonyms = Pseudonyms(settings.SECRET_KEY, release.name, release.version, selectors.simulated_workers(campaigns))
    writer, done = _Writer(release, pseudonyms), 0
    for some in batches(selectors.built(recipe, campaigns, pseudonyms.of), CHUNK):
        for one in some:
            statistics.add(one)
            judgements.add(one)
            if one.row is not None:
                digest.add(one.row)
        writer.store(some)
        done += len(some)
        report(done, total, f"{counted(writer.items, 'instance')} kept, {counted(writer.discards, 'thing')} left out")
    if state != selectors.state_of(campaigns):
        raise WrongState("Answers, reviews or exclusions came in meanwhile: freeze again, so that all of it counts.")
    told: dict[str, Any] = statistics.to_json()
    if not writer.items:
        raise InvalidInput(_why_empty(told), field="recipe")
    release.statistics = {
        **told,
        "agreement": judgements.to_json(),
        "campaigns": [selectors.told_campaign(campaign) for campaign in campaigns],
    }
    return _close(release, writer.items, digest.hexdigest(), by=by)


def _why_empty(statistics: Mapping[str, Any]) -> str:
    if statistics["discarded"]["simulated"]:
        return (
            "the recipe keeps no instance: it leaves out the answers of simulated participants. Set `simulated` to "
            "include them, marked as simulated"
        )
    return "the recipe keeps no instance: look at the preview and loosen its filters"


class _Writer:
    """Stores what was built, with positions that run from 0."""

    def __init__(self, release: Release, pseudonyms: Pseudonyms) -> None:
        self.release, self.pseudonyms = release, pseudonyms
        self.items = self.discards = 0

    def store(self, some: Iterable[Built]) -> None:
        some = list(some)
        rows = [one.row for one in some if one.row is not None]
        left_out = [one for built in some for one in built.discarded]
        with transaction.atomic():
            ReleaseItem.objects.bulk_create(
                ReleaseItem(
                    release=self.release,
                    position=position,
                    key=row["key"],
                    type=row["entity_type"],
                    size=len(row["entities"]),
                    value=row,
                    digest=digest_of(row),
                )
                for position, row in enumerate(rows, self.items)
            )
            ReleaseDiscard.objects.bulk_create(
                ReleaseDiscard(
                    release=self.release,
                    position=position,
                    step=one.step,
                    why=one.why,
                    key=one.key,
                    annotator=self.pseudonyms.of(one.worker) if one.worker else "",
                    answer=one.answer,
                )
                for position, one in enumerate(left_out, self.discards)
            )
        self.items += len(rows)
        self.discards += len(left_out)


@transaction.atomic
def _close(release: Release, size: int, digest: str, *, by: User | None) -> Release:
    release.size, release.content_hash, release.frozen_at = size, digest, now()
    release.save(update_fields=["size", "content_hash", "statistics", "frozen_at"])
    audit.record("freeze release", release, by=by, after=_told(release))
    return release


def _told(release: Release) -> Json:
    return {"size": release.size, "content_hash": release.content_hash, "recipe": release.recipe}


# ---- Taking away ----------------------------------------------------------------------------------


def delete_release(release: Release, *, by: User | None) -> None:
    """Delete a release, its items and its files in short steps; refused with a sentence while anything uses it.

    Once frozen, its version stays taken: the next of this name has another one.
    """
    with transaction.atomic():
        if users := selectors.users_of(release):
            raise WrongState(f"“{release}” is used by {', '.join(map(str, users))}: delete that first.")
        audit.record("delete release", release, by=by, before=_told(release))
        if release.content_hash:
            told = {"content_hash": release.content_hash, "is_demo": release.is_demo}
            RetiredVersion.objects.get_or_create(name=release.name, version=release.version, defaults=told)
        Release.objects.filter(pk=release.pk).update(content_hash="")  # nobody may build on it from here
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
