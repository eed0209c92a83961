"""The fields of a released instance and of a released annotation."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.releasing.describing import DATE, NUMBER, TRUTH, Field, Fields

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
ANSWER = (
    Field("annotator", "pseudonym, of this release only; simulated participants have one that begins with sim-"),
    Field("answers", "what the person typed", many=True),
    Field("cleaned", "what it was cleaned to", many=True),
)
NOT_AGGREGATABLE_1 = (Field("not_aggregatable", "the person found no phrase", TRUTH),)
NOT_AGGREGATABLE = (
    Field("not_aggregatable", "the annotator, or a reviewer, said that no phrase fits", TRUTH),
    Field("rejected", "cleaning rules rejected every phrase that the annotator wrote", TRUTH),
)
REVIEW = (
    Field(
        "verdict",
        "accept, correct (cleaned is in a reviewer's words) or not_aggregatable; empty: not reviewed",
    ),
    Field("simulated", "written by a simulated participant (software), not by a person", TRUTH),
)


def tables(schema: int) -> Mapping[str, Fields]:
    """Return both tables. Schema 1 marked a rejected annotation as not aggregatable."""
    annotation = (*ANSWER, *(NOT_AGGREGATABLE_1 if schema == 1 else NOT_AGGREGATABLE), *REVIEW)
    phrases = "phrases that name all entities, the best supported first"
    instance = (
        Field("schema", "version of these fields", NUMBER),
        *INSTANCE,
        Field("mentions", "where the context mentions the entities", fields=MENTION, many=True),
        Field("backgrounds", "the background of each entity; null: none", fields=BACKGROUND, many=True),
        Field("aggregations", phrases, fields=AGGREGATION, many=True),
        Field("annotations", "what each person said", fields=annotation, many=True),
    )
    return {"instances": instance, "annotations": (Field("key", "the instance"), *annotation)}
