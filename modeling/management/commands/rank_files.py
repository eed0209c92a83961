from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kernel.management.running import at_terminal
from kernel.values import counted
from modeling import file_ranking
from modeling.dataset import PARTS
from modeling.grids import Grid, all_rankers, check_grid, parse_entries
from modeling.results_table import FORMATS
from modeling.selectors.resources import ranker_resources
from modeling.services import experiments
from modeling.task_files import read_task_files


class Command(BaseCommand):
    help = (
        "Run methods on ranking tasks from files, ours (JSON lines) or the original's (CSV), and print the results "
        "table. Nothing is stored in the database. Validation chooses among a method's parameters and seeds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            help="one JSONL file; three CSV files named after train, valid and test; or a folder with either",
        )
        parser.add_argument(
            "--ranker", action="append", default=[], help="as 'NAME parameter=value,value'; default: all"
        )
        parser.add_argument("--seed", action="append", type=int, default=[], help="(repeatable; default 1)")
        parser.add_argument("--vectors", default="", help="word vectors as KIND:PATH")
        parser.add_argument(
            "--out", type=Path, help="a new folder for predictions.jsonl and the other files of the runs in the table"
        )
        parser.add_argument("--format", choices=FORMATS, default="md", help="of the results table")

    def handle(self, *, files: list[Path], out: Path | None, **options: Any) -> None:
        if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"--out: {out} exists and is not an empty folder: choose another")
        with (
            at_terminal(stopped="stopped; nothing was saved") as progress,
            tempfile.TemporaryDirectory(prefix="tesa-rank-") as work,
        ):
            dataset = read_task_files(files)
            resources = ranker_resources(experiments.check_vectors(options["vectors"]))
            entries = parse_entries(options["ranker"]) or all_rankers(has_vectors=bool(resources.vectors))
            cells = check_grid(Grid(entries, tuple(options["seed"] or [1]))).cells()
            runs = file_ranking.run_cells(dataset, cells, resources, Path(work), progress)
            if out is not None:
                file_ranking.save_runs(file_ranking.chosen_of(runs), out)
        lines = file_ranking.table_of(runs)
        self.stdout.write(FORMATS[options["format"]](lines))
        sizes = "/".join(f"{len(dataset[part]):,}" for part in PARTS)
        self.stdout.write(f"{sizes} tasks ({'/'.join(PARTS)}), dataset {dataset.content_hash()[:12]}")
        for line in lines:
            if line.detail:
                self.stdout.write(f"{line.label}: validation chose {line.detail} from {counted(line.runs, 'run')}")
        best = next(line for line in lines if line.is_chosen)
        self.stdout.write(f"chosen by validation: {best.label}")
        if out is not None:
            self.stdout.write(f"{out}: predictions.jsonl and the other files of each method")
