from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.models import Corpus
from corpus.services import corpora
from tesa_site.kernel import jobs
from tesa_site.management.terminal import at_terminal


class Command(BaseCommand):
    help = "Find entities, mentions and instances in a corpus that has been read, here, with a progress bar."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="its name")
        parser.add_argument("--seed", type=int, default=0, help="decides which tuples of a crowded article are kept")

    def handle(self, *, corpus: str, seed: int, **options: Any) -> None:
        row = Corpus.objects.filter(name=corpus).first()
        if row is None:
            known = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
            raise CommandError(f"there is no corpus {corpus!r}; known: {known}")
        stopped = "stopped; run the same command again"
        with at_terminal(stopped=stopped) as progress:
            corpora.check_no_open_job(row)
            parameters = {"corpus": row.pk, "seed": seed}
            job = jobs.run_here("find_instances", subject=str(row), parameters=parameters, beside=progress)
        if job.status != "succeeded":
            raise CommandError(job.error or stopped, returncode=1 if job.error else 130)
        self.stdout.write(f"{corpus}: {job.result}")
