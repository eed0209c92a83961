from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.management.running import campaign_named
from annotation.selectors import raw_answers
from kernel.values import counted


class Command(BaseCommand):
    help = "Write a campaign's raw annotations, people under pseudonyms, to the standard output or a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its name")
        parser.add_argument("--format", choices=[*raw_answers.FORMATS], default="csv")
        parser.add_argument("--output", type=Path, help="a file instead of the standard output")
        parser.add_argument("--no-bom", action="store_true", help="CSV without a byte-order mark at its start")

    def handle(self, *, campaign: str, format: str, output: Path | None, no_bom: bool, **options: Any) -> None:
        lines = raw_answers.lines(campaign_named(campaign), format, mark=not no_bom)
        if output is None:
            for line in lines:
                self.stdout.write(line, ending="")
            return
        try:
            with output.open("w", encoding="utf-8", newline="") as file:
                number = sum(1 for line in lines if file.write(line))
        except OSError as error:
            raise CommandError(f"{output}: cannot be written ({error.strerror or error})") from error
        sys.stderr.write(f"{counted(number - (format == 'csv'), 'annotation is', 'annotations are')} in {output}\n")
