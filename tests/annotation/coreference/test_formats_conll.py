"""CoNLL-2012 and CorefUD: brackets of mentions in the last column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from annotation.task_types.coreference.document import ChainMention, CorefDocument, Span
from annotation.task_types.coreference.formats import read, write
from annotation.task_types.coreference.formats.base import in_order
from kernel.errors import InvalidInput
from tests.annotation.coreference.invented import documents

HARBOUR = """#begin document (nw/harbour); part 000
nw/harbour\t0\t0\tMira\tNNP\t(S*\t(3|(7)
nw/harbour\t0\t1\tHolt\tNNP\t*\t3)
nw/harbour\t0\t2\tleft\tVBD\t*)\t-

nw/harbour\t0\t0\tShe\tPRP\t*\t(3)
nw/harbour\t0\t1\twaved\tVBD\t*\t-

#end document
#begin document (nw/harbour); part 001
nw/harbour   1   0   Norsund   NNP   *   (1)

#end document
"""


def words(document: CorefDocument) -> list[list[str]]:
    return [[document.text[mention.start : mention.end] for mention in chain] for chain in document.chains]


def places(document: CorefDocument) -> set[frozenset[Span]]:
    """Return each chain as the first and last word of its mentions."""
    spans = [span for sentence in document.sentences for span in sentence]
    first = {start: number for number, (start, _) in enumerate(spans)}
    last = {end: number for number, (_, end) in enumerate(spans)}
    return {frozenset((first[mention.start], last[mention.end]) for mention in chain) for chain in document.chains}


def story(*cells: str) -> bytes:
    lines = [f"a 0 {number} w{number} {cell}" for number, cell in enumerate(cells)]
    return "\n".join(["#begin document (a); part 000", *lines, "", "#end document", ""]).encode()


def problems(content: bytes) -> list[tuple[str, int]]:
    return [(problem.kind, problem.line) for problem in read("a.conll", content).problems]


def test_mentions_and_sentences_are_read():
    first, second = read("a.conll", HARBOUR.encode()).documents
    assert first.text == "Mira Holt left\nShe waved"
    assert words(first) == [["Mira Holt", "She"], ["Mira"]]
    assert [len(sentence) for sentence in first.sentences] == [3, 2]
    assert (first.name, second.name) == ("nw/harbour", "nw/harbour part 001")


@pytest.mark.parametrize("content", [HARBOUR, HARBOUR.replace("\n", "\r\n"), "# A comment\n" + HARBOUR, HARBOUR[:-1]])
def test_a_file_that_was_not_changed_comes_back_byte_for_byte(content: str):
    reading = read("a.conll", content.encode())
    assert write(reading.documents, "conll") == ({"a.conll": content.encode()}, ())


def test_a_change_leaves_the_other_columns_as_they_are():
    first, second = read("a.conll", HARBOUR.encode()).documents
    changed = replace(first, chains=(first.chains[0],))
    (content,) = write([changed, second], "conll").files.values()
    assert content.decode() == HARBOUR.replace("(3|(7)", "(3")


def test_a_file_without_words_has_places_for_them():
    content = b"#begin document (a); part 000\na (1\na 1)\n\n#end document\n"
    assert words(read("a.key", content).documents[0]) == [["_ _"]]


def test_crossing_mentions_of_two_chains_are_kept():
    reading = read("a.conll", story("(1", "(2", "1)", "2)"))
    assert words(reading.documents[0]) == [["w0 w1 w2"], ["w1 w2 w3"]]
    fresh = replace(reading.documents[0], source=None)
    assert places(read("a.conll", write([fresh], "conll").files["documents.conll"]).documents[0]) == {
        frozenset({(0, 2)}),
        frozenset({(1, 3)}),
    }


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("(1", "-"), ("unclosed_bracket", 2)),
        (("-", "1)"), ("unopened_bracket", 3)),
        (("-", "(1)x"), ("unreadable_bracket", 3)),
        (("(1", "(1", "1)|1)|(1", "1)"), ("crossing", 4)),
        (("(1", "(2", "1)", "2)"), ("crossing", 3)),
        (("(1", "(2", "2)", "(3)|1)"), None),
        (("(1|(1", "1)|1)"), ("repeated_mention", 3)),
    ],
)
def test_each_problem_is_named_with_its_line(cells: tuple[str, ...], expected: tuple[str, int] | None):
    assert problems(story(*cells)) == ([expected] if expected else [])


def test_an_unclosed_bracket_is_named_with_its_document_line_and_entity():
    (problem,) = read("a.conll", story("-", "(12")).problems
    assert str(problem).startswith("a.conll, line 3: Document a: entity 12 is opened and never closed")


def test_documents_without_an_end_or_a_beginning_are_read_and_reported():
    assert problems(b"#begin document (a)\na 0 0 w (1)\n") == [("unclosed_document", 1)]
    assert problems(b"a 0 0 w (1)\n#end document\n") == [("no_document", 1)]
    assert problems(story("(1)") + story("-")) == [("repeated_document", 5)]


def test_what_the_format_cannot_hold_is_listed():
    mention = ChainMention(0, 9, (5, 9), is_optional=True)
    warnings = write([CorefDocument("a", "Mira Holt left", ((mention,),))], "conll").warnings
    assert [word for word in ("MIN", "OPT", "blanks") if not any(word in warning for warning in warnings)] == []


def test_a_mention_that_cuts_a_word_is_widened_and_reported():
    document = CorefDocument("a", "Mira left", ((ChainMention(0, 2),),), sentences=(((0, 4), (5, 9)),))
    files, warnings = write([document], "conll")
    assert words(read("a.conll", files["documents.conll"]).documents[0]) == [["Mira"]]
    assert any("widened" in warning for warning in warnings)


def test_no_sentence_ends_within_a_mention():
    text = "She left. He waved."
    whole = CorefDocument("a", text, ((ChainMention(0, 19),),))
    part = CorefDocument("b", text, ((ChainMention(0, 3),),))
    (content,) = write([whole, part], "conll").files.values()
    assert [len(document.sentences) for document in read("a.conll", content).documents] == [1, 2]


def test_mentions_of_one_chain_that_cross_are_reported():
    document = CorefDocument("a", "a b c d", ((ChainMention(0, 5), ChainMention(2, 7)),))
    assert any("crosses another of its own chain" in warning for warning in write([document], "conll").warnings)


def crosses_itself(document: CorefDocument) -> bool:
    return any(
        first.start < second.start < first.end < second.end
        for chain in document.chains
        for first in chain
        for second in chain
    )


@given(documents(may_cross=True, may_be_described=False).filter(lambda document: not crosses_itself(document)))
def test_chains_come_back_from_conll(document: CorefDocument):
    (content,) = write([document], "conll").files.values()
    (again,) = read("a.conll", content).documents
    assert len(again.chains) == len(document.chains)
    assert sorted(without_blanks(document)) == sorted(without_blanks(again))
    (content,) = write([replace(again, source=None)], "conll").files.values()
    assert places(read("a.conll", content).documents[0]) == places(again)


def without_blanks(document: CorefDocument) -> list[list[tuple[int, str]]]:
    """Return each chain as (characters before it, words) of its mentions, blanks not counted."""
    return [
        [
            (len("".join(document.text[: mention.start].split())), "".join(document.text[slice(*mention.span)].split()))
            for mention in in_order(chain)
        ]
        for chain in document.chains
    ]


COREFUD = """# newdoc id = harbour
# global.Entity = eid-etype-minspan-other
# sent_id = 1
1\tMira\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-
2\tHolt\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)
3-4\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\tcan\t_\t_\t_\t_\t_\t_\t_\t_
4\tn't\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t_\t_\t_\t_\t_\t_\t_\t_

# sent_id = 2
0.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)
1\tTakes\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2[1/2]-thing--)
2\tthe\t_\t_\t_\t_\t_\t_\t_\t_
3\tferry\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2[2/2])
4\therself\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)

# newdoc id = pier
# sent_id = 3
1\tNorsund\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-place%2Dname-1-
"""


def test_corefud_is_read_with_its_text_and_the_problems_of_it():
    reading = read("a.conllu", COREFUD.encode())
    harbour, pier = reading.documents
    assert (harbour.name, harbour.text) == ("harbour", "Mira Holt can't.\nTakes the ferry herself")
    assert words(harbour) == [["Mira Holt", "herself"], ["Takes the ferry"]]
    holt, takes = harbour.chains[0][0], harbour.chains[1][0]
    assert (holt.least, holt.attributes, holt.entity) == ((0, 4), (("etype", "person"),), "e1")
    assert takes.pieces == ((17, 22), (27, 32))
    assert [len(sentence) for sentence in harbour.sentences] == [4, 4]
    assert (pier.name, pier.chains) == ("pier", ())
    assert [(problem.kind, problem.line) for problem in reading.problems] == [
        ("empty_node", 12),
        ("discontinuous", 13),
        ("unclosed_bracket", 20),
    ]


def test_a_sentence_that_is_not_conll_u_is_reported_and_the_others_are_read():
    content = COREFUD.replace("1\tTakes", "x\tTakes")
    reading = read("a.conllu", content.encode())
    assert (reading.problems[0].kind, reading.problems[0].line) == ("unreadable_sentence", 11)
    assert words(reading.documents[0]) == [["Mira Holt"]]
    with pytest.raises(InvalidInput, match=r"a\.conllu, line 1: The file holds no sentence"):
        read("a.conllu", b"not such a file\n", "corefud")


def test_corefud_is_not_written():
    with pytest.raises(InvalidInput, match="CorefUD is read only"):
        write([], "corefud")
