from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.linking.links import EntityNaming
from annotation.linking.predictions import LinkPredictions, read_predictions
from annotation.linking.scoring import LinkScores, difference, score_links
from annotation.linking.tables import latex, percent, score_rows, text_table
from annotation.selectors.linked_texts import linked_texts
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.management.running import TesaCommand, row_named

MOST_SHOWN = 20


class Command(TesaCommand):
    help = "Score files of predicted links on a sample of texts with known mentions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("sample", help="name of a sample of texts with mentions")
        parser.add_argument("predictions", type=Path, nargs="+", help="JSON lines, CSV or NIF; each is one system")
        parser.add_argument("--by", choices=[*EntityNaming], help="what names entities; default: as the sample does")
        parser.add_argument("--outermost", action="store_true", help="leave out mentions inside others")
        parser.add_argument("--with-entity", action="store_true", help="leave out mentions that are known to have none")
        parser.add_argument("--latex", action="store_true", help="print a table for a paper")

    def handle(self, *, sample: str, predictions: list[Path], **options: Any) -> None:
        row = row_named(Sample.objects.all(), sample, "sample")
        naming = EntityNaming(options["by"]) if options["by"] else None
        with_all = not options["with_entity"]
        texts, naming = linked_texts(row, naming, nested=not options["outermost"], without_entity=with_all)
        systems: list[tuple[str, LinkScores]] = []
        for path in predictions:
            read = read_predictions(path.name, _content(path), texts, naming)
            self._report(path.name, read)
            links = {key: tuple(own for own in links if own.entity or with_all) for key, links in read.links.items()}
            systems.append((path.name, score_links(texts, links)))
        if options["latex"]:
            self.stdout.write(latex(systems))
            return
        self._print(systems)

    def _report(self, name: str, read: LinkPredictions) -> None:
        for problem in read.problems[:MOST_SHOWN]:
            self.stderr.write(f"{name}, {problem.where}: {problem.reason}")
        if read.problem_count > MOST_SHOWN:
            self.stderr.write(f"{name}: and {read.problem_count - MOST_SHOWN:,} more")
        if read.repeated:
            self.stderr.write(f"{name}: {read.repeated:,} predictions occur more than once; each counts once")

    def _print(self, systems: list[tuple[str, LinkScores]]) -> None:
        self.stdout.write(text_table(score_rows(systems)))
        for name, scores in systems:
            errors = ", ".join(f"{number:,} {error}" for error, number in scores.errors.most_common())
            self.stdout.write(f"{name}: {errors or 'no errors'}")
        first, *others = systems
        for name, scores in others:
            if apart := difference(first[1], scores):
                low, high = (percent(own) for own in (apart.low, apart.high))
                self.stdout.write(
                    f"{first[0]} minus {name}, F1: {percent(apart.value)} "
                    f"(95% interval {low} to {high}, p = {apart.p:.3f}; {len(scores.texts):,} texts drawn 1,000 times)"
                )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InvalidInput(f"the file cannot be read ({why})", field=path.name) from error
