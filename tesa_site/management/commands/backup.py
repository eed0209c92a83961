from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from kernel.clock import now
from kernel.management.running import at_terminal
from kernel.services import backup


class Command(BaseCommand):
    help = "Write every row and every stored file to one archive. The application can keep running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path", nargs="?", type=Path, help="a new file, or a folder; default: backups/ under TESA_VAR"
        )

    def handle(self, *, path: Path | None, **options: Any) -> None:
        target = path or settings.VAR / "backups"
        if path is None or target.is_dir():
            target = target / backup.backup_name(now())
        with at_terminal(stopped="Stopped. Nothing was written.") as progress:
            report = backup.save_backup(target, progress)
        self.stdout.write(f"{target}: {report.text}")
