from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.management.running import campaign_named, run_on
from annotation.task_types import task_count


class Command(BaseCommand):
    help = "Import the answers of an MTurk result file (CSV) into a campaign. Importing a file twice adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--campaign", required=True, help="its name; its tasks are found by Input.id_")

    def handle(self, *, file: Path, campaign: str, **options: Any) -> None:
        if not file.is_file():
            raise CommandError(f"{file}: there is no such file")
        row = campaign_named(campaign)
        if row.tasks_made < task_count(row.task_type, row.sample.size):
            run_on(row, "make_tasks")
        self.stdout.write(run_on(row, "import_mturk_results", {"path": str(file.resolve())}))
