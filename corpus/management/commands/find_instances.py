from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from corpus.management.running import corpus_named, run_on


class Command(BaseCommand):
    help = "Find entities, mentions and instances in a corpus that has been read, here, with a progress bar."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="its name")
        parser.add_argument("--seed", type=int, default=0, help="decides which tuples of a crowded article are kept")

    def handle(self, *, corpus: str, seed: int, **options: Any) -> None:
        self.stdout.write(run_on(corpus_named(corpus), "find_instances", {"seed": seed}))
