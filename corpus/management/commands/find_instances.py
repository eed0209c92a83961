from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from corpus.contexts import MIN_SENTENCES
from corpus.management.running import add_names_from, corpus_named, names_from_option, run_on
from corpus.services import corpora


class Command(BaseCommand):
    help = "Find entities, mentions and instances in a corpus, in this process, with a progress bar."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="name of the corpus")
        parser.add_argument(
            "--seed", type=int, default=0, help="decides which groups are kept in articles with too many"
        )
        parser.add_argument(
            "--min-sentences",
            type=int,
            choices=MIN_SENTENCES,
            help="1: the shortest passage that mentions all; 2: at least two sentences, as in the original study "
            "(default: as in the last search, or 1)",
        )

        add_names_from(parser)

    def handle(
        self, *, corpus: str, seed: int, min_sentences: int | None, names_from: str | None, **options: Any
    ) -> None:
        parameters = {"seed": seed} | ({"min_sentences": min_sentences} if min_sentences else {})
        searched = corpus_named(corpus)
        corpora.choose_names(searched, names_from_option(names_from), by=None)
        self.stdout.write(run_on(searched, "find_instances", parameters))
