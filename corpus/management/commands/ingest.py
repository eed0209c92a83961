from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.services import corpora
from corpus.sources import SOURCES
from tesa_site.kernel import jobs
from tesa_site.management.terminal import at_terminal


class Command(BaseCommand):
    help = "Read an archive into a corpus, here, with a progress bar. Run it again to go on after an interruption."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", choices=[*SOURCES])
        parser.add_argument("path", type=Path)
        parser.add_argument("--name", help="what to call the corpus (default: the file's or folder's name)")

    def handle(self, *, source: str, path: Path, name: str | None, **options: Any) -> None:
        path = path.resolve()
        stopped = "stopped; run the same command again to go on"
        with at_terminal(stopped=stopped) as progress:
            corpus = corpora.open_corpus(name or path.name, source=source, path=str(path), by=None)
            corpora.check_no_open_job(corpus)
            job = jobs.run_here("ingest", subject=str(corpus), parameters={"corpus": corpus.pk}, beside=progress)
        if job.status != "succeeded":
            raise CommandError(job.error or stopped, returncode=1 if job.error else 130)
        self.stdout.write(f"{corpus}: {job.result}")
