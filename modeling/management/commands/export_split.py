from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from kernel.management.running import TesaCommand, at_terminal
from modeling.management.finding import split_numbered
from modeling.services import split_folders


class Command(TesaCommand):
    help = "Write the release of a split as a Hugging Face folder with the parts train, validation and test."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("split", type=int, help="its number (manage.py models list)")
        parser.add_argument("--out", type=Path, required=True, help="a new or empty folder to write")

    def handle(self, *, split: int, out: Path, **options: Any) -> None:
        chosen = split_numbered(split)
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"--out: {out} exists and is not an empty folder: choose another")
        with at_terminal(stopped="stopped; the folder is not complete") as progress:
            size = chosen.release.size
            split_folders.write_folder(
                chosen, out, lambda done: progress.report(done, size, f"{done:,} instances written")
            )
        sizes = "/".join(f"{chosen.statistics[part]['instances']:,}" for part in ("train", "valid", "test"))
        self.stdout.write(f"{out}: {chosen.release}, {sizes} instances (train/validation/test)")
