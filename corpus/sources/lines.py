"""Reading lines of JSON from a file that may be compressed, may have endless lines, and may not be JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from corpus.sources.opening import File
from corpus.sources.texts import decode
from kernel.errors import InvalidInput
from kernel.values import Json


def limited_lines(
    file: File, most_bytes: int, *, start: int = 0, stop: int | None = None, first: int = 1
) -> Iterator[tuple[int, bytes | None]]:
    """Yield the number and the bytes of each line that begins in start:stop; None for a line over the limit, which is
    skipped piece by piece. `first` is the number of the line at `start`."""
    file.seek(start)
    position, number = start, first
    while (stop is None or position < stop) and (line := file.readline(most_bytes + 1)):
        position += len(line)
        piece, is_too_long = line, len(line) > most_bytes
        while is_too_long and piece and not piece.endswith(b"\n"):
            piece = file.readline(most_bytes)
            position += len(piece)
        yield number, None if is_too_long else line
        number += 1


def parse_json(line: bytes, *, is_strict: bool = False) -> Json:
    """Return the JSON value of a line, or raise InvalidInput; strictly, also for an object that has a field twice."""
    try:
        value: Json = json.loads(decode(line.strip()), object_pairs_hook=_unique if is_strict else None)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"this is not JSON ({error.msg.lower()}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; 100,000 brackets
        raise InvalidInput("this JSON is nested too deeply or contains a number that is too long") from error
    return value


def _unique(pairs: list[tuple[str, Json]]) -> Json:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise InvalidInput(f"has the field “{next(name for name in names if names.count(name) > 1)}” twice")
    return value
