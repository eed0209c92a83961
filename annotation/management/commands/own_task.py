from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.models import TaskDescription
from annotation.selectors import descriptions as selectors
from annotation.services.descriptions import keep_description
from annotation.task_types.own import library
from annotation.task_types.own.reading import InvalidDescription, json_schema
from kernel.errors import InvalidInput
from kernel.management.running import TesaCommand


class Command(TesaCommand):
    help = "Keep, list and print descriptions of own tasks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        keep = actions.add_parser("keep", help="keep a description, or the next version of one")
        keep.add_argument("file", type=Path, help="a YAML file")
        keep.add_argument("--of", default="", help="the description it is a version of, such as own-12")
        show = actions.add_parser("show", help="print a kept description as it was written")
        show.add_argument("key", help="own-12@3, or own-12 for its newest version")
        actions.add_parser("list", help="list the newest version of each description")
        ours = actions.add_parser("library", help="print a description to start from")
        ours.add_argument("name", nargs="?", default="", help="its name; without one they are listed")
        actions.add_parser("schema", help="print the JSON Schema of descriptions, for editors")

    def handle(self, *, action: str, **options: Any) -> None:
        getattr(self, f"_{action}")(**{name: value for name, value in options.items() if name in OPTIONS})

    def _keep(self, *, file: Path, of: str) -> None:
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not in UTF-8: save it in this encoding") from error
        try:
            number = selectors.description_of(of).number if of else None
            row = keep_description(text, by=None, number=number)
        except InvalidDescription as error:
            raise CommandError("\n".join(f"{file}: {problem.sentence}" for problem in error.problems)) from error
        self.stdout.write(f"{row.key}: {row.name}")

    def _show(self, *, key: str) -> None:
        self.stdout.write(_known(key).text)

    def _list(self) -> None:
        for row in selectors.newest():
            self.stdout.write(f"{row.key}: {row.name}")

    def _library(self, *, name: str) -> None:
        if name and name not in library.NAMES:
            raise CommandError(f"there is no {name!r} in the library; there are {', '.join(library.NAMES)}")
        self.stdout.write(library.text_of(name) if name else "\n".join(library.NAMES))

    def _schema(self) -> None:
        self.stdout.write(json.dumps(json_schema(), indent=2))


OPTIONS = ("file", "of", "key", "name")


def _known(key: str) -> TaskDescription:
    try:
        return selectors.description_of(key)
    except InvalidInput as error:
        raise CommandError(error.problem) from error
