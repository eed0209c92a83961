from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.cleaning.pipeline import Cleaned
from annotation.cleaning.stored import PIPELINES, pipeline_named
from annotation.models import Campaign
from annotation.selectors.cleaned import dry_run
from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.values import counted


class Command(BaseCommand):
    help = "List what other cleaning rules would alter in a campaign's answers. Nothing is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its name")
        parser.add_argument("--from", dest="before", default="paper", help=f"one of {', '.join(PIPELINES)}")
        parser.add_argument("--to", dest="after", default="tesa", help=f"one of {', '.join(PIPELINES)}")

    def handle(self, *, campaign: str, before: str, after: str, **options: Any) -> None:
        row = Campaign.objects.filter(name=campaign).first()
        if row is None:
            raise CommandError(f"There is no campaign {campaign!r}.")
        try:
            found = dry_run(row, pipeline_named(before), pipeline_named(after))
        except TesaError as error:
            raise CommandError(str(error)) from error
        for change in found.changes:
            self.stdout.write(
                f"{change.kind}\t{change.key}\t{change.raw}\t{told(change.before)} → {told(change.after)}"
            )
        counts = ", ".join(f"{number:,} {kind}" for kind, number in found.counts.items()) or "no change"
        self.stdout.write(
            f"{found.before.identity} → {found.after.identity}: {counted(found.annotations, 'annotation')}, {counts}"
        )


def told(cleaned: Cleaned) -> str:
    """Return the phrase, or the rule that discards it."""
    discarding = next((mark.rule for mark in cleaned.marks if mark.discards), "")
    return f"[{discarding}]" if cleaned.phrase is None else cleaned.phrase
