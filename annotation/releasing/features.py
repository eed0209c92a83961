"""The fields of a Hugging Face folder's two tables: one place for its card, its parquet and its Croissant file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotation.releasing.facts import ReleaseRow

TEXT, NUMBER, TRUTH, DATE = "string", "int64", "bool", "date"


@dataclass(frozen=True)
class Field:
    """A column: its type, or the fields of the objects it holds; `many`: a list of them."""

    name: str
    about: str
    type: str = TEXT
    fields: tuple[Field, ...] = ()
    many: bool = False


INSTANCE = (
    Field("key", "identity of the instance: the hash of what it says"),
    Field("group", "overlap group: instances of one group must not be split apart"),
    Field("corpus", "name of the corpus"),
    Field("article_id", "the publisher's id of the article"),
    Field("date", "day the article was published", DATE),
    Field("entity_type", "person, location or organization"),
    Field("entities", "names of the entities, in the order of their first mention", many=True),
    Field("kind", "content or abstract: where the context stands"),
    Field("title", "title of the article"),
    Field("context", "the passage that mentions all entities"),
)
MENTION = (
    Field("entity", "position in entities, from 0", NUMBER),
    Field("start", "first character in the context", NUMBER),
    Field("end", "behind the last character in the context", NUMBER),
)
BACKGROUND = (
    Field("title", "title of the page"),
    Field("text", "its first paragraph"),
    Field("url", "its address"),
    Field("licence", "licence of the text"),
    Field("status", "how the page was chosen"),
    Field("source", "where it was looked up"),
    Field("page_id", "the source's id of the page", NUMBER),
    Field("revision_id", "the source's id of the revision", NUMBER),
    Field("retrieved", "day it was looked up", DATE),
)
AGGREGATION = (
    Field("phrase", "cleaned phrase, its identity"),
    Field("display", "as most people wrote it"),
    Field("support", "how many annotations gave it, simulated ones included", NUMBER),
    Field("simulated", "how many of these annotations are simulated", NUMBER),
)
SAID = (
    Field("annotator", "pseudonym, of this release only; simulated participants have one that begins with sim-"),
    Field("answers", "what the person typed", many=True),
    Field("cleaned", "what it was cleaned to", many=True),
    Field("not_aggregatable", "the person found no phrase", TRUTH),
    Field(
        "verdict",
        "accept, correct (cleaned is in a reviewer's words) or not_aggregatable; empty: not reviewed",
    ),
    Field("simulated", "written by a simulated participant (software), not by a person", TRUTH),
)
INSTANCES = (
    Field("schema", "version of these fields", NUMBER),
    *INSTANCE,
    Field("mentions", "where the context mentions the entities", fields=MENTION, many=True),
    Field("backgrounds", "what is told of each entity; null: nothing", fields=BACKGROUND, many=True),
    Field("aggregations", "phrases that name all entities, the best supported first", fields=AGGREGATION, many=True),
    Field("annotations", "what each person said", fields=SAID, many=True),
)
ANNOTATIONS = (Field("key", "the instance"), *SAID)
TABLES = {"instances": INSTANCES, "annotations": ANNOTATIONS}


def annotation_rows(row: ReleaseRow) -> list[dict[str, Any]]:
    return [{"key": row["key"], **one} for one in row["annotations"]]
