from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.management.running import corpus_named, sample_named
from corpus.selectors import samples
from corpus.selectors.instances import instances_in
from kernel.values import counted


class Command(BaseCommand):
    help = "Write a corpus's or a sample's instances as JSON lines, with mentions and backgrounds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", nargs="?", help="name of the corpus")
        parser.add_argument("--sample", help="name of a sample, instead of a corpus")
        parser.add_argument("--out", type=Path, help="the file to write (default: standard output)")

    def handle(self, *, corpus: str | None, sample: str | None, out: Path | None, **options: Any) -> None:
        if bool(corpus) == bool(sample):
            raise CommandError("name either a corpus or a --sample")
        if corpus:
            lines = samples.instance_lines(samples.frozen_in_pages(instances_in(corpus_named(corpus))))
        else:
            lines = samples.member_lines(sample_named(sample or ""))
        if out is None:
            for line in lines:
                self.stdout.write(line, ending="")
            return
        try:
            number = _write(lines, out)
        except OSError as error:
            raise CommandError(f"{out}: cannot be written ({error.strerror})") from error
        self.stdout.write(f"{out}: {counted(number, 'instance')}")


def _write(lines: Iterator[str], out: Path) -> int:
    """Write to a temporary file and move it into place, so that the file is never incomplete."""
    part, number = out.with_name(f"{out.name}.part"), 0
    with part.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(line)
            number += 1
    os.replace(part, out)
    return number
