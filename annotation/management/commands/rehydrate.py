from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotation.releasing.rehydrating import rehydrate
from corpus.sources import SOURCES
from kernel.management.running import at_terminal
from kernel.values import counted


class Command(BaseCommand):
    help = "Rebuild a release from its stand-off file and your own copy of the corpus; every hash is verified."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", type=Path, help="the stand-off file")
        parser.add_argument("--corpus", type=Path, required=True, help="your copy: a file or a folder")
        parser.add_argument("--source", choices=[*SOURCES], required=True, help="its format")
        parser.add_argument("--out", type=Path, required=True, help="the JSON lines to write")

    def handle(self, *, release: Path, corpus: Path, source: str, out: Path, **options: Any) -> None:
        with at_terminal(stopped="stopped; nothing was written") as progress:
            rows = rehydrate(
                release,
                SOURCES[source],
                corpus,
                out,
                lambda done: progress.report(done, None, f"{counted(done, 'article')} read"),
            )
        self.stdout.write(f"{out}: {counted(rows, 'instance')}; every hash is as released")
