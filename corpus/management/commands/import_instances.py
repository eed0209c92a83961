from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from corpus.items import DEFAULT_ITEM_KIND, ITEM_KINDS
from corpus.models import Sample
from corpus.services import corpora, samples
from kernel.management.running import TesaCommand, run_job

MOST_SHOWN = 20


class Command(TesaCommand):
    help = "Import finished instances or other items (CSV or JSON lines) as a sample. Repeating it adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="name of the sample")
        parser.add_argument("--item-kind", choices=[*ITEM_KINDS], default=DEFAULT_ITEM_KIND, help="what it holds")

    def handle(self, *, file: Path, name: str, item_kind: str, **options: Any) -> None:
        name = corpora.clean_name(name, "sample")
        parameters = {"path": str(file.resolve()), "name": name, "item_kind": item_kind}
        self.stdout.write(run_job("import_instances", name, parameters, lock=samples.lock_of(name)))
        sample = Sample.objects.get(name=name)
        for problem in sample.problems[:MOST_SHOWN]:
            self.stderr.write(f"{file.name}, {problem['where']}: {problem['reason']}")
        if sample.problem_count > MOST_SHOWN:
            self.stderr.write(f"and {sample.problem_count - MOST_SHOWN:,} more")
