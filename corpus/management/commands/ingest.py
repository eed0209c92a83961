from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from corpus.management.running import add_names_from, names_from_option, run_on
from corpus.services import corpora
from corpus.sources import SOURCES
from kernel.management.running import TesaCommand


class Command(TesaCommand):
    help = "Import an archive into a corpus, with a progress bar. Run it again to continue after an interruption."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", choices=[*SOURCES])
        parser.add_argument("path", type=Path)
        parser.add_argument("--name", help="name of the corpus (default: the name of the file or folder)")
        add_names_from(parser)

    def handle(self, *, source: str, path: Path, name: str | None, names_from: str | None, **options: Any) -> None:
        path = path.resolve()
        if not path.exists():
            raise CommandError(f"{path}: no such file or directory")
        corpus = corpora.open_corpus(
            name or path.name, source=source, path=str(path), by=None, names_from=names_from_option(names_from)
        )
        self.stdout.write(run_on(corpus, "ingest", {}))
