"""What the commands of this app share: finding a corpus by name, and running a job in this process."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from corpus.models import Corpus, Sample
from corpus.names_from import AUTOMATIC, COST, RULE, NamesSetting
from corpus.services import corpora
from kernel.management.running import row_named, run_job

AUTOMATIC_WORD = "automatic"


def corpus_named(name: str) -> Corpus:
    return row_named(Corpus.objects.all(), name, "corpus")


def sample_named(name: str) -> Sample:
    return row_named(Sample.objects.all(), name, "sample")


def add_names_from(parser: ArgumentParser) -> None:
    choices = [AUTOMATIC_WORD, *map(str, NamesSetting)]
    parser.add_argument(
        "--names-from", choices=choices, help=f"where this and later searches take names from. {RULE} {COST}"
    )


def names_from_option(value: str | None) -> str | None:
    """Return the option as a corpus stores it; None if it was not given."""
    return AUTOMATIC if value == AUTOMATIC_WORD else value


def run_on(corpus: Corpus, kind: str, parameters: Mapping[str, Any]) -> str:
    """Run a job on a corpus in this process and return its result; raise CommandError if it fails."""
    return run_job(kind, str(corpus), {"corpus": corpus.pk, **parameters}, lock=corpora.lock_of(corpus))
