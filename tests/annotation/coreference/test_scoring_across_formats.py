"""A key and a response in different formats: which documents belong together, and where their mentions are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText
from annotation.task_types.coreference.formats import read, write
from annotation.task_types.coreference.scoring.evaluation import score_documents
from kernel.errors import InvalidInput
from tests.annotation.coreference.invented import documents
from tests.annotation.coreference.marking import fractions, letters, marked, scored

SGML = (
    '<DOC><DOCNO>boats-1</DOCNO>\n<TXT>\n<COREF ID="1" MIN="ferry">The old  ferry,</COREF> said <COREF ID="2">Mira'
    "</COREF>,"
    ' is tired.\n<COREF ID="3" TYPE="IDENT" REF="1">It</COREF> leaks.\n</TXT></DOC>'
)
CONLL = """#begin document (boats-1); part 000
b 0 0 The (1
b 0 1 old -
b 0 2 ferry -
b 0 3 , 1)
b 0 4 said -
b 0 5 Mira (2)
b 0 6 , -
b 0 7 is -
b 0 8 tired -
b 0 9 . -

b 0 0 It (1)
b 0 1 leaks -
b 0 2 . -

#end document
"""


def sgml(text: str = SGML, name: str = "story.sgm") -> CorefDocument:
    return read(name, text.encode()).documents[0]


def conll(text: str = CONLL, name: str = "story.conll") -> CorefDocument:
    return read(name, text.encode()).documents[0]


def from_file(document: CorefDocument, file: str) -> CorefDocument:
    return replace(document, source=SourceText("conll", file, ""))


# ---- Texts


def test_texts_that_differ_in_white_space_alone_are_scored():
    for key, response in ((sgml(), conll()), (conll(), sgml())):
        evaluation = scored(key, response)
        assert fractions(evaluation, "mentions") == ("3/3", "3/3")
        assert fractions(evaluation) == ("1/1", "1/1")


def test_a_min_keeps_its_place_in_another_layout():
    response = conll(CONLL.replace("The (1", "The -").replace("ferry -", "ferry (1)").replace(", 1)", ", -"))
    assert fractions(scored(sgml(), response, matching="min")) == ("1/1", "1/1")
    assert fractions(scored(sgml(), response)) == ("0/1", "0/1")


@given(documents(may_cross=True))
def test_a_document_has_no_errors_against_itself_in_words(document: CorefDocument):
    evaluation = scored(document, read("a.conll", written(document)).documents[0])
    kept = [mention for chain in evaluation.documents[0].response.chains for mention in chain]
    differences = evaluation.documents[0].differences
    assert not differences.spurious
    assert not differences.wrongly_linked
    counts = evaluation.scores["mentions"].counts
    assert counts
    assert len(kept) == counts.precision.numerator


def written(document: CorefDocument) -> bytes:
    (content,) = write([replace(document, chains=without_crossing(document))], "conll").files.values()
    return content


def without_crossing(document: CorefDocument):
    """CoNLL cannot hold mentions of one chain that cross; each mention in a chain of its own is enough here."""
    return tuple((mention,) for chain in document.chains for mention in chain)


def test_blanks_at_the_ends_of_a_mention_do_not_count_in_another_layout():
    loose = sgml(SGML.replace("ferry,</COREF> said", "ferry, </COREF>said"))
    assert fractions(scored(loose, conll()), "mentions") == ("3/3", "3/3")


def test_the_first_different_word_is_named_at_its_place_on_each_side():
    with pytest.raises(
        InvalidInput, match=r"character 12: the key has “  The old  ferry, said Mira, is…”, the response has .*canoe"
    ):
        scored(sgml(), conll(CONLL.replace("ferry", "canoe")))


def test_a_mention_of_blanks_alone_stands_for_nothing():
    key, response = letters("AB"), replace(letters("AB"), text=" " + letters("AB").text)
    moved = tuple(tuple(replace(m, start=m.start + 1, end=m.end + 1) for m in chain) for chain in response.chains)
    blank = ((ChainMention(0, 1),),)
    evaluation = scored(key, replace(response, chains=moved + blank))
    assert fractions(evaluation, "mentions") == ("2/2", "2/3")


# ---- Positions


def test_by_position_the_words_may_differ():
    other = conll(CONLL.replace("ferry", "fry").replace("leaks", "leaking"))
    with pytest.raises(InvalidInput, match="different texts"):
        scored(conll(), other)
    evaluation = scored(conll(), other, by_position=True)
    assert fractions(evaluation, "mentions") == ("3/3", "3/3")
    assert evaluation.documents[0].response.text == conll().text


def test_by_position_needs_as_many_words_on_both_sides():
    fewer = conll(CONLL.replace("b 0 8 tired -\n", ""))
    with pytest.raises(InvalidInput, match="boats-1: the key has 13 words, and the response 12"):
        scored(conll(), fewer, by_position=True)


def test_by_position_needs_files_that_say_where_words_are():
    with pytest.raises(InvalidInput, match=r"does not say where words begin and end\. .* such as CoNLL"):
        scored(conll(), sgml(), by_position=True)


# ---- Names


def test_a_document_named_by_its_file_belongs_to_one_named_inside_its_file():
    keys = [from_file(letters("AB", "wsj-1"), "gold/first.sgm"), from_file(letters("AB", "wsj-2"), "gold/second.sgm")]
    responses = [letters("A B", "second"), letters("AB", "first")]
    evaluation = score_documents(keys, responses)
    assert [document.name for document in evaluation.documents] == ["wsj-1", "wsj-2"]
    assert fractions(evaluation) == ("1/2", "1/1")


def test_folders_before_a_name_do_not_count_if_the_rest_is_unique():
    keys = [letters("AB", "bc/0/first"), letters("AB", "bc/0/second")]
    assert fractions(score_documents(keys, [letters("AB", "second"), letters("AB", "nw/first")])) == ("2/2", "2/2")
    with pytest.raises(InvalidInput, match=r"lacks documents of the key \(a/first, b/first\)"):
        score_documents([letters("AB", "a/first"), letters("AB", "b/first")], [letters("AB", "first")])


def test_a_file_of_several_documents_names_none_of_them():
    keys = [from_file(letters("AB", "one"), "all.conll"), from_file(letters("AB", "two"), "all.conll")]
    with pytest.raises(InvalidInput, match=r"the response lacks documents of the key \(one, two\)"):
        score_documents(keys, [letters("AB", "all")])


def test_a_single_key_and_a_single_response_belong_together():
    assert fractions(scored(letters("AB", "gold"), letters("AB", "system"))) == ("1/1", "1/1")
    assert scored(letters("AB", "gold"), letters("AB", "system"), missing_is_empty=True).without_response == ()


def test_many_missing_documents_are_counted():
    keys = [letters("AB", name) for name in "abcdefgh"]
    with pytest.raises(InvalidInput, match=r"\(a, b, c, d, e and 2 more\)"):
        score_documents(keys, [letters("AB", "h")])


# ---- Conformance, through files

CHAIN = ["Orla", "she", "her", "the captain"]


def linked(refs: list[int | None], least: str = "") -> CorefDocument:
    """The four mentions of a chain, with these references between them."""
    words = []
    for number, (word, ref) in enumerate(zip(CHAIN, refs, strict=True)):
        link = f' TYPE="IDENT" REF="{ref}"' if ref is not None else ""
        words.append(f'<COREF ID="{number}"{link}>{word}</COREF>')
    return sgml(f"<DOC><TXT>{' spoke. Then '.join(words)}.</TXT></DOC>", "chain.sgm")


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param([None, 0, 0, 0], id="star"),
        pytest.param([None, 0, 1, 2], id="path"),
        pytest.param([None, 0, 0, 1], id="tree"),
        pytest.param([3, 3, 1, None], id="backwards"),
    ],
)
def test_every_encoding_of_a_chain_scores_alike(refs: list[int | None]):
    key, broken = linked(refs), linked([None, 0, None, 2])
    for matching in ("exact", "min"):
        assert fractions(scored(key, broken, matching=matching)) == ("2/3", "2/2")
        assert fractions(scored(broken, key, matching=matching)) == ("2/2", "2/3")
        assert scored(key, linked([None, 0, 0, 0]), matching=matching).scores["lea"].f1 == 1


def test_min_and_opt_count_through_sgml():
    key = sgml(
        '<DOC><TXT><COREF ID="1" MIN="Port Lind">Port Lind, the old harbour,</COREF> sleeps. <COREF ID="2" '
        'TYPE="IDENT" REF="1">It</COREF> was <COREF ID="3" TYPE="IDENT" REF="1" STATUS="OPT">a trading '
        "post</COREF>.</TXT></DOC>"
    )
    short = sgml(
        '<DOC><TXT><COREF ID="1">Port Lind</COREF>, the old harbour, sleeps. <COREF ID="2" TYPE="IDENT" '
        'REF="1">It</COREF> was a trading post.</TXT></DOC>'
    )
    assert fractions(scored(key, short, matching="min")) == ("1/1", "1/1")
    assert fractions(scored(key, short, matching="exact")) == ("0/1", "0/1")
    too_long = marked("{1 Port Lind, the old harbour, sleeps}. {1 It} was a trading post.", key.name)
    assert fractions(scored(key, too_long, matching="min")) == ("0/1", "0/1")
    assert key.name == "story"
