from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.models import Sample
from corpus.services import samples
from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.management.running import run_job

MOST_SHOWN = 20


class Command(BaseCommand):
    help = "Import finished instances (CSV or JSON lines) as a sample. Importing a file again adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="name of the sample")

    def handle(self, *, file: Path, name: str, **options: Any) -> None:
        try:
            name = samples.clean_name(name)
        except TesaError as error:
            raise CommandError(error.message) from error
        parameters = {"path": str(file.resolve()), "name": name}
        self.stdout.write(run_job("import_instances", name, parameters, lock=samples.lock_of(name)))
        sample = Sample.objects.get(name=name)
        for problem in sample.problems[:MOST_SHOWN]:
            self.stderr.write(f"{file.name}, {problem['where']}: {problem['reason']}")
        if sample.problem_count > MOST_SHOWN:
            self.stderr.write(f"and {sample.problem_count - MOST_SHOWN:,} more")
