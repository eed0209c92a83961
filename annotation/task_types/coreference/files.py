"""Files and folders of coreference: each file is read in its own format, and its problems are named with its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.formats import FORMATS, brat, read_files, recognized
from annotation.task_types.coreference.formats.base import MAX_BYTES, FileProblem, Reading, check_bytes, too_large
from kernel.errors import InvalidInput

Files = Mapping[str, bytes]  # by name; the name of a file in a folder says where it stands there


def read_path(path: Path, format: str | None = None) -> Reading:
    """Read a file, or the files of a folder whose format is known."""
    base = path if path.is_dir() else path.parent
    try:
        documents, problems = read_all(contents(path), format)
    except InvalidInput as error:
        raise InvalidInput(error.problem, where=str(base / error.where) if error.where else str(path)) from None
    except OSError as error:
        raise InvalidInput(f"this cannot be read: {error.strerror}. Check its name", where=str(path)) from None
    return Reading(documents, tuple(_below(base, problem) for problem in problems))


def _below(base: Path, problem: FileProblem) -> FileProblem:
    return FileProblem(problem.kind, str(base / problem.file), problem.line, problem.sentence)


def contents(path: Path) -> dict[str, bytes]:
    """Return a file, or all files of a folder and the folders in it, but for hidden ones."""
    if not path.is_dir():
        return {path.name: _bytes(path, path.name)}
    names = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    return {name: _bytes(file, name) for name, file in names.items() if not is_hidden(name)}


def _bytes(path: Path, name: str) -> bytes:
    if (size := path.stat().st_size) > MAX_BYTES:
        raise too_large(name, size)
    return path.read_bytes()


def is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def read_all(files: Files, format: str | None = None) -> Reading:
    """Read files of any formats; a file of no known format beside others is reported and passed over."""
    documents: list[CorefDocument] = []
    problems: list[FileProblem] = []
    for its_format, group in _by_format(files, format, problems).items():
        read_documents, remarks = read_files(group, its_format)
        documents += read_documents
        problems += remarks
    if not documents:
        raise InvalidInput("there is no file of coreference here. Choose files in one of " + labels(), field="")
    return Reading(tuple(documents), tuple(problems))


def labels() -> str:
    return ", ".join(format_.label for format_ in FORMATS.values())


def _by_format(files: Files, format: str | None, problems: list[FileProblem]) -> dict[str, dict[str, bytes]]:
    groups: dict[str, dict[str, bytes]] = {}
    for name, content in files.items():
        try:
            check_bytes(name, content)
            its_format = format or _recognized(name, content, files)
        except InvalidInput:
            if len(files) == 1 or _is_named_like_a_format(name):
                raise
            sentence = "Its format is not known, so the file was passed over."
            problems.append(FileProblem("unknown_format", name, 1, sentence))
        else:
            groups.setdefault(its_format, {})[name] = content
    return groups


def _is_named_like_a_format(name: str) -> bool:
    endings = [ending for format_ in FORMATS.values() for ending in format_.endings if ending != ".txt"]
    return name.lower().endswith(tuple(endings))


def _recognized(name: str, content: bytes, files: Iterable[str]) -> str:
    """Return the format of a file. A text without a file NAME.ann beside it is not one of brat's."""
    stem, dot, ending = name.rpartition(".")
    if dot and ending.lower() == "txt" and f"{stem}{brat.ENDING}" not in files:
        return recognized(stem, content)
    return recognized(name, content)
