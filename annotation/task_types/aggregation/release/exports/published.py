"""The columns in which the original study published its dataset: lists and dictionaries as Python writes them.

What differs, because a release is filtered and theirs was not: only released instances are in it, and an answer is
shown in the form most people gave it. Mentions stand in <color0> … <color5>, as there; its pop-ups are left out.
More columns, with a list each, say of every annotation: `verdicts`, what reviewers decided ("correct": it is in their
words), `simulated`, whether software wrote it, and from schema 2 on why its answer is empty: `not_aggregatable` (the
annotator, or a reviewer, said that no phrase fits) or `rejected` (by cleaning rules).
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import ExportSource
from annotation.releasing.facts import ReleaseRow
from kernel.csv_files import python_cell, write_csv

FEWEST = 3  # answer columns, as published
BEFORE, AFTER = ("entities_type", "entities"), ("title", "date", "urls", "summaries", "context_type", "context")
OURS = ("verdicts", "simulated")  # at the end, a list with a value for each annotation
NO_PHRASE = ("not_aggregatable", "rejected")  # after them, from schema 2 on


class Published:
    name: ClassVar[str] = "published"
    label: ClassVar[str] = "The original's columns"
    about: ClassVar[str] = "CSV as the original study published it: Python lists in the cells, mentions marked up."
    suffix: ClassVar[str] = "-published.csv"

    def write(self, source: ExportSource, out: Path) -> None:
        most = max(FEWEST, int(source.facts.statistics.get("most_annotations") or 0))
        answers = [f"answer_{number}" for number in range(most)]
        columns = (*BEFORE, *answers, *AFTER, *OURS, *(() if source.facts.schema == 1 else NO_PHRASE))
        write_csv(
            out, columns, (_line(row, most) for row in source.rows_with_progress()), mark=False
        )  # programs read these


def _line(row: ReleaseRow, most: int) -> tuple[object, ...]:
    shown = {aggregation["phrase"]: aggregation["display"] for aggregation in row["aggregations"]}
    answers = [
        python_cell([shown[phrase] for phrase in a["cleaned"]]) if a["cleaned"] else "" for a in row["annotations"]
    ]
    pairs = zip(row["entities"], row["backgrounds"], strict=True)
    backgrounds = {name: background or {"url": "", "text": ""} for name, background in pairs}
    return (
        row["entity_type"],
        python_cell(row["entities"]),
        *answers,
        *[""] * (most - len(answers)),
        row["title"],
        (row["date"] or "").replace("-", "/"),
        python_cell({name: background["url"] for name, background in backgrounds.items()}),
        python_cell({name: background["text"] for name, background in backgrounds.items()}),
        row["kind"],
        marked(row),
        python_cell([annotation.get("verdict", "") for annotation in row["annotations"]]),
        python_cell([annotation.get("simulated", False) for annotation in row["annotations"]]),
        *(
            python_cell([annotation[name] for annotation in row["annotations"]])
            for name in NO_PHRASE
            if row["schema"] != 1
        ),
    )


def marked(row: ReleaseRow) -> str:
    """Return the context with each mention in an element of its entity's colour; of nested ones, the outer."""
    text, pieces, at = row["context"], list[str](), 0
    for mention in sorted(row["mentions"], key=lambda span: (span["start"], -span["end"])):
        start, end = mention["start"], mention["end"]
        if start < at:
            continue
        colour = f"color{mention['entity']}"
        pieces += [escape(text[at:start], quote=False), f"<{colour}>{escape(text[start:end], quote=False)}</{colour}>"]
        at = end
    return "".join([*pieces, escape(text[at:], quote=False)])


PUBLISHED = Published()
