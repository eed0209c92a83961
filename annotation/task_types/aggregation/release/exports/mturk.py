"""A results file as the requester's site of Mechanical Turk wrote it: one line for each annotation.

Ids are made of the release's own keys and pseudonyms; times and durations are not part of a release and stay empty.
RequesterFeedback holds the reviewers' decision; the answer itself is as it was typed. The WorkerId
of a simulated participant begins with "sim-".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import ExportSource
from annotation.releasing.facts import ReleaseRow
from annotation.task_types.aggregation.release.exports.published import marked
from annotation.task_types.aggregation.result_columns import BOX, FIRST, SECOND
from corpus.phrases import entities_phrase, generic_phrase
from kernel.csv_files import write_csv

COLUMNS = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
    "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration",
    "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
    "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate", "Input.id_", "Input.entities",
    "Input.generic_phrase", "Input.context", "Input.entities_names", "Input.info", "Input.title", FIRST, SECOND, BOX,
    "Approve", "Reject",
)  # fmt: skip


class MTurkExport:
    name: ClassVar[str] = "mturk"
    label: ClassVar[str] = "MTurk results"
    about: ClassVar[str] = "CSV with Mechanical Turk's columns; no times, and pseudonyms for workers."
    suffix: ClassVar[str] = "-mturk.csv"

    def write(self, source: ExportSource, out: Path) -> None:
        title = source.facts.title
        write_csv(
            out, COLUMNS, (line for row in source.rows_with_progress() for line in _lines(row, title)), mark=False
        )


def _id(*parts: str) -> str:
    """Return thirty capitals and digits, as the platform's ids are."""
    return "3" + hashlib.sha256("\n".join(parts).encode()).hexdigest().upper()[:29]


def _lines(row: ReleaseRow, title: str) -> Iterator[list[str]]:
    texts = [escape(background["text"]) if background else "" for background in row["backgrounds"]]
    generic = generic_phrase(row["entity_type"], len(row["entities"]))
    shared = {
        "HITId": _id("hit", row["key"]),
        "HITTypeId": _id("type", title),
        "Title": title,
        "MaxAssignments": str(len(row["annotations"])),
        "AssignmentStatus": "Approved",
        "Input.id_": row["key"],
        "Input.entities": "".join(f"<th>{escape(name)}</th>" for name in row["entities"]),
        "Input.generic_phrase": generic[0].upper() + generic[1:],
        "Input.context": marked(row),
        "Input.entities_names": entities_phrase(row["entities"]),
        "Input.info": "".join(f"<td>{text}</td>" for text in texts),
        "Input.title": row["title"],
    }
    for annotation in row["annotations"]:
        answers = [*annotation["answers"], "", ""]
        own = {
            "AssignmentId": _id("assignment", row["key"], annotation["annotator"]),
            "WorkerId": annotation["annotator"],
            "RequesterFeedback": annotation.get("verdict", ""),
            FIRST: answers[0],
            SECOND: answers[1],
            BOX: "true" if annotation["not_aggregatable"] else "false",
        }
        yield [{**shared, **own}.get(column, "") for column in COLUMNS]


MTURK = MTurkExport()
