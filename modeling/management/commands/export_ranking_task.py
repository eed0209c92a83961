from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from kernel.atomic_files import write_lines
from kernel.management.running import TesaCommand
from modeling.dataset import PARTS
from modeling.management.finding import experiment_named
from modeling.selectors.datasets import dataset_of
from modeling.task_files import LABELS, write_task_files
from modeling.text_formats import FORMATS


class Command(TesaCommand):
    help = "Write an experiment's ranking tasks: JSON lines, the original's CSV files, or files for fairseq."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", help="its name")
        parser.add_argument("--format", choices=LABELS, default="jsonl")
        parser.add_argument(
            "--out", type=Path, required=True, help="the file (jsonl) or folder (csv, fairseq) to write"
        )
        parser.add_argument("--text-format", choices=FORMATS, default="v0", help="of the instances in fairseq files")
        parser.add_argument("--seed", type=int, default=1, help="for the order of lines in fairseq files")

    def handle(self, *, experiment: str, format: str, out: Path, **options: Any) -> None:
        try:
            dataset = dataset_of(experiment_named(experiment).task_set)
            if format == "jsonl":
                write_lines(out, dataset.to_lines())
            else:
                write_task_files(dataset, out, format, text_format=options["text_format"], seed=options["seed"])
        except OSError as error:
            raise CommandError(f"cannot write {out} ({error.strerror})") from error
        sizes = "/".join(f"{len(dataset[part]):,}" for part in PARTS)
        self.stdout.write(f"{out}: {sizes} tasks, dataset {dataset.content_hash()[:12]}")
