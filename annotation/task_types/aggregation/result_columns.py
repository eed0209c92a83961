"""The columns of the aggregation task in result files: those of the HIT with which TESA was collected."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.task_types.aggregation.answers import no_phrase, phrases_answer
from annotation.task_types.base import JsonObject, ResultColumns
from kernel.errors import InvalidInput

FIRST, SECOND, BOX = "Answer.utterance_1", "Answer.utterance_2", "Answer.box_impossible.on"
TRUE = {"true", "on", "1", "yes"}
FALSE = {"", "false", "off", "0", "no", "nan"}


def answer_of(cells: Mapping[str, str]) -> JsonObject:
    """Return the answer as our own form would store it; text beside a ticked box is kept as the reason."""
    box = cells.get(BOX, "").lower()
    if box not in TRUE | FALSE:
        raise InvalidInput(f"{BOX} is {box[:40]!r}, neither true nor false")
    phrases = [phrase for phrase in (cells.get(FIRST, ""), cells.get(SECOND, "")) if phrase]
    return phrases_answer(phrases) if phrases and box not in TRUE else no_phrase(" / ".join(phrases))


COLUMNS = ResultColumns(
    item="Input.id_",
    other_id="article_id",
    ids="an instance’s key, or the id of an article that has one task",
    needed=(FIRST,),
    optional=(SECOND, BOX),
    answer=answer_of,
)
