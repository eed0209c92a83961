"""JSON lines: our own form, a document a line, which keeps everything that any format can hold.

{"name", "text", "part", "zones": [{"name", "start", "end", "locked": [[start, end]]}], "sentences": [[[start, end]]],
 "chains": [[{"start", "end", "min": [start, end], "optional", "pieces", "id", "ref", "entity",
 "attributes": [[name, value]]}]], "source": {"format", "file", "content", "encoding", "text_encoding"}}

Only "text" must be there. Offsets are Unicode code points. What is empty is not written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText, Span, Zone
from annotation.task_types.coreference.formats.base import (
    FileProblem,
    Holds,
    Reading,
    Writing,
    by_file,
    crossing,
    decode,
    in_order,
    without_ending,
)
from kernel.errors import InvalidInput

NAME = "json_lines"
LABEL = "JSON lines"
ENDING = ".jsonl"
SHARED = "documents"
HOLDS = frozenset(Holds)


def read(files: Mapping[str, bytes]) -> Reading:
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for file, content in files.items():
        text, _, remarks = decode(file, content)
        problems += remarks
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                documents.append(document_of(line, without_ending(file), file, number, problems))
            except InvalidInput as error:
                sentence = f"{error.sentence} The line was passed over."
                problems.append(FileProblem("unreadable_line", file, number, sentence))
    if problems and not documents:
        first = problems[0]
        raise InvalidInput(f"No line holds a document. {first.sentence}", where=f"{first.file}, line {first.line}")
    return Reading(tuple(documents), tuple(problems))


def document_of(line: str, name: str, file: str, number: int, problems: list[FileProblem]) -> CorefDocument:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"This is not JSON ({error})") from None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise InvalidInput('A line must be an object with a "text"')
    text = value["text"]
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput("The text holds half of a character (a lone surrogate)")
    chains: list[tuple[ChainMention, ...]] = []
    for chain in list_in(value, "chains"):
        mentions = [mention_of(mention, text, file, number, problems) for mention in as_list(chain, "a chain")]
        kept = in_order(mention for mention in mentions if mention)
        chains += [kept] if kept else []
    for mention in crossing(chains):
        sentence = f"The mention {mention.start}-{mention.end} crosses an earlier one; it was kept."
        problems.append(FileProblem("crossing", file, number, sentence))
    return CorefDocument(
        name=string_in(value, "name") or f"{name}-{number}",
        text=text,
        chains=tuple(chains),
        zones=tuple(zone_of(zone, text) for zone in list_in(value, "zones")),
        sentences=tuple(spans_of(sentence, text) for sentence in list_in(value, "sentences")),
        part=string_in(value, "part"),
        source=source_of(value.get("source")),
    )


def mention_of(value: Any, text: str, file: str, line: int, problems: list[FileProblem]) -> ChainMention | None:
    """Return a mention; None, with a problem, if its place is not in the text."""
    mention = as_object(value, "a mention")
    start: Any = mention.get("start")
    end: Any = mention.get("end")
    if not is_span(start, end, text):
        sentence = f"A mention goes from {start!r:.20} to {end!r:.20}, which is no piece of the text; it was left out."
        problems.append(FileProblem("mention_outside", file, line, sentence))
        return None
    least = spans_of([mention["min"]], text)[0] if mention.get("min") is not None else None
    if least and not start <= least[0] < least[1] <= end:
        problems.append(
            FileProblem("min_absent", file, line, f"The min of the mention {start}-{end} is outside of it.")
        )
        least = None
    pairs = [as_list(pair, "an attribute") for pair in list_in(mention, "attributes")]
    if not all(len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs):
        raise InvalidInput("The attributes of a mention must be pairs of a name and a value")
    return ChainMention(
        start=start,
        end=end,
        least=least,
        is_optional=mention.get("optional") is True,
        pieces=spans_of(list_in(mention, "pieces"), text),
        id=string_in(mention, "id"),
        ref=string_in(mention, "ref"),
        entity=string_in(mention, "entity"),
        attributes=tuple((name, content) for name, content in pairs),
    )


def zone_of(value: Any, text: str) -> Zone:
    zone = as_object(value, "a zone")
    (start, end), *_ = spans_of([[zone.get("start"), zone.get("end")]], text, may_be_empty=True)
    return Zone(string_in(zone, "name"), start, end, spans_of(list_in(zone, "locked"), text, may_be_empty=True))


def source_of(value: Any) -> SourceText | None:
    if value is None:
        return None
    source = as_object(value, "the source")
    format_, file, content = (string_in(source, name) for name in ("format", "file", "content"))
    encodings = (string_in(source, name) for name in ("encoding", "text_encoding"))
    encoding, text_encoding = (name if name in {"latin-1", "utf-8-sig"} else "utf-8" for name in encodings)
    return SourceText(format_, file, content, encoding, text_encoding)


def spans_of(values: Any, text: str, *, may_be_empty: bool = False) -> tuple[Span, ...]:
    spans = []
    for value in as_list(values, "a list of places"):
        pair = as_list(value, "a place")
        if len(pair) != 2 or not is_span(pair[0], pair[1], text, may_be_empty=may_be_empty):
            raise InvalidInput(f"{str(pair)[:40]} is no place in the text")
        spans.append((pair[0], pair[1]))
    return tuple(spans)


def is_span(start: Any, end: Any, text: str, *, may_be_empty: bool = False) -> bool:
    if type(start) is not int or type(end) is not int:  # True is no offset
        return False
    return 0 <= start <= end <= len(text) and (may_be_empty or start < end)


def as_object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} must be an object")
    return value


def as_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name} must be a list")
    return value


def list_in(value: Mapping[str, Any], name: str) -> list[Any]:
    return as_list(value.get(name, []), f'"{name}"')


def string_in(value: Mapping[str, Any], name: str) -> str:
    content = value.get(name, "")
    if not isinstance(content, str):
        raise InvalidInput(f'"{name}" must be a string')
    return content


def write(documents: Sequence[CorefDocument]) -> Writing:
    files = {}
    for file, group in by_file(documents, NAME, ENDING, SHARED):
        lines = (json.dumps(as_json(document), ensure_ascii=False) for document in group)
        files[file] = "".join(f"{line}\n" for line in lines).encode("utf-8")
    return Writing(files, ())


def as_json(document: CorefDocument) -> dict[str, Any]:
    source = document.source
    fields: dict[str, Any] = {
        "zones": [without_empty(vars_of(zone, "name", "start", "end", "locked")) for zone in document.zones],
        "sentences": document.sentences,
        "chains": [[mention_as_json(mention) for mention in chain] for chain in document.chains],
        "source": source and vars_of(source, "format", "file", "content", "encoding", "text_encoding"),
    }
    return {"name": document.name, "text": document.text, **without_empty({"part": document.part, **fields})}


def mention_as_json(mention: ChainMention) -> dict[str, Any]:
    further = {"min": mention.least, "optional": mention.is_optional}
    further |= vars_of(mention, "pieces", "id", "ref", "entity", "attributes")
    return {"start": mention.start, "end": mention.end, **without_empty(further)}


def vars_of(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or type(value) is int}
