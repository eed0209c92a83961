from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation.management.coreference import read_argument
from annotation.task_types.coreference.scoring import METRICS
from annotation.task_types.coreference.scoring.documents import errors_as_text
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation, score_documents
from annotation.task_types.coreference.scoring.tables import FORMATS, ScoreTable, score_lines
from kernel.errors import InvalidInput
from kernel.management.running import TesaCommand


class Command(TesaCommand):
    help = "Score chains of mentions (responses) against those of a key. Formats may differ; folders hold many files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", type=Path, help="a file or folder with the right chains")
        parser.add_argument("responses", type=Path, nargs="+", help="files or folders with the chains to score")
        parser.add_argument(
            "--metric", nargs="+", action="extend", choices=[*METRICS], metavar="NAME",
            help=f"of {', '.join(METRICS)} (default: all)",
        )  # fmt: skip
        parser.add_argument(
            "--match", choices=("exact", "min"), default="exact",
            help="min: a response mention may be shorter than the key's, down to its MIN",
        )  # fmt: skip
        parser.add_argument("--as-conll", action="store_true", help="undefined is 0, as in the reference scorer")
        parser.add_argument(
            "--by-position", action="store_true",
            help="compare mentions by the numbers of their words, whatever the words are, as the reference scorer does",
        )  # fmt: skip
        parser.add_argument("--missing-is-empty", action="store_true", help="a document without a response is empty")
        parser.add_argument("--format", choices=[*FORMATS], default="txt", help="of the output (default: txt)")
        parser.add_argument("--json", action="store_const", const="json", dest="format", help="short for --format json")
        parser.add_argument(
            "--documents", action="store_true", help="each document too; in txt those with most errors first"
        )

    def handle(self, *, key: Path, responses: Sequence[Path], format: str, **options: Any) -> None:
        right = read_argument(key, self.stderr)
        scored = []
        for path in responses:
            documents = read_argument(path, self.stderr)
            try:
                evaluation = score_documents(
                    right,
                    documents,
                    matching=options["match"],
                    metrics=dict.fromkeys(options["metric"] or METRICS),
                    missing_is_empty=options["missing_is_empty"],
                    as_conll=options["as_conll"],
                    by_position=options["by_position"],
                )
            except InvalidInput as error:
                raise InvalidInput(f"{error.message.removesuffix('.')}.", where=str(path)) from None
            for name in evaluation.without_response:
                self.stderr.write(f"{path}: there is no document {name}; it counts as empty.")
            scored.append((str(path), evaluation))
        self.stdout.write(_written(scored, format, with_documents=options["documents"]), ending="")


def _written(scored: Sequence[tuple[str, CorefEvaluation]], format: str, *, with_documents: bool) -> str:
    tables = [ScoreTable(path, score_lines(evaluation.scores)) for path, evaluation in scored]
    if not with_documents:
        return FORMATS[format](tables)
    if format == "txt":
        lists = (f"\n{path}\n{errors_as_text(evaluation)}" for path, evaluation in scored)
        return FORMATS[format](tables) + "".join(lists)
    tables += [
        ScoreTable(path, score_lines(document.scores), document.name)
        for path, evaluation in scored
        for document in evaluation.documents
    ]
    return FORMATS[format](tables)
