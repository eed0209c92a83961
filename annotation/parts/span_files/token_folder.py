"""A folder for `datasets.load_dataset`: tokens with the classes of their BIO tags, and the release's card."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from annotation.parts.span_files.bio import LEFT_OUT_FILE, left_out_lines, outermost, tag_names, tags_of
from annotation.parts.span_files.released import ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.describing import Describing, StoredStatistics
from annotation.releasing.exports.base import PART_NAMES, ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.exports.parquet import is_installed, write_parquet
from kernel.fields import NUMBER, Field, Fields

TABLE = "tokens"


class TokenFolder(SpanFormat):
    name: ClassVar[str] = "tokens"
    label: ClassVar[str] = "Hugging Face tokens"
    about: ClassVar[str] = (
        "A folder for load_dataset with tokens and ner_tags, a card and Croissant metadata (zipped). Of marks that "
        f"overlap, the outermost is kept; {LEFT_OUT_FILE} lists the others, and texts that nobody answered."
    )
    suffix: ClassVar[str] = ""

    def write(self, source: ExportSource, out: Path) -> None:
        from annotation.releasing.exports import huggingface

        data = out / "data"
        data.mkdir(parents=True, exist_ok=True)
        tags = tag_names(self.labels)
        facts = replace(source.facts, facet=TokenFacet(source.facts.facet, token_fields(tags)))
        lines, digest, count = data / f"{TABLE}.jsonl", hashlib.sha256(), 0
        with lines.open("wb") as file, (out / LEFT_OUT_FILE).open("w", encoding="utf-8", newline="\n") as missing:
            for own in self.released(source):
                kept, left_out = outermost(own.spans or ())
                missing.writelines(left_out_lines(own, left_out))
                if own.spans is not None:
                    line = line_of(as_row(own, kept, tags)).encode("utf-8", "surrogatepass")
                    digest.update(line)
                    file.write(line)
                    count += 1
        suffix = "jsonl"
        if is_installed():
            write_parquet([(lines, data / f"{TABLE}.parquet", facts.tables[TABLE])])
            suffix = "parquet"
        files = [huggingface.DataFile(TABLE, PART_NAMES[0], TABLE, digest.hexdigest(), count)]
        for name, text in huggingface.texts(replace(source, facts=facts), files, suffix).items():
            (out / name).write_text(text, encoding="utf-8")


def as_row(own: ReleasedText, apart: list[MarkedSpan], tags: list[str]) -> dict[str, Any]:
    classes = {tag: number for number, tag in enumerate(tags)}
    return {
        "id": own.id,
        "group": own.group,
        "tokens": [own.text[token.start : token.end] for token in own.tokens],
        "ner_tags": [classes[tag] for tag in tags_of(own.tokens, apart)],
    }


def token_fields(tags: list[str]) -> Fields:
    return (
        Field("id", "the key of the item, with the part where the task has several parts of spans"),
        Field("group", "overlap group: items of one group must not be split apart"),
        Field("tokens", "the words of the text, or its characters where people could mark these", many=True),
        Field("ner_tags", f"the class of each token: {', '.join(tags)}", NUMBER, many=True, classes=tuple(tags)),
    )


TABLES = f"""\
One table, `tokens`: one line for each text, with a BIO tag for each token. It holds what the annotations say together,
or the reviewers' own answer. Of marks that overlap, the outermost is kept; `{LEFT_OUT_FILE}` lists the others, and
texts that nobody answered."""


@dataclass
class TokenFacet:
    """Describes the folder as the release's own facet describes its rows."""

    whole: Describing
    fields: Fields

    def __post_init__(self) -> None:
        whole = self.whole
        self.words = replace(whole.words, tables=TABLES, hub_tasks=("token-classification",))
        self.schema, self.language, self.nothing_fits = whole.schema, whole.language, whole.nothing_fits
        self.quotes_articles = whole.quotes_articles

    def tables(self, schema: int, statistics: StoredStatistics) -> Mapping[str, Fields]:
        return {TABLE: self.fields}

    def markdown(self, statistics: StoredStatistics) -> str:
        return self.whole.markdown(statistics)
