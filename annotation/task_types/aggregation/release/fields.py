"""The fields of a released instance and of a released annotation."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.releasing.describing import StoredStatistics
from annotation.releasing.votes import FIELD, VOTES
from corpus.items.instances import INSTANCE
from kernel.fields import NUMBER, TRUTH, Field, Fields

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


def tables(schema: int, statistics: StoredStatistics) -> Mapping[str, Fields]:
    """Return both tables. Schema 1 marked a rejected annotation as not aggregatable."""
    annotation = (*ANSWER, *(NOT_AGGREGATABLE_1 if schema == 1 else NOT_AGGREGATABLE), *REVIEW)
    phrases = "phrases that name all entities, the best supported first"
    instance = (
        Field("schema", "version of these fields", NUMBER),
        *INSTANCE.fields(),
        Field("aggregations", phrases, fields=AGGREGATION, many=True),
        *([VOTES] if FIELD in statistics else []),
        Field("annotations", "what each person said", fields=annotation, many=True),
    )
    return {"instances": instance, "annotations": (Field("key", "the instance"), *annotation)}
