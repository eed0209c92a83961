"""Scores of several documents, and where their key and response differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.task_types.coreference.scoring.evaluation import score_documents
from kernel.errors import InvalidInput, UnknownPlugin
from tests.annotation.coreference.marking import fractions, letters, scored


def test_totals_add_up_numerators_and_denominators_of_all_documents():
    keys = [letters("ABCD", "first"), letters("AB CDE", "second")]
    responses = [letters("CDE", "second"), letters("AB CD", "first")]  # 2/3 and 2/2; 2/3 and 2/2
    evaluation = score_documents(keys, responses)
    assert fractions(evaluation) == ("4/6", "4/4")
    assert [document.name for document in evaluation.documents] == ["first", "second"]


def test_totals_of_blanc_add_up_links_before_they_are_divided():
    keys = [letters("AB CD", "first"), letters("ABC", "second")]
    responses = [letters("AB CD", "first"), letters("AB", "second")]
    score = score_documents(keys, responses).scores["blanc"]
    assert score.recall == pytest.approx(((2 + 1) / (2 + 3) + 4 / 4) / 2)


def test_a_document_without_a_response_is_named():
    with pytest.raises(InvalidInput, match=r"the response lacks documents of the key \(second\)\. Give both sides"):
        score_documents([letters("AB", "first"), letters("AB", "second")], [letters("AB", "first")])


def test_documents_missing_and_extra_are_named_together():
    with pytest.raises(InvalidInput, match=r"\(first, second\) and the response has .* that the key lacks \(third\)"):
        score_documents([letters("AB", "first"), letters("AB", "second")], [letters("AB", "third")])


def test_a_missing_response_counts_as_empty_only_if_asked():
    keys = [letters("AB", "first"), letters("ABC", "second")]
    evaluation = score_documents(keys, [letters("AB", "first")], missing_is_empty=True)
    assert evaluation.without_response == ("second",)
    assert fractions(evaluation) == ("1/3", "1/1")
    with pytest.raises(InvalidInput, match="third"):
        score_documents(keys, [letters("AB", "third")], missing_is_empty=True)


def test_two_documents_of_one_name_are_refused():
    with pytest.raises(InvalidInput, match="first: the response has two documents of this name"):
        score_documents([letters("AB", "first")], [letters("AB", "first")] * 2)


def test_a_key_without_documents_is_refused():
    with pytest.raises(InvalidInput, match="the key has no documents"):
        score_documents([], [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ABCDEFGHIJKLMNOPQRSTUVWXY.", "character 26: the key has “…FGHIJKLMNOPQRSTUVWXYZ”, the response has “…FGHI"),
        ("ABCD", "character 5: the key has “ABCDEFGHIJKLMNOPQRSTUVWX…”, the response ends after “ABCD”"),
        ("", "character 1: the key has “ABCDEFGHIJKLMNOPQRST…”, the response is empty"),
    ],
)
def test_different_texts_are_refused_with_their_first_difference(text: str, words: str):
    with pytest.raises(InvalidInput) as error:
        scored(letters("AB"), replace(letters("AB"), text=text))
    assert words in error.value.message
    assert error.value.where == "letters"


def test_only_the_metrics_asked_for_are_computed():
    assert [*scored(letters("AB"), letters("AB"), metrics=["lea", "muc"]).scores] == ["lea", "muc"]


def test_unknown_metrics_and_matchings_name_the_known():
    with pytest.raises(UnknownPlugin, match="bcub, blanc, ceafe"):
        scored(letters("AB"), letters("AB"), metrics=["kappa"])
    with pytest.raises(InvalidInput, match="exact, min"):
        scored(letters("AB"), letters("AB"), matching="head")


def names(chain) -> str:
    return "".join(chr(ord("A") + mention.start) for mention in chain)


def test_differences_say_what_is_missing_spurious_and_linked_wrongly():
    key, response = letters("ABCDH? EFG"), letters("AB CEFX GY")
    differences = scored(key, response).documents[0].differences
    assert [(names([pair.key]), pair.response and names([pair.response])) for pair in differences.pairs] == [
        ("A", "A"), ("B", "B"), ("C", "C"), ("D", None), ("E", "E"), ("F", "F"), ("G", "G"), ("H", None),
    ]  # fmt: skip
    assert names(differences.unmarked) == "H"
    assert names(differences.missing) == "D"
    assert names(differences.spurious) == "XY"
    assert names(differences.separated) == "CG"  # AB and EF are the largest parts
    assert names(differences.wrongly_linked) == "C"  # CEF X belongs to EFG
    assert differences.errors == 1 + 2 + 2 + 1


def test_chains_are_shown_as_the_other_side_cuts_them():
    differences = scored(letters("ABCD"), letters("CD AX")).documents[0].differences
    (chain,) = differences.key_chains
    assert [(part.chain, names(part.mentions)) for part in chain.parts] == [(1, "CD"), (0, "A"), (None, "B")]
    assert [[(part.chain, names(part.mentions)) for part in chain.parts] for chain in differences.response_chains] == [
        [(0, "A"), (None, "X")],
        [(0, "CD")],
    ]


def test_documents_with_most_errors_come_first_then_by_name():
    keys = [letters("ABC", name) for name in ("d", "c", "b", "a")]
    responses = [letters("ABC", "d"), letters("AB", "c"), letters("", "b"), letters("AB", "a")]
    evaluation = score_documents(keys, responses)
    assert [document.name for document in evaluation.most_errors_first] == ["b", "a", "c", "d"]
