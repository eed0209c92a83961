from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from annotation.management.running import campaign_named
from annotation.selectors.cleaned import dry_run
from annotation.task_types import cleaning_named, type_of
from annotation.task_types.cleaned import CleanedPart
from kernel.management.running import TesaCommand
from kernel.values import counted


class Command(TesaCommand):
    help = "List what other cleaning rules would change in a campaign's answers. Nothing is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its name")
        parser.add_argument("--from", dest="before", help="a cleaning of its task type; the first by default")
        parser.add_argument("--to", dest="after", help="another; the one in use by default")

    def handle(self, *, campaign: str, before: str | None, after: str | None, **options: Any) -> None:
        row = campaign_named(campaign)
        type_ = type_of(row)
        old = cleaning_named(type_, before or next(iter(type_.cleanings)))
        run = dry_run(row, old, cleaning_named(type_, after or type_.cleaning.name))
        for change in run.changes:
            self.stdout.write(
                f"{change.kind}\t{change.key}\t{change.raw}\t{shown(change.before)} → {shown(change.after)}"
            )
        counts = ", ".join(f"{number:,} {kind}" for kind, number in run.counts.items()) or "no change"
        self.stdout.write(
            f"{run.before.identity} → {run.after.identity}: {counted(run.annotations, 'annotation')}, {counts}"
        )


def shown(part: CleanedPart) -> str:
    """Return the unit, or the rule that discards it in brackets."""
    discarding = next((mark.rule for mark in part.marks if mark.discards), "")
    return f"[{discarding}]" if part.unit is None else part.unit
