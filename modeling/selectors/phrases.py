"""Phrases that runs have generated, read from their files."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.files.storage import default_storage

from modeling.generations import Generation, read_generations
from modeling.models import Run
from modeling.run_folder import GENERATIONS


def generations(run: Run, part: str) -> list[Generation]:
    """Return the generated phrases for each instance of a part; none if the run generated none or its file is gone."""
    path = f"{run.folder}/{GENERATIONS}"
    if not run.has_phrases or not default_storage.exists(path):
        return []
    with default_storage.open(path) as file:
        rows = read_generations(file.read().decode().split("\n"))
    return [row for row in rows if row.part == part]


def table_7(runs: Iterable[Run], part: str, key: str) -> list[tuple[Run, Generation]]:
    """Return what each run that generates has generated for one instance."""
    return [(run, generation) for run in runs for generation in generations(run, part) if generation.key == key]
