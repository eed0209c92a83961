from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from kernel.management.running import at_terminal
from kernel.services import backup


class Command(BaseCommand):
    help = "Restore a backup of this or another machine, made with either database. Stop the application first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--replace", action="store_true", help="delete the current content of this database")

    def handle(self, *, path: Path, replace: bool, **options: Any) -> None:
        with at_terminal(stopped="Stopped. The database is unchanged.") as progress, path.open("rb") as source:
            report = backup.restore_backup(source, progress, replace=replace)
        self.stdout.write(f"Restored {report.text}, as of {report.created}.")
