from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.releasing.rehydrating import rehydrate
from annotation.releasing.rehydrating_items import item_kind_of, rehydrate_items
from corpus.sources import SOURCES
from kernel.management.running import at_terminal
from kernel.values import counted


class Command(BaseCommand):
    help = "Rebuild a release from its stand-off file and your own copy of the texts; every hash is verified."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", type=Path, help="the stand-off file")
        parser.add_argument("--corpus", type=Path, required=True, help="your copy: articles, or a file of items")
        parser.add_argument("--source", choices=[*SOURCES], help="the format of articles; not needed for items")
        parser.add_argument("--out", type=Path, required=True, help="the JSON lines to write")

    def handle(self, *, release: Path, corpus: Path, source: str | None, out: Path, **options: Any) -> None:
        with at_terminal(stopped="stopped; nothing was written") as progress:

            def tick(done: int) -> None:
                progress.report(done, None, f"{counted(done, 'article' if source else 'item')} read")

            if item_kind_of(release):
                rows = rehydrate_items(release, corpus, out, tick)
            elif source:
                rows = rehydrate(release, SOURCES[source], corpus, out, tick)
            else:
                raise CommandError("This release quotes articles: name the format of your copy with --source.")
        self.stdout.write(f"{out}: {counted(rows, 'instance')}; every hash is as released")
