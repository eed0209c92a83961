from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from corpus.items import DEFAULT_ITEM_KIND, ITEM_KINDS
from corpus.models import Sample
from corpus.services import corpora, importing, samples
from corpus.text_preparing import Preparing
from kernel.management.running import TesaCommand, run_job

MOST_SHOWN = 20


class Command(TesaCommand):
    help = "Import finished instances or other items (CSV or JSON lines) as a sample. Repeating it adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="name of the sample")
        parser.add_argument("--item-kind", choices=[*ITEM_KINDS], default=DEFAULT_ITEM_KIND, help="what it holds")
        parser.add_argument("--topic", default="", help="of texts that have none of their own")
        parser.add_argument("--twins", type=Path, help="a file with the same texts in another form, such as speech")
        parser.add_argument("--sentences", action="store_true", help="make each sentence a text of its own")
        parser.add_argument("--each", type=int, default=0, help="texts of each source, drawn at random; 0: all")
        parser.add_argument("--seed", type=int, default=0, help="of that drawing")

    def handle(self, *, file: Path, name: str, twins: Path | None, **options: Any) -> None:
        name = corpora.clean_name(name, "sample")
        order = importing.ImportOrder(
            file.resolve(), name, options["item_kind"], Preparing.from_json(options), twins.resolve() if twins else None
        )
        self.stdout.write(run_job("import_instances", name, order.to_json(), lock=samples.lock_of(name)))
        sample = Sample.objects.get(name=name)
        for problem in sample.problems[:MOST_SHOWN]:
            self.stderr.write(f"{file.name}, {problem['where']}: {problem['reason']}")
        if sample.problem_count > MOST_SHOWN:
            self.stderr.write(f"and {sample.problem_count - MOST_SHOWN:,} more")
