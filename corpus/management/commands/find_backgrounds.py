from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from corpus.management.running import corpus_named, run_on


class Command(BaseCommand):
    help = "Look up the backgrounds of a corpus's entities: in a dump file, or on live Wikipedia."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="name of the corpus")
        parser.add_argument("--dump", default="", help="a JSON lines file of pages (default: live Wikipedia)")
        parser.add_argument(
            "--again", action="store_true", help="look up again all entities that no person has decided on"
        )

    def handle(self, *, corpus: str, dump: str, again: bool, **options: Any) -> None:
        parameters = {"source": "dump" if dump else "wikipedia", "path": dump, "again": again}
        self.stdout.write(run_on(corpus_named(corpus), "find_backgrounds", parameters))
