"""The files that hold coreference: which formats there are, how one is recognized, read and written.

    documents, problems = read("story.sgm", content)
    files, warnings = write(documents, "conll")

A reader goes on after a problem where the meaning is clear; a file that says nothing clear raises InvalidInput.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.formats import (
    brat,
    conll_reading,
    conll_writing,
    corefud,
    json_lines,
    muc_reading,
    muc_writing,
)
from annotation.task_types.coreference.formats.base import CoreferenceFormat, Reading, Writing, check_bytes
from kernel.errors import InvalidInput, UnknownPlugin

FORMATS = {
    muc_reading.NAME: CoreferenceFormat(
        muc_writing.LABEL, (".sgm", ".sgml", ".muc"), muc_writing.HOLDS, muc_reading.read, muc_writing.write
    ),
    conll_reading.NAME: CoreferenceFormat(
        conll_writing.LABEL,
        (".conll", ".v4_gold_conll", ".v4_auto_conll", ".key", ".response"),
        conll_writing.HOLDS,
        conll_reading.read,
        conll_writing.write,
    ),
    corefud.NAME: CoreferenceFormat(corefud.LABEL, (".conllu",), corefud.HOLDS, corefud.read),
    json_lines.NAME: CoreferenceFormat(
        json_lines.LABEL, (".jsonl", ".json"), json_lines.HOLDS, json_lines.read, json_lines.write
    ),
    brat.NAME: CoreferenceFormat(brat.LABEL, (".ann", ".txt"), brat.HOLDS, brat.read, brat.write),
}
FIRST_BYTES = 20_000  # what is looked at to recognize a format


def read(name: str, content: bytes, format: str | None = None) -> Reading:
    """Return the documents of a file and what is wrong in it."""
    return read_files({name: content}, format)


def read_files(files: Mapping[str, bytes], format: str | None = None) -> Reading:
    """Read files of one format; those of brat belong together in pairs, NAME.ann and NAME.txt."""
    if not files:
        raise InvalidInput("There is no file to read; choose at least one.")
    for name, content in files.items():
        check_bytes(name, content)
    if format is None:
        formats = {recognized(name, content) for name, content in files.items()}
        if len(formats) > 1:
            labels = ", ".join(sorted(FORMATS[each].label for each in formats))
            raise InvalidInput(f"The files have several formats ({labels}); read those of each format together.")
        format = formats.pop()
    return format_named(format).read(files)


def write(documents: Sequence[CorefDocument], format: str) -> Writing:
    """Return files (name and content) and a sentence about each thing that the format cannot hold."""
    chosen = format_named(format)
    if chosen.write is None:
        raise InvalidInput(f"{chosen.label} is read only; choose another format to write.", field="format")
    return chosen.write(documents)


def lost(source: str, target: str) -> list[str]:
    """Return what a conversion from one format to another leaves out."""
    return [str(feature) for feature in sorted(format_named(source).holds - format_named(target).holds)]


def format_named(name: str) -> CoreferenceFormat:
    if name not in FORMATS:
        raise UnknownPlugin(f"There is no coreference format {name!r}; choose one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def recognized(name: str, content: bytes) -> str:
    """Return the name of a file's format, by what it begins with and else by the ending of its name."""
    start = content[:FIRST_BYTES].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    lower = start.lower()
    ending = next((key for key, format_ in FORMATS.items() if name.lower().endswith(format_.endings)), None)
    if ending == brat.NAME:
        return ending
    if start.startswith("{"):
        return json_lines.NAME
    if lower.startswith(("#begin document", "# begin document")):
        return conll_reading.NAME
    if lower.startswith(("# newdoc", "# global.entity", "# sent_id")) or "\tentity=(" in lower or "|entity=(" in lower:
        return corefud.NAME
    if any(tag in lower for tag in ("<coref ", "<doc>", "<doc ", "<txt>", "<docid>", "<docno>")):
        return muc_reading.NAME
    if ending is None:
        labels = ", ".join(format_.label for format_ in FORMATS.values())
        problem = f"The format of this file is not known; choose it by name, or give a file in one of {labels}."
        raise InvalidInput(problem, where=f"{name}, line 1")
    return ending
