"""Responses compared with a key: the figures that a page shows, and the documents behind them, as files keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.files import Files, read_all
from annotation.task_types.coreference.formats import json_lines, read, write
from annotation.task_types.coreference.scoring.documents import error_counts
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation, score_documents
from annotation.task_types.coreference.scoring.matching import Matching
from annotation.task_types.coreference.scoring.tables import ScoreLine, ScoreTable, as_csv, as_latex, score_lines
from kernel.errors import InvalidInput

MOST_TEXT = 12_000_000  # bytes of all files together: what is scored within a few seconds
MOST_MENTIONS = 5_000  # of a side of one document
MOST_CHAINS = 2_000
SHOWN_PROBLEMS = 200
BY_COMMAND = "Score it by command: manage.py score_coref KEY RESPONSE"


@dataclass(frozen=True, slots=True)
class Side:
    """A key or a response: what it is called, and its files."""

    name: str
    files: Files


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """A document of the key, and for each response all errors, missing, spurious and wrongly linked mentions."""

    name: str
    number: int  # its place in the key
    errors: Sequence[Sequence[int]]


@dataclass(frozen=True)
class ChainComparison:
    """What a page shows of a comparison."""

    key: str
    responses: Sequence[str]
    matching: Matching
    tables: Sequence[Sequence[Mapping[str, Any]]]  # of each response, a line for each metric
    documents: Sequence[ComparedDocument]  # most errors first
    problems: Sequence[str]
    problem_count: int

    @property
    def rows(self) -> list[tuple[str, list[Mapping[str, Any]]]]:
        """The label of each metric, and its line in each response."""
        return [(lines[0]["label"], [*lines]) for lines in zip(*self.tables, strict=True)]

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ComparisonFiles:
    """A comparison and the files kept with it, by name."""

    comparison: ChainComparison
    files: Mapping[str, bytes]


def compared(key: Side, responses: Sequence[Side], *, matching: Matching, metrics: Sequence[str]) -> ComparisonFiles:
    """Score the responses; raise InvalidInput with a sentence if that cannot be done, or not within seconds."""
    size = sum(len(content) for side in (key, *responses) for content in side.files.values())
    if size > MOST_TEXT:
        raise InvalidInput(
            f"the files have {size / 1_000_000:.0f} MB together, and a page scores up to {MOST_TEXT // 1_000_000}. "
            f"{BY_COMMAND}"
        )
    problems: list[str] = []
    right = _read(key, "Key", problems)
    evaluations = []
    for place, side in enumerate(responses, 1):
        side_name = "Response" if len(responses) == 1 else f"Response {place}"
        documents = _read(side, side_name, problems)
        try:
            evaluations.append(score_documents(right, documents, matching=matching, metrics=metrics))
        except InvalidInput as error:
            raise InvalidInput(error.message, where=side_name) from None
    names = [side.name for side in responses]
    tables = [score_lines(evaluation.scores) for evaluation in evaluations]
    comparison = ChainComparison(
        key=key.name,
        responses=names,
        matching=matching,
        tables=[[_line(line) for line in lines] for lines in tables],
        documents=_documents(evaluations),
        problems=problems[:SHOWN_PROBLEMS],
        problem_count=len(problems),
    )
    totals = [ScoreTable(name, lines) for name, lines in zip(names, tables, strict=True)]
    return ComparisonFiles(comparison, _files(evaluations, totals))


def _read(side: Side, name: str, problems: list[str]) -> tuple[CorefDocument, ...]:
    try:
        documents, remarks = read_all(side.files)
    except InvalidInput as error:
        raise InvalidInput(error.message, where=name) from None
    problems += [f"{name}: {remark}" for remark in remarks]
    for document in documents:
        mentions, chains = sum(map(len, document.chains)), len(document.chains)
        if mentions > MOST_MENTIONS or chains > MOST_CHAINS:
            raise InvalidInput(
                f"{document.name} has {mentions:,} mentions in {chains:,} chains, and a page scores documents of up to "
                f"{MOST_MENTIONS:,} in {MOST_CHAINS:,}. {BY_COMMAND}",
                where=name,
            )
    return documents


def _line(line: ScoreLine) -> dict[str, Any]:
    fields = asdict(line)
    for name in ("recall_counts", "precision_counts"):
        counts = fields[name]
        fields[name] = [counts["numerator"], counts["denominator"]] if counts else None
    return fields


def _documents(evaluations: Sequence[CorefEvaluation]) -> list[ComparedDocument]:
    """Return the documents of the key; those with most errors in all responses together come first."""
    rows = [
        ComparedDocument(
            evaluations[0].documents[number].name,
            number,
            [error_counts(evaluation.documents[number].differences) for evaluation in evaluations],
        )
        for number in range(len(evaluations[0].documents))
    ]
    return sorted(rows, key=lambda row: (-sum(counts[0] for counts in row.errors), row.name))


def _files(evaluations: Sequence[CorefEvaluation], totals: Sequence[ScoreTable]) -> dict[str, bytes]:
    of_documents = [
        ScoreTable(table.response, score_lines(document.scores), document.name)
        for table, evaluation in zip(totals, evaluations, strict=True)
        for document in evaluation.documents
    ]
    sides = {"key": [document.key for document in evaluations[0].documents]}
    for number, evaluation in enumerate(evaluations, 1):
        sides[f"response-{number}"] = [document.response for document in evaluation.documents]
    files = {"scores.csv": as_csv([*totals, *of_documents]).encode(), "scores.tex": as_latex(totals).encode()}
    return files | {f"{name}.jsonl": _lines(documents) for name, documents in sides.items()}


def _lines(documents: Iterable[CorefDocument]) -> bytes:
    """Return documents without their sources, a line each."""
    plain = [replace(document, source=None) for document in documents]
    (content,) = write(plain, json_lines.NAME).files.values()
    return content


def document_in(lines: Iterable[bytes], number: int) -> CorefDocument | None:
    """Return one document of a file of lines; None if there are fewer."""
    line = next(islice(lines, number, None), None)
    return read("lines.jsonl", line).documents[0] if line else None


def comparison_from(fields: Mapping[str, Any]) -> ChainComparison:
    """Return what `as_json` gave."""
    documents = [ComparedDocument(**document) for document in fields["documents"]]
    return ChainComparison(**{**fields, "documents": documents})
