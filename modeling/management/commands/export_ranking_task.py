from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from modeling import selectors
from modeling.atomic_files import write_lines
from modeling.dataset import PARTS, Dataset
from modeling.fairseq_files import write_classification, write_generation
from modeling.management.finding import experiment_named
from modeling.original_csv import write_dataset_csv, write_ranking_csv
from modeling.text_formats import FORMATS
from tesa_site.kernel.errors import TesaError

KINDS = ("jsonl", "csv", "fairseq")


class Command(BaseCommand):
    help = "Write an experiment's ranking tasks: JSON lines, the original's CSV files, or files for fairseq."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", help="its name")
        parser.add_argument("--format", choices=KINDS, default="jsonl")
        parser.add_argument(
            "--out", type=Path, required=True, help="the file (jsonl) or folder (csv, fairseq) to write"
        )
        parser.add_argument("--text-format", choices=FORMATS, default="v0", help="of an instance in fairseq files")
        parser.add_argument("--seed", type=int, default=1, help="of the order of lines in fairseq files")

    def handle(self, *, experiment: str, format: str, out: Path, **options: Any) -> None:
        found = experiment_named(experiment)
        try:
            dataset = selectors.dataset_of(found.task_set)
            if format == "jsonl":
                write_lines(out, dataset.to_lines())
            elif format == "csv":
                _write_csv(dataset, out)
            else:
                how = {"text_format": options["text_format"], "seed": options["seed"]}
                write_generation(dataset, out / "generation", **how)
                write_classification(dataset, out / "classification", **how)
        except TesaError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{out}: cannot be written ({error.strerror})") from error
        sizes = "/".join(f"{len(dataset[part]):,}" for part in PARTS)
        self.stdout.write(f"{out}: {sizes} tasks, dataset {dataset.content_hash()[:12]}")


def _write_csv(dataset: Dataset, folder: Path) -> None:
    """Write dataset.csv and ranking_task_{train,valid,test}.csv with the published columns."""
    folder.mkdir(parents=True, exist_ok=True)
    items = [task.item for part in PARTS for task in dataset[part]]
    with (folder / "dataset.csv").open("w", encoding="utf-8", newline="") as file:
        write_dataset_csv(items, file)
    for part in PARTS:
        with (folder / f"ranking_task_{part}.csv").open("w", encoding="utf-8", newline="") as file:
            write_ranking_csv(dataset[part], file)
