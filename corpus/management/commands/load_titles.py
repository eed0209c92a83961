from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.services import titles
from kernel.errors import TesaError
from kernel.values import counted


class Command(BaseCommand):
    help = "Store the titles of a dump of pages, so that annotators can look them up."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dump", type=Path, help="a JSON lines file of pages, as for find_backgrounds")

    def handle(self, *, dump: Path, **options: Any) -> None:
        try:
            stored = titles.load_dump(dump, self)
        except TesaError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{counted(stored, 'title')} can be looked up.")

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        """Say nothing while it goes on."""

    def log(self, text: str) -> None:
        self.stderr.write(text)
