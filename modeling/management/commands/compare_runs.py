from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from kernel.management.running import TesaCommand
from modeling.management.finding import check_shown, run_numbered
from modeling.models import TaskRow
from modeling.results_table import COLUMNS, PARTS
from modeling.selectors import instances
from modeling.significance import Comparison


class Command(TesaCommand):
    help = "Compare two runs on the same tasks: means, difference, interval, p-value, and the largest differences."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", type=int, help="number of a run")
        parser.add_argument("second", type=int)
        parser.add_argument("--part", choices=PARTS, default="valid")
        parser.add_argument("--metric", choices=COLUMNS, default="ap")
        parser.add_argument("--top", type=int, default=10, help="how many tasks to list (default 10)")

    def handle(self, *, first: int, second: int, part: str, metric: str, top: int, **options: Any) -> None:
        runs = run_numbered(first), run_numbered(second)
        for run in runs:
            check_shown(run, part)
        compared = instances.compare(*runs, part=part, metric=metric)
        if compared.is_same:
            self.stdout.write("Both runs made exactly the same predictions.")
        result = compared.comparison
        self.stdout.write(
            f"{part} {COLUMNS[metric]}: {result.difference:+.4f} [{_interval(result)}], "
            f"p = {result.p:.4f}; first better on {compared.wins:,}, second on {compared.losses:,} "
            f"of {len(compared.rows):,}"
        )
        rows = compared.rows[: max(top, 0)]
        tasks = TaskRow.objects.in_bulk([row.task_id for row in rows])
        for row in rows:
            self.stdout.write(f"{row.first:.3f} {row.second:.3f} {row.difference:+.3f}  {tasks[row.task_id]}")


def _interval(result: Comparison) -> str:
    return "too few" if result.low is None or result.high is None else f"{result.low:+.4f}, {result.high:+.4f}"
