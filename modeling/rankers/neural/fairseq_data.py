"""Token numbers as fairseq reads them: words of a dictionary in which each number is its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from kernel.atomic_files import write_lines

SPECIAL = {0: "<s>", 2: "</s>"}
MASK = "<mask>"  # the last token: the task sentence_prediction would add one of that name, and another row of weights


def dictionary(vocabulary: int) -> list[str]:
    return [*(f"{number} 1" for number in range(4, vocabulary - 1)), f"{MASK} 1"]


def line_of(ids: Iterable[int], vocabulary: int) -> str:
    """Return a text as a line; fairseq-preprocess adds its `</s>`."""
    return " ".join(MASK if number == vocabulary - 1 else SPECIAL.get(int(number), str(number)) for number in ids)


def write_dictionaries(data: Path, vocabulary: int, *, labels: Sequence[str] | None) -> None:
    """Write the dictionaries of a folder of data; with labels that of a classifier, whose classes have this order."""
    words = dictionary(vocabulary)
    if labels is None:
        write_lines(data / "dict.source.txt", words)
        write_lines(data / "dict.target.txt", words)
    else:
        write_lines(data / "input0" / "dict.txt", words)
        write_lines(data / "label" / "dict.txt", [f"{label} 1" for label in labels])
