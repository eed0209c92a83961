from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.selectors import releases as selectors
from annotation.services import release_exports
from kernel.management.running import TesaCommand, at_terminal
from kernel.values import counted


class Command(TesaCommand):
    help = "Write a release to a file (or a folder), in one of the formats."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="name of the release")
        parser.add_argument("--release-version", type=int, help="which version (default: the newest)")
        parser.add_argument("--format", default="jsonl", help="name of the format (default: jsonl)")
        parser.add_argument("--out", type=Path, required=True, help="the file to write; for huggingface, the folder")
        parser.add_argument("--no-bom", action="store_true", help="CSV without a byte-order mark at its start")

    def handle(self, *, release: str, format: str, out: Path, **options: Any) -> None:
        frozen = selectors.newest(release, options["release_version"])
        label = release_exports.format_of(frozen, format).label
        with at_terminal(stopped="stopped; nothing was written") as progress:
            release_exports.write_export(
                frozen,
                format,
                out,
                lambda done: progress.report(done, frozen.size, f"{counted(done, 'instance')} written"),
                mark=not options["no_bom"],
            )
        self.stdout.write(f"{out}: {frozen}, {counted(frozen.size, 'instance')} as {label}")
