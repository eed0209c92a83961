from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.coreference import read_argument
from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.formats import FORMATS, lost, write
from kernel.atomic_files import written_whole
from kernel.management.running import TesaCommand
from kernel.values import counted

WRITABLE = [name for name, format_ in FORMATS.items() if format_.write]


class Command(TesaCommand):
    help = "Write files of coreference in another format. Says what that leaves out and what is wrong in the files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="a file, or a folder of files in any formats")
        parser.add_argument("target", type=Path, help="the folder to write into")
        parser.add_argument("--to", required=True, choices=WRITABLE)
        parser.add_argument(
            "--from", choices=[*FORMATS], dest="source_format", help="instead of recognizing the format"
        )
        parser.add_argument("--overwrite", action="store_true", help="replace files that are there already")

    def handle(self, *, source: Path, target: Path, to: str, **options: Any) -> None:
        if target.exists() and not target.is_dir():
            raise CommandError(f"{target}: this is a file; choose a folder to write into.")
        documents = read_argument(source, self.stderr, options["source_format"])
        for sentence in left_out(documents, to):
            self.stderr.write(sentence)
        files, warnings = write(documents, to)
        for warning in warnings:
            self.stderr.write(warning)
        paths = {target / name: content for name, content in files.items()}
        if not options["overwrite"] and (there := [str(path) for path in paths if path.exists()]):
            more = f" and {counted(len(there) - 1, 'other file')}" if len(there) > 1 else ""
            raise CommandError(
                f"{there[0]}{more} would be replaced; choose another folder, or add --overwrite. Nothing was written."
            )
        try:
            for path, content in paths.items():
                with written_whole(path) as file:
                    file.write(content)
        except OSError as error:
            raise CommandError(f"{target}: {error.strerror}. Choose a folder that can be written to.") from error
        label = FORMATS[to].label
        self.stdout.write(f"{target}: {counted(len(documents), 'document')} in {counted(len(files), f'{label} file')}")


def left_out(documents: Iterable[CorefDocument], to: str) -> list[str]:
    """Return a sentence for each format of the documents: what the other one can never hold."""
    formats = sorted({document.source.format for document in documents if document.source} & {*FORMATS})
    losses = {format_: lost(format_, to) for format_ in formats}
    return [
        f"{FORMATS[format_].label} to {FORMATS[to].label} leaves out, where a document has it: {', '.join(features)}."
        for format_, features in losses.items()
        if features
    ]
