from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.management.running import corpus_named, run_on
from corpus.models import Corpus
from corpus.names_from import NamesFrom
from corpus.sampling import SampleFilters
from corpus.selectors import samples as selectors
from corpus.services import samples
from kernel.errors import TesaError
from kernel.management.running import TesaCommand


class Command(TesaCommand):
    help = "Draw a random sample of a corpus's instances: one from each overlap group, none from an earlier sample."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", help="name of the corpus")
        parser.add_argument("--name", required=True, help="name of the new sample")
        parser.add_argument("-n", type=int, required=True, help="number of instances")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--type", action="append", default=[], choices=[*map(str, EntityType)], help="(repeatable)")
        parser.add_argument("--size", action="append", default=[], type=int, choices=SIZES, help="(repeatable)")
        parser.add_argument(
            "--kind", action="append", default=[], choices=[*map(str, ContextKind)], help="(repeatable)"
        )
        parser.add_argument(
            "--names-from", action="append", default=[], choices=[*map(str, NamesFrom)], help="(repeatable)"
        )
        parser.add_argument(
            "--all-backgrounds", action="store_true", help="only instances whose entities all have a background"
        )
        parser.add_argument("--preview", action="store_true", help="show what would be drawn, without drawing it")

    def handle(self, *, corpus: str, name: str, n: int, seed: int, preview: bool, **options: Any) -> None:
        source = corpus_named(corpus)
        filters = SampleFilters(
            types=tuple(options["type"]),
            sizes=tuple(options["size"]),
            kinds=tuple(options["kind"]),
            names_from=tuple(options["names_from"]),
            without_background=not options["all_backgrounds"],
        )
        order = samples.SampleOrder(samples.check_name_is_free(name, source), n, seed, filters)
        if preview:
            self.stdout.write(self._preview(source, order))
            return
        parameters = {"name": order.name, "n": n, "seed": seed, "filters": filters.to_json()}
        self.stdout.write(run_on(source, "draw_sample", parameters))

    def _preview(self, corpus: Corpus, order: samples.SampleOrder) -> str:
        """Return a table of drawn/available by type and size."""
        drawn = selectors.preview(corpus, order.n, seed=order.seed, filters=order.filters)
        lines = ["drawn/available " + "".join(f"{size:>12}" for size in (*SIZES, "all"))]
        for row in selectors.type_size_table(drawn.drawn, drawn.available):
            cells = (*row.cells, (row.drawn, row.available))
            lines.append(
                f"{row.type:<16}" + "".join(f"{f'{number:,}/{available:,}':>12}" for number, available in cells)
            )
        try:
            drawn.check(order.n)
        except TesaError as error:
            raise CommandError("\n".join([*lines, error.message])) from error
        return "\n".join(
            [*lines, f"{order.n:,} would be drawn; at most {drawn.most:,} can be, one from each overlap group."]
        )
