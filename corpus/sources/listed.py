"""Reading a file that is one JSON list, object by object, each with the line in which it begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from corpus.sources.lines import parse_json
from corpus.sources.opening import File
from corpus.sources.texts import decode
from kernel.errors import InvalidInput
from kernel.values import Json

MOST_BYTES = 64 * 2**20  # of the list, which is read at once
SIGN = re.compile(r"\S|\Z")
DECODER = json.JSONDecoder()


def listed_values(file: File) -> Iterator[tuple[int, Json | InvalidInput]]:
    """Yield the line and the value of each member, or why it cannot be read: then nothing behind it is read."""
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"may have {MOST_BYTES // 2**20} MB: write an object a line, as .jsonl", field="file")
    text, line, counted_to = decode(content), 1, 0
    at = _next(text, 0)
    if text[at : at + 1] != "[":
        raise InvalidInput("a .json file must hold a list of objects: write an object a line, as .jsonl", field="file")
    at = _next(text, at + 1)
    while text[at : at + 1] != "]":
        line, counted_to = line + text.count("\n", counted_to, at), at
        try:
            end = DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            yield line, InvalidInput("from here on, this is not JSON: correct the file, or write an object a line")
            return
        yield line, _parsed(text[at:end])
        at = _next(text, end)
        if text[at : at + 1] == ",":
            at = _next(text, at + 1)
        elif text[at : at + 1] != "]":
            yield line, InvalidInput("behind this, the list goes on without a comma or has no end: correct the file")
            return


def _next(text: str, at: int) -> int:
    """Return the place of the next sign that is no blank, or the end."""
    match = SIGN.search(text, at)
    return match.start() if match else len(text)


def _parsed(text: str) -> Json | InvalidInput:
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"), is_strict=True)
    except InvalidInput as error:
        return error
