"""Assessing a campaign: evidence about its workers, how far they agree, and how doubtful each task is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.cleaning.tesa import TESA
from annotation.models import AgreementReport, Campaign
from annotation.quality.report import Judged, measure
from annotation.selectors.cleaned import CleanedRow, cleaned_rows
from annotation.services import doubts, people
from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.services import jobs as job_services

EVERY = 1000  # answers between two words on how far it is


def start(campaign: Campaign, *, by: User | None) -> Job:
    """Queue the job that assesses the campaign."""
    parameters, lock = {"campaign": campaign.pk}, f"assess campaign {campaign.pk}"
    return job_services.create_job("assess_campaign", subject=str(campaign), parameters=parameters, by=by, lock=lock)


def assess(campaign: Campaign) -> Iterator[str]:
    """Assess everything again; yields what it does. Safe to repeat: it replaces what was there."""
    rows: list[CleanedRow] = []
    for row in cleaned_rows(campaign, TESA):
        rows.append(row)
        if len(rows) % EVERY == 0:
            yield f"{len(rows):,} answers cleaned"
    yield "Looking at the people"
    people.look_at_people(campaign)
    yield f"Measuring {len(rows):,} answers"
    store_report(campaign, rows)
    for done in doubts.score_campaign(campaign):
        yield f"{done:,} tasks scored"


def store_report(campaign: Campaign, rows: Sequence[CleanedRow]) -> AgreementReport:
    """Measure agreement over cleaned answers and keep it."""
    counted = [row for row in rows if not row.is_gold and not row.is_excluded]
    judged = [Judged(r.instance, str(r.participation), r.type, r.created_at.date(), r.phrases) for r in counted]
    gold = [(str(r.participation), r.is_gold_hit) for r in rows if r.is_gold_hit is not None and not r.is_excluded]
    value = measure(judged, gold, seed=campaign.seed)
    fields = {"value": value, "pipeline": TESA.identity, "answers": len(judged), "made_at": now()}
    report, _ = AgreementReport.objects.update_or_create(campaign=campaign, defaults=fields)
    return report
