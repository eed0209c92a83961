from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.models import Corpus
from corpus.services import corpora
from tesa_site.kernel import jobs
from tesa_site.management.terminal import at_terminal


class Command(BaseCommand):
    help = "Look up the backgrounds of a corpus's entities: in a dump file, or on live Wikipedia."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="its name")
        parser.add_argument("--dump", default="", help="a JSON lines file of pages; without one: live Wikipedia")
        parser.add_argument("--again", action="store_true", help="also what was looked up before and no person decided")

    def handle(self, *, corpus: str, dump: str, again: bool, **options: Any) -> None:
        row = Corpus.objects.filter(name=corpus).first()
        if row is None:
            raise CommandError(f"there is no corpus {corpus!r}")
        stopped = "stopped; run the same command again to go on"
        parameters = {"corpus": row.pk, "source": "dump" if dump else "wikipedia", "path": dump, "again": again}
        with at_terminal(stopped=stopped) as progress:
            corpora.check_no_open_job(row)
            job = jobs.run_here("find_backgrounds", subject=str(row), parameters=parameters, beside=progress)
        if job.status != "succeeded":
            raise CommandError(job.error or stopped, returncode=1 if job.error else 130)
        self.stdout.write(f"{corpus}: {job.result}")
