"""The jobs of campaigns and releases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.urls import reverse

from annotation.models import Annotation, Campaign, FollowUp, Release
from annotation.providers import DEFAULT_RESULTS, RESULT_FORMATS
from annotation.services import (
    assessing,
    campaigns,
    demo,
    demo_votes,
    doubts,
    follow_ups,
    importing,
    people_checks,
    release_exports,
    releases,
)
from annotation.services.market import following, rehearsing
from annotation.task_types import task_count
from corpus.models import Sample
from corpus.services import uploads
from kernel import jobs
from kernel.errors import InvalidInput
from kernel.job_kind import JobKind, JobResult
from kernel.models import User
from kernel.progress import Progress
from kernel.values import counted

LOGGED = 200  # bad rows of an imported file that are named one by one


def make_tasks(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.select_related("sample").filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    total = task_count(campaign.task_type, campaign.sample.size)
    for done in campaigns.make_tasks(campaign):
        progress.report(done, total, f"{counted(done, 'task')} made")
    return JobResult(f"{counted(total, 'task is', 'tasks are')} ready.", reverse("campaign", args=[campaign.pk]))


MAKE_TASKS = JobKind(
    label="Create tasks", queue="default", run=make_tasks, repeatable=True, permission="annotation.add_campaign"
)


def look_at_people(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    progress.report(0, 1, "reading every answer")
    number = people_checks.look_at_people(campaign)
    while doubts.catch_up(campaign, most=doubts.CHUNK):
        progress.report(0, 1, "scoring tasks for the review")
    progress.report(1, 1)
    return JobResult(
        f"The quality checks have {counted(number, 'warning')}.", reverse("campaign-people", args=[campaign.pk])
    )


LOOK_AT_PEOPLE = JobKind(
    label="Run quality checks",
    queue="default",
    run=look_at_people,
    repeatable=True,
    permission="annotation.change_participation",
)


def import_results(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    by = User.objects.filter(pk=parameters.get("by_id") or 0).first()
    path, logged = Path(parameters["path"]), 0
    done = importing.Import()
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for done in importing.import_results(campaign, DEFAULT_RESULTS, file, by=by):
                progress.report(done.read, None, f"{counted(done.read, 'row')} read")
                for bad in done.bad[logged:LOGGED]:
                    progress.log(f"{path.name}, line {bad.line}: {bad.reason}")
                logged = len(done.bad)
    except OSError as error:
        raise InvalidInput(f"cannot be read ({error.strerror or error})", where=path.name) from error
    uploads.delete_upload(str(path))
    added, unusable = counted(done.added, "answer was", "answers were"), counted(len(done.bad), "row was", "rows were")
    text = f"{added} added; {counted(done.known, 'was', 'were')} there already; {unusable} not usable."
    return JobResult(text, reverse("campaign", args=[campaign.pk]))


IMPORT_RESULTS = JobKind(
    label=f"Import {RESULT_FORMATS[DEFAULT_RESULTS].label} results",
    queue="default",
    run=import_results,
    repeatable=True,
    permission="annotation.change_campaign",
)


def assess(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Run again, it replaces what it found."""
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    answers = Annotation.objects.filter(assignment__campaign=campaign).count()
    total = max(1, -(-answers // assessing.EVERY) + campaign.tasks_made // doubts.CHUNK + 2)
    for done, step in enumerate(assessing.assess(campaign), 1):
        progress.report(min(done, total), total, step)
    return JobResult(f"{counted(answers, 'answer')} assessed.", reverse("agreement-campaign", args=[campaign.pk]))


ASSESS_CAMPAIGN = JobKind(
    label="Measure agreement", queue="default", run=assess, repeatable=True, permission="annotation.add_review"
)


def demo_campaigns(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    sample = Sample.objects.filter(name=parameters["sample"], is_demo=True).exclude(content_hash="").first()
    if sample is None:
        return JobResult("The demo is gone.")
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    answers = demo.seed_campaigns(sample, by=by, report=progress.report)
    _assess_demo(by)
    release = demo.seed_release(by=by, report=progress.report)
    votes = demo_votes.seed_votes(by=by, report=progress.report)
    _assess_demo(by)
    demo_votes.seed_release_of_votes(by=by, report=progress.report)
    then = ("demo_models", {"release": release.pk, "by": parameters.get("by")})
    number = f"{len(demo.PASTS) + 1} campaigns with {answers + votes:,} simulated answers"
    return JobResult(f"{number}, and two releases.", then=then)


def _assess_demo(by: User | None) -> None:
    for campaign_id in demo.campaigns_over():
        if job := assessing.start_due(campaign_id, by=by):
            jobs.nudge(job)


DEMO_CAMPAIGNS = JobKind(label="Create demo campaigns", queue="default", run=demo_campaigns, repeatable=True)


def _release(parameters: Mapping[str, Any]) -> Release:
    if release := Release.objects.filter(pk=parameters["release"]).first():
        return release
    raise InvalidInput("the release is gone", field="release")


def freeze_release(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Fill and close a release. After a crash it starts from the beginning."""
    release = _release(parameters)
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    release = releases.freeze_release(release, by=by, report=progress.report)
    return JobResult(f"{counted(release.size, 'instance')} frozen.", reverse("release", args=[release.pk]))


FREEZE_RELEASE = JobKind(
    label="Create release", queue="default", run=freeze_release, repeatable=True, permission="annotation.add_release"
)


def export_release(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Write one format of a release. Repeating it replaces the last file."""
    release = _release(parameters)
    total = release.size
    export = release_exports.export_release(
        release, parameters["format"], lambda done: progress.report(done, total, f"{counted(done, 'instance')} written")
    )
    url = reverse("release-download", args=[release.pk, export.format])
    return JobResult(f"{counted(total, 'instance')} written, {filesizeformat(export.size)}.", url)


EXPORT_RELEASE = JobKind(
    label="Make release file",
    queue="default",
    run=export_release,
    repeatable=True,
    permission="annotation.view_release",
)


def follow_marketplace(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """The only place, with the next job, from which a marketplace is called. Run again, it does what is missing."""
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    text = following.follow_all(campaign, report=progress.report, compare=bool(parameters.get("compare")))
    return JobResult(text, reverse("campaign-market", args=[campaign.pk]))


def make_follow_up(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Run again, it goes on where it stopped."""
    rows = FollowUp.objects.select_related("sample", "parent__sample", "campaign__sample")
    row = rows.filter(pk=parameters["follow_up"]).first()
    if row is None:
        return JobResult(follow_ups.GONE)
    by = User.objects.filter(pk=parameters.get("by_id") or 0).first()
    draft = follow_ups.make_follow_up(row, by=by, report=progress.report)
    text = f"{counted(row.sample.size, 'item is', 'items are')} ready to be asked about."
    return JobResult(text, reverse("campaign", args=[draft.pk]))


MAKE_FOLLOW_UP = JobKind(
    label="Create follow-up", queue="default", run=make_follow_up, repeatable=True, permission="annotation.add_campaign"
)


FOLLOW_MARKETPLACE = JobKind(
    label="Publish, collect and pay on a marketplace",
    queue="default",
    run=follow_marketplace,
    repeatable=False,  # it spends money; the scheduler starts the next one, which does what is missing
    permission="annotation.spend",
)


def rehearse_campaign(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Run again, it goes on with the same copy."""
    copy = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if copy is None:
        return JobResult("The rehearsal is gone.")
    by = User.objects.filter(pk=parameters.get("by_id") or 0).first()
    text = rehearsing.rehearse(copy, by=by, progress=progress)
    return JobResult(text, reverse("campaign-publish", args=[copy.made_from_id or copy.pk]))


REHEARSE_CAMPAIGN = JobKind(
    label="Rehearse on the marketplace’s sandbox",
    queue="default",
    run=rehearse_campaign,
    repeatable=True,
    permission="annotation.add_campaign",
)


def expire_everything(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    by = User.objects.filter(pk=parameters.get("by_id") or 0).first()
    return JobResult(following.expire_everything(by=by, report=progress.report))


EXPIRE_EVERYTHING = JobKind(
    label="Expire everything on marketplaces",
    queue="default",
    run=expire_everything,
    repeatable=True,
    permission="annotation.spend",
)
