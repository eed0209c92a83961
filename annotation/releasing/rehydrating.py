"""Putting the articles' words back into a stand-off file, from the user's own copy of the corpus.

Every hash is checked: of each title and context, of each instance (its key), of each line, and of the whole file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.exports.standoff import SCHEMA, with_text
from annotation.releasing.facts import ReleaseRow
from corpus.articles import SourceArticle
from corpus.contexts import PARAGRAPH_BREAK, ContextKind
from corpus.frozen import FrozenInstance
from corpus.items.base import sha256
from corpus.sources.base import Problem, Source, read_all
from kernel.errors import InvalidInput

MOST_NAMED = 10
Texts = dict[tuple[str, str], str]  # (article, hash) → text


def text_of(article: SourceArticle, kind: str) -> str:
    """Return what a context of this kind is a piece of."""
    return article.abstract if kind == ContextKind.ABSTRACT else PARAGRAPH_BREAK.join(article.paragraphs)


def rehydrate(file: Path, source: Source, corpus: Path, out: Path, tick: Callable[[int], None]) -> int:
    """Write the whole release and return its number of rows; if a hash differs, raise and leave no file."""
    header, rows = _opened(file)
    wanted: dict[str, list[ReleaseRow]] = defaultdict(list)
    for row in rows:
        wanted[row["article_id"]].append({name: row[name] for name in ("kind", "title", "context")})
    texts = _texts(wanted, source, corpus, tick)
    part = out.with_name(f"{out.name}.part")
    try:
        number = _write(part, file, header, texts)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
    return number


def _opened(file: Path) -> tuple[dict[str, Any], Iterator[ReleaseRow]]:
    lines = _lines(file)
    header = next(lines, None)
    if not isinstance(header, dict) or header.get("standoff") != SCHEMA:
        raise InvalidInput(f"this is not a stand-off file of schema {SCHEMA}", where=f"{file}, line 1")
    return header, lines


def _lines(file: Path) -> Iterator[Any]:
    try:
        with file.open(encoding="utf-8") as opened:
            for number, line in enumerate(opened, 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InvalidInput("this is not JSON", where=f"{file}, line {number}") from error
                if number > 1 and not (isinstance(row, dict) and {"article_id", "title", "context"} <= row.keys()):
                    raise InvalidInput("this is not a row of a release", where=f"{file}, line {number}")
                yield row
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot be read ({error})", where=str(file)) from error


def _texts(wanted: dict[str, list[ReleaseRow]], source: Source, corpus: Path, tick: Callable[[int], None]) -> Texts:
    """Read the corpus once and keep the titles and contexts that are asked for."""
    texts: Texts = {}
    missing = set(wanted)
    for number, article in enumerate(read_all(source, corpus), 1):
        if number % 100 == 0:
            tick(number)
        if isinstance(article, Problem) or article.source_id not in missing:
            continue
        rows = wanted[article.source_id]
        article_texts = {pair: text for row in rows for pair, text in _texts_in(row, article)}
        asked = {(article.source_id, row[name]["sha256"]) for row in rows for name in ("title", "context")}
        if asked <= article_texts.keys():
            missing.remove(article.source_id)
        texts.update(article_texts)
        if not missing:
            break
    if missing:
        some = ", ".join(sorted(missing)[:MOST_NAMED])
        raise InvalidInput(
            f"{len(missing):,} of {len(wanted):,} articles are not in this copy, or not with the same words: {some}"
            f"{' …' if len(missing) > MOST_NAMED else ''}",
            where=str(corpus),
        )
    return texts


def _texts_in(row: ReleaseRow, article: SourceArticle) -> Iterator[tuple[tuple[str, str], str]]:
    if sha256(article.title) == row["title"]["sha256"]:
        yield (article.source_id, row["title"]["sha256"]), article.title
    context, whole = row["context"], text_of(article, row["kind"])
    length = context["length"]
    starts = range(len(whole) - length + 1) if context["start"] is None else [context["start"]]
    for start in starts:
        text = whole[start : start + length]
        if sha256(text) == context["sha256"]:
            yield (article.source_id, context["sha256"]), text
            return


def _write(part: Path, file: Path, header: dict[str, Any], texts: Texts) -> int:
    digest, number = hashlib.sha256(), 0
    _, rows = _opened(file)
    with part.open("w", encoding="utf-8", newline="\n") as out:
        for number, row in enumerate(rows, 1):
            article = row["article_id"]
            whole = with_text(row, texts[article, row["title"]["sha256"]], texts[article, row["context"]["sha256"]])
            line = line_of(whole)
            if sha256(line) != row["sha256"] or FrozenInstance.thaw(whole).content_key != whole["key"]:
                raise InvalidInput("what was rebuilt is not what was released", where=f"{file}, line {number + 1}")
            digest.update(line.encode("utf-8", "surrogatepass"))
            out.write(line)
    if number != header["rows"] or digest.hexdigest() != header["sha256"]:
        raise InvalidInput("the file is not whole: its rows do not add up to the release", where=str(file))
    return number
