"""What a follow-up makes of answers, without a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given as for_all
from hypothesis import strategies as st

from annotation.parts.span_follow_ups import ConfirmSpans, in_context, span_of, unit_of
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.text_follow_ups import ChooseBest, RateTexts
from annotation.task_types.aggregation.type import AGGREGATION
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.follow_ups import Naming, gathered
from annotation.task_types.own.checking import checked_description, type_of_description
from annotation.task_types.own.library import text_of
from annotation.task_types.own.writing import written
from tests.corpus.frozen_instances import make_frozen

TEXT = "Mira Holt opened the harbour."
SPANS = ConfirmSpans("names", "Who is named?", "text", {"person": "Person"})
RATE, CHOOSE = RateTexts("text", "Write it in other words."), ChooseBest("text", "Write it in other words.")
STAGE_2 = Naming(frozenset({"text"}), 2)


def mark(start: int, end: int, label: str = "person") -> dict[str, Any]:
    return {"start": start, "end": end, "label": label}


def marked(*marks: Mapping[str, Any]) -> CleanedAnswer:
    return CleanedAnswer({"names": [dict(own) for own in marks]})


def wrote(text: str | None) -> CleanedAnswer:
    return CleanedAnswer({"text": text})


def test_a_span_that_two_people_marked_is_one_item_with_both_as_authors():
    pieces = gathered(SPANS, [("ann", marked(mark(0, 9))), ("bob", marked(mark(0, 9), mark(21, 28)))])

    first, second = SPANS.items({"text": TEXT}, pieces, STAGE_2)

    assert (first.columns["marked"], first.authors) == ("Mira Holt", {"ann", "bob"})
    assert (second.columns["marked"], second.authors) == ("harbour", {"bob"})
    assert first.columns["in_context"] == "⟦Mira Holt⟧ opened the harbour."
    assert first.columns["text"] == TEXT


def test_the_same_span_with_another_label_is_another_item():
    pieces = gathered(SPANS, [("ann", marked(mark(0, 9))), ("bob", marked(mark(0, 9, "place")))])

    assert len(SPANS.items({"text": TEXT}, pieces, STAGE_2)) == 2


def test_texts_of_the_same_words_are_one_item_in_the_words_of_most():
    pieces = gathered(RATE, [("ann", wrote("It rained.")), ("bob", wrote("it rained")), ("cleo", wrote("It rained."))])

    (item,) = RATE.items({"text": TEXT}, pieces, STAGE_2)

    assert (item.columns["answer"], item.authors) == ("It rained.", {"ann", "bob", "cleo"})


def test_answers_that_do_not_count_and_skipped_ones_give_no_item():
    skipped = replace(wrote(None), outcome=AnswerOutcome.SKIPPED)

    assert gathered(RATE, [("ann", skipped), ("bob", wrote(None))]) == []


def test_the_best_is_chosen_among_all_texts_and_more_than_twelve_are_cut_to_those_that_most_wrote():
    answers = [(f"p{number}", wrote(f"text {number:02}")) for number in range(14)]
    pieces = gathered(CHOOSE, [*answers, ("zed", wrote("text 13"))])

    (item,) = CHOOSE.items({"text": TEXT}, pieces, STAGE_2)

    assert [name for name in item.columns if name != "text"] == [f"answer_{number}" for number in range(1, 13)]
    assert "text 13" in item.units
    assert len(item.units) == 12


def test_a_third_stage_names_its_columns_apart_from_those_of_the_second():
    pieces = gathered(RATE, [("ann", wrote("It rained."))])

    (item,) = RATE.items({"text": TEXT, "answer": "Rain."}, pieces, Naming(frozenset({"text", "answer"}), 3))

    assert item.columns == {"text": TEXT, "answer": "Rain.", "answer_3": "It rained."}


@for_all(st.lists(st.tuples(st.sampled_from("abcd"), st.text("xy ,.", max_size=4)), max_size=12), st.randoms())
def test_the_order_of_answers_does_not_matter(answers: list[tuple[str, str]], random: Any):
    mixed = answers[:]
    random.shuffle(mixed)

    pieces = gathered(CHOOSE, [(author, wrote(text)) for author, text in answers])

    assert pieces == gathered(CHOOSE, [(author, wrote(text)) for author, text in mixed])
    assert len({piece.unit for piece in pieces}) == len(pieces)


@for_all(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_a_mark_in_its_context_is_the_text_with_two_brackets(text: str, start: int, length: int):
    span = MarkedSpan(min(start, len(text)), min(start + length, len(text)), "a # b")

    assert in_context(text, span).replace("⟦", "").replace("⟧", "") == text.replace("⟦", "").replace("⟧", "")
    assert span_of(unit_of(span)) == span


def test_an_answer_without_a_piece_keeps_its_others_and_one_without_any_is_rejected():
    assert SPANS.without(marked(mark(0, 9), mark(21, 28)), {"0-9 # person"}, "").answer == {"names": [mark(21, 28)]}
    assert RATE.without(wrote("It rained."), {"it rained"}, "").outcome == AnswerOutcome.REJECTED
    assert RATE.without(wrote("It rained."), {"snow"}, "") == wrote("It rained.")


def test_phrases_of_an_instance_are_gathered_by_their_cleaned_form():
    instance = make_frozen()
    question = AGGREGATION.question(instance)
    kind = AGGREGATION.follow_ups["judge"]

    def clean(*phrases: str) -> CleanedAnswer:
        return AGGREGATION.cleaning.clean(question, {"phrases": [*phrases], "impossible": False, "reason": ""})

    answers = [("ann", clean("The botanists")), ("bob", clean("botanists", "two friends"))]
    pieces = gathered(kind, answers)
    without = kind.without(answers[1][1], {"botanists"}, "Too few votes.")

    assert [(piece.unit, sorted(piece.authors)) for piece in pieces] == [
        ("botanists", ["ann", "bob"]),
        ("friends", ["bob"]),
    ]
    assert without.units == ("friends",)
    items = kind.items(AGGREGATION.follow_up_columns(instance), pieces, Naming(frozenset(), 2))
    assert {item.columns["facet"] for item in items} == {instance.entity_type}


def test_every_follow_up_describes_a_task_that_can_be_kept():
    types = [AGGREGATION] + [
        type_of_description(checked_description(text_of(name)))
        for name in ("named_things", "paraphrase_writing", "claim_check", "post_editing")
    ]
    described = [
        type_.follow_up_task(kind, Naming(frozenset({"text", "title", "claim"}), 2), most)
        for type_ in types
        for kind in type_.follow_ups.values()
        for most in (1, 2, 5)
    ]

    assert len(described) >= 18
    for task in described:
        assert checked_description(written(task)).name == task["name"]
