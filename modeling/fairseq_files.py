"""The files that fairseq's scripts read, in the original's layout.

generation      {train,val,test}.source and .target: an item and one of its golds, line by line
classification  {train,dev,test}.tsv: index, sentence1 (item), sentence2 (candidate), label

One fault of the original is fixed: it wrote the TSV with CSV quoting and CRLF, but the next step splits at tabs, so
items with a quotation mark arrived quoted. Here no field is quoted: tabs and line ends inside a text become blanks.
"""

from __future__ import annotations

import random
from itertools import chain
from pathlib import Path

from kernel.atomic_files import write_lines
from modeling.dataset import Dataset
from modeling.text_formats import format_item

LABELS = ("not_aggregation", "aggregation")
_GENERATION = {"train": "train", "valid": "val", "test": "test"}
_CLASSIFICATION = {"train": "train", "valid": "dev", "test": "test"}


def write_generation(dataset: Dataset, folder: Path, *, text_format: str = "v0", seed: int) -> dict[str, int]:
    """Write one row per gold, shuffled; return the number of rows of each part."""
    counts = {}
    for part, name in _GENERATION.items():
        rows = [
            (format_item(task.item, text_format), _one_line(gold))
            for task in dataset[part]
            for gold in sorted(task.gold_phrases)
        ]
        _shuffle(rows, seed, part)
        write_lines(folder / f"{name}.source", (source for source, _ in rows))
        write_lines(folder / f"{name}.target", (target for _, target in rows))
        counts[part] = len(rows)
    return counts


def write_classification(dataset: Dataset, folder: Path, *, text_format: str = "v0", seed: int) -> dict[str, int]:
    """Write one row per candidate, shuffled; return the number of rows of each part."""
    counts = {}
    for part, name in _CLASSIFICATION.items():
        rows = [
            (text, _one_line(candidate.phrase), LABELS[candidate.label])
            for task in dataset[part]
            for text in [format_item(task.item, text_format)]
            for candidate in task.candidates
        ]
        _shuffle(rows, seed, part)
        lines = ("\t".join((str(index), *row)) for index, row in enumerate(rows))
        write_lines(folder / f"{name}.tsv", chain(["index\tsentence1\tsentence2\tlabel"], lines))
        counts[part] = len(rows)
    return counts


def _shuffle(rows: list[tuple[str, str]] | list[tuple[str, str, str]], seed: int, part: str) -> None:
    random.Random(f"{seed} {part}").shuffle(rows)  # noqa: S311  (a shuffle, not a secret)


def _one_line(text: str) -> str:
    return " ".join(text.split())
