"""What became of an answer: answered, skipped or rejected."""

from __future__ import annotations

import pytest

from annotation.quality.doubt import needs_another
from annotation.task_types import TASK_TYPES
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer, CleanedPart, Mark

PHRASE = CleanedPart("The botanists.", "Botanists", "botanists")
OFFENCE = CleanedPart("Ida", "Ida", None, marks=(Mark("lists", "It lists a name."),))
NOTHING = CleanedPart("x", "x", None, marks=(Mark("impossible", "The box was ticked.", missing=True),))


@pytest.mark.parametrize(
    ("parts", "outcome", "phrases"),
    [
        ((PHRASE, OFFENCE), AnswerOutcome.ANSWERED, ["botanists"]),
        ((OFFENCE,), AnswerOutcome.REJECTED, []),
        ((NOTHING,), AnswerOutcome.SKIPPED, []),
        ((), AnswerOutcome.SKIPPED, []),
    ],
)
def test_pieces_decide_what_became_of_the_answer(
    parts: tuple[CleanedPart, ...], outcome: AnswerOutcome, phrases: list[str]
):
    cleaned = CleanedAnswer.of_parts("phrases", parts)

    assert (cleaned.outcome, cleaned.answer) == (outcome, {"phrases": phrases})


def test_an_answer_without_pieces_is_what_its_cleaning_says():
    rated = CleanedAnswer({"stars": 4})
    skipped = CleanedAnswer({}, AnswerOutcome.SKIPPED, "the text is cut off")

    assert (rated.is_answered, rated.says_nothing_fits, rated.is_offending) == (True, False, False)
    assert (skipped.is_answered, skipped.says_nothing_fits, skipped.reason) == (False, True, "the text is cut off")


def test_a_mark_on_the_whole_answer_counts_as_much_as_one_on_a_piece():
    marked = CleanedAnswer({"stars": 9}, AnswerOutcome.REJECTED, marks=(Mark("range", "There are five stars."),))

    assert (marked.is_rejected, marked.is_offending) == (True, True)


def test_one_more_person_is_asked_where_some_skip_and_others_answer():
    type_ = TASK_TYPES["aggregation"]
    answered, skipped = CleanedAnswer.of_parts("phrases", (PHRASE,)), CleanedAnswer({}, AnswerOutcome.SKIPPED)

    assert needs_another([answered, skipped], type_)
    assert not needs_another([skipped, skipped], type_)
