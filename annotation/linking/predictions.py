"""Files of predictions: JSON lines of ours or of ELEVANT, NIF, and CSV with id, start, end and page."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.linking.links import EntityNaming, Link, LinkedText, is_named_by
from corpus.items.mentions import page_title
from corpus.items.nif import nif_texts
from corpus.items.offsets import NamedPlace, in_code_points
from corpus.sources.base import Problem
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.texts import decode
from kernel.csv_files import unguarded
from kernel.errors import InvalidInput
from kernel.values import Json, whole_number

MOST_BYTES = 50_000_000
LONGEST_LINE = 2**20
MOST_PROBLEMS = 200  # kept in words; all are counted
COLUMNS = ("id", "start", "end", "page")
SUFFIXES = (".jsonl", ".csv", ".ttl")
ELEVANT = "entity_mentions"
_NO_ENTITY = re.compile(r"<[A-Z_]+>")  # ELEVANT's way to say that there is none


@dataclass(frozen=True)
class LinkPredictions:
    """What a file predicts for each text of a benchmark, by the text's key."""

    links: Mapping[str, tuple[Link, ...]]
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    repeated: int = 0  # predictions that the file holds more than once


@dataclass(frozen=True)
class _Prediction:
    """A line of a file: which text, where in it, and the entity as the file writes it."""

    where: str
    name: str
    place: NamedPlace
    entity: str
    text: str | None = None  # as the file has it


def read_predictions(name: str, content: bytes, texts: Sequence[LinkedText], naming: EntityNaming) -> LinkPredictions:
    """Return the predictions of a file; what cannot be used is reported with its line, and the rest counts."""
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"may have {MOST_BYTES // 1_000_000} MB", field=name)
    suffix = next((own for own in SUFFIXES if name.lower().endswith(own)), None)
    if suffix is None:
        raise InvalidInput(f"the name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}", field=name)
    by_name = {own: text for text in texts for own in text.names}
    links: dict[str, dict[Link, None]] = {}
    problems, count, repeated = list[Problem](), 0, 0
    for item in READERS[suffix](content):
        try:
            if isinstance(item, Problem):
                raise InvalidInput(item.reason)
            text, link = _link(item, by_name, naming)
        except InvalidInput as error:
            count += 1
            if len(problems) < MOST_PROBLEMS:
                problems.append(Problem(item.where, error.message))
            continue
        own = links.setdefault(text.key, {})
        repeated += link in own
        own[link] = None
    return LinkPredictions({key: tuple(own) for key, own in links.items()}, tuple(problems), count, repeated)


def _link(prediction: _Prediction, by_name: Mapping[str, LinkedText], naming: EntityNaming) -> tuple[LinkedText, Link]:
    text = by_name.get(prediction.name)
    if text is None:
        raise InvalidInput(f"the benchmark has no text “{prediction.name[:60]}”")
    if prediction.text is not None and prediction.text != text.text:
        raise InvalidInput("its text differs from the benchmark's: its offsets would mean other words")
    spans = in_code_points(text.text, [prediction.place])
    if spans is None:
        words = f" with the words “{prediction.place.words[:60]}”" if prediction.place.words else ""
        raise InvalidInput(
            f"{prediction.place.span}{words} is no piece of this text, which has {len(text.text):,} characters"
        )
    return text, Link(*spans[0], _entity(prediction.entity, naming))


def _entity(written: str, naming: EntityNaming) -> str:
    entity = written.strip().removeprefix("http://www.wikidata.org/entity/")
    if not entity or _NO_ENTITY.fullmatch(entity):
        return ""
    if naming == EntityNaming.WIKIDATA:
        if not is_named_by(entity, naming):
            raise InvalidInput(f"“{entity[:60]}” is no id of Wikidata, by which this benchmark names entities")
        return entity
    if is_named_by(entity, EntityNaming.WIKIDATA):
        raise InvalidInput(f"“{entity}” is an id of Wikidata, but this benchmark names entities by their pages")
    return page_title(entity)


# ---- Formats --------------------------------------------------------------------------------------


def _json_lines(content: bytes) -> Iterator[_Prediction | Problem]:
    for number, line in limited_lines(io.BytesIO(content), LONGEST_LINE):
        where = f"line {number}"
        if line is not None and not line.strip():
            continue
        try:
            if line is None:
                raise InvalidInput(f"is too long (at most {LONGEST_LINE:,} bytes are read)")
            yield from _of_object(parse_json(line), where)
        except InvalidInput as error:
            yield Problem(where, error.message)


def _of_object(row: Json, where: str) -> Iterator[_Prediction | Problem]:
    """Yield one prediction, or those of a text: ours under `mentions`, ELEVANT's under `entity_mentions`."""
    if not isinstance(row, dict):
        raise InvalidInput("must be an object")
    name = row.get("id", row.get("key"))
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        raise InvalidInput("needs the id of its text", field="id")
    text = row.get("text")
    mentions: Any = row.get("mentions", row.get(ELEVANT, [row] if "start" in row else [] if text is not None else None))
    if not isinstance(mentions, list):
        raise InvalidInput("needs a list of mentions", field="mentions")
    own_text = text if isinstance(text, str) and "start" not in row else None
    for number, mention in enumerate(mentions, 1):
        place = where if mention is row else f"{where}, mention {number}"
        try:
            yield from _of_mention(mention, str(name), place, own_text)
        except InvalidInput as error:
            yield Problem(place, error.message)


def _of_mention(mention: Any, name: str, where: str, text: str | None) -> Iterator[_Prediction]:
    if not isinstance(mention, dict):
        raise InvalidInput("must be an object with start, end and page")
    span = mention.get("span")
    start, end = span if isinstance(span, list) and len(span) == 2 else (mention.get("start"), mention.get("end"))
    place = _place(start, end, mention.get("words"))
    pages = mention.get("pages", mention.get("page", mention.get("id") if span else None))
    listed = pages if isinstance(pages, list) else [pages]
    if not all(page is None or isinstance(page, str) for page in listed):
        raise InvalidInput("page must be a title, an address or an id")
    for page in listed or [None]:
        yield _Prediction(where, name, place, page or "", text)


def _place(start: Any, end: Any, words: Any = None) -> NamedPlace:
    if type(start) is not int or type(end) is not int:
        raise InvalidInput("start and end must be whole numbers")
    if not 0 <= start < end:
        raise InvalidInput(f"{start}-{end} is no piece of a text")
    return NamedPlace(start, end, words if isinstance(words, str) else None)


def _csv_rows(content: bytes) -> Iterator[_Prediction | Problem]:
    reader = csv.reader(io.StringIO(decode(content), newline=""), strict=True)
    header = [name.strip().lower() for name in next(reader, [])]
    if missing := [name for name in COLUMNS if name not in header]:
        raise InvalidInput(f"the first line must name the columns; missing: {', '.join(missing)}", field="file")
    while True:
        where = f"line {reader.line_num + 1}"
        try:
            cells = next(reader)
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise InvalidInput(f"has {len(cells)} cells, but the first line names {len(header)} columns")
            row = {name: unguarded(cell) for name, cell in zip(header, cells, strict=True)}
            place = _place(
                whole_number(row["start"].strip()), whole_number(row["end"].strip()), row.get("words") or None
            )
            yield _Prediction(where, row["id"], place, row["page"])
        except StopIteration:
            return
        except (csv.Error, InvalidInput) as error:
            yield Problem(
                where, error.message if isinstance(error, InvalidInput) else f"is no row of a CSV file ({error})"
            )


def _nif(content: bytes) -> Iterator[_Prediction | Problem]:
    for name, row in nif_texts(io.BytesIO(content)):
        if isinstance(row, InvalidInput):
            yield Problem(name, row.message)
            continue
        known: Any = row
        for mention in known["mentions"]:
            place = NamedPlace(mention["start"], mention["end"], mention.get("words"))
            for page in mention["pages"] or [""]:
                yield _Prediction(name, name, place, page, known["text"])


READERS = {".jsonl": _json_lines, ".csv": _csv_rows, ".ttl": _nif}
