"""The CSV files of the original publication: writes `dataset.csv`, reads and writes `ranking_task_*.csv`.

Lists are in Python's notation; organizations are called "org", abstracts "summary". The files have no keys or groups:
the key is the hash of the row, the group the hash of its passage.
"""

from __future__ import annotations

import ast
import csv
import html
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from kernel.csv_files import csv_lines, python_cell, unguarded
from kernel.errors import InvalidInput
from kernel.values import Json, content_hash, storable
from modeling.dataset import Candidate, RankingTask, check_task
from modeling.items import GoldPhrase, Item

DATASET_COLUMNS = (
    "entities_type", "entities", "answer_0", "answer_1", "answer_2", "title", "date", "urls", "summaries",
    "context_type", "context",
)  # fmt: skip
RANKING_COLUMNS = (
    "entities_type", "entities", "wiki_articles", "nyt_title", "nyt_context", "candidates", "labels",
)  # fmt: skip
TEXT_COLUMNS = ("nyt_title", "nyt_context")  # the others are in Python's notation, or fixed words
CORPUS = "original"
_TYPES = {"org": EntityType.ORGANIZATION} | {kind.value: kind for kind in EntityType}
_LONGEST = 1_000_000


def write_dataset_csv(items: Iterable[Item], file: TextIO) -> None:
    """Write the published columns. An Item does not know who wrote an answer, so answers are dealt out by support."""
    file.writelines(csv_lines(DATASET_COLUMNS, map(_dataset_row, items), mark=False))


def _dataset_row(item: Item) -> list[str]:
    answers: list[list[str]] = [[], [], []]
    for gold in item.golds:
        for column in sorted(answers, key=len)[: max(1, min(gold.support, 3))]:
            column.append(gold.display)
    return [
        _type_name(item),
        python_cell(list(item.entities)),
        *(python_cell(column) if column else "" for column in answers),
        item.title,
        (item.date or "").replace("-", "/"),
        python_cell(dict.fromkeys(item.entities)),
        python_cell(dict(zip(item.entities, item.backgrounds, strict=True))),
        "summary" if item.kind is ContextKind.ABSTRACT else "content",
        html.escape(item.context, quote=False),
    ]


def read_ranking_csv(file: TextIO, *, name: str = "ranking_task.csv") -> tuple[RankingTask, ...]:
    tasks = []
    for where, row in _rows(file, name):
        phrases, labels = _texts(row, "candidates", where), _list(row, "labels", where)
        if len(phrases) != len(labels) or not all(label in (0, 1) for label in labels):
            raise InvalidInput("'labels' must hold one 0 or 1 per candidate", where=where)
        item = _item(row, phrases, [phrase for phrase, label in zip(phrases, labels, strict=True) if label], where)
        candidates = tuple(Candidate(phrase, 1 if label else 0) for phrase, label in zip(phrases, labels, strict=True))
        tasks.append(check_task(RankingTask(item, candidates), where))
    return tuple(tasks)


def write_ranking_csv(tasks: Iterable[RankingTask], file: TextIO) -> None:
    rows = (
        [
            _type_name(task.item),
            python_cell(list(task.item.entities)),
            python_cell(list(task.item.backgrounds)),
            task.item.title,
            task.item.context,
            python_cell(list(task.phrases)),
            python_cell(list(task.labels)),
        ]
        for task in tasks
    )
    file.writelines(csv_lines(RANKING_COLUMNS, rows, mark=False))


def _rows(file: TextIO, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    reader = csv.DictReader(file)
    missing = [column for column in RANKING_COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise InvalidInput(f"the columns {', '.join(missing)} are missing", where=name)
    try:
        for row in reader:
            cells = {column: row.get(column) or "" for column in RANKING_COLUMNS}
            texts = {column: unguarded(cells[column]) for column in TEXT_COLUMNS}
            yield f"{name}, line {reader.line_num}", cells | texts
    except csv.Error as error:
        raise InvalidInput(f"this is not CSV ({error})", where=f"{name}, line {reader.line_num}") from error


def _item(row: Mapping[str, str], phrases: tuple[str, ...], golds: Sequence[str], where: str) -> Item:
    """Return the item of a ranking row; its key depends on the candidates too."""
    entities = _texts(row, "entities", where)
    if not entities:
        raise InvalidInput("'entities' is empty", where=where)
    backgrounds = _texts(row, "wiki_articles", where)
    if len(backgrounds) != len(entities):
        raise InvalidInput(f"{len(entities)} entities but {len(backgrounds)} backgrounds", where=where)
    if row["entities_type"] not in _TYPES:
        problem = f"'entities_type' is {row['entities_type']!r}; known: {', '.join(_TYPES)}"
        raise InvalidInput(problem, where=where)
    entity_type, title, context = _TYPES[row["entities_type"]], row["nyt_title"], row["nyt_context"]
    passage: list[Json] = [title, context]
    return Item(
        key=content_hash([entity_type.value, list(entities), *passage, *phrases]), group=content_hash(passage),
        corpus=CORPUS, article_id=content_hash(title), date=None, entity_type=entity_type, entities=entities,
        kind=ContextKind.CONTENT, title=title, context=context, mentions=(), backgrounds=backgrounds,
        golds=tuple(GoldPhrase(phrase, phrase, 1) for phrase in golds), answers=tuple(sorted(golds)),
    )  # fmt: skip


def _list(row: Mapping[str, str], column: str, where: str) -> list[object]:
    text = row[column]
    if text.strip() in ("", "nan"):
        return []
    if len(text) > _LONGEST:
        raise InvalidInput(f"{column!r} is longer than a million characters", where=where)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise InvalidInput(f"{column!r} is not a list as Python writes it: {text[:40]!r}", where=where) from error
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"{column!r} is not a list: {text[:40]!r}", where=where)
    return list(value)


def _texts(row: Mapping[str, str], column: str, where: str) -> tuple[str, ...]:
    values = _list(row, column, where)
    texts = tuple(value for value in values if isinstance(value, str))
    if len(texts) != len(values):
        raise InvalidInput(f"{column!r} is not a list of texts: {row[column][:40]!r}", where=where)
    if any(storable(text) != text for text in texts):
        raise InvalidInput(f"{column!r} holds a NUL or half of a character", where=where)
    return texts


def _type_name(item: Item) -> str:
    return "org" if item.entity_type is EntityType.ORGANIZATION else item.entity_type.value
