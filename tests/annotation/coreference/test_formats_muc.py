"""MUC-6 SGML comes back as it was, and each fault is named with its line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from annotation.task_types.coreference.document import ChainMention, CorefDocument, Zone
from annotation.task_types.coreference.formats import read, write
from annotation.task_types.coreference.formats.muc_mins import is_needless, places_of
from kernel.errors import InvalidInput
from tests.annotation.coreference.invented import documents, spans

STORY = """<DOC>
<DOCID> harbour-1 </DOCID>
<DD> 3 May </DD>
<HL>
@ <COREF ID="1">Ferry</COREF> returns
</HL>
<DD> <COREF ID="2">4 May</COREF> </DD>
<TXT>
<p><COREF ID="3" TYPE="IDENT" REF="1" MIN="ferry">The old ferry of <COREF ID="4">Norsund</COREF></COREF> is back.</p>
@ 17 22 35
<COREF STATUS="OPT" REF="3" ID="5" TYPE="IDENT">It</COREF> sails at R&amp;D Pier &MD; daily.
</TXT>
</DOC>
"""

ODD = (
    "<DOC>\r\n<TXT>\r\n<coref id=a Ref = 'b'\r\n type=ident>Mira\r\n Holt</coref> met "
    '<Coref KIND="person" ID="b" STAT="OPT" min="a &quot;clerk&quot;" >a &quot;clerk&quot; of <COREF ID=" c " >the'
    " R&amp;D</COREF> &MD; office</Coref>.<!-- <COREF ID=9> -->\r\n</TXT>\r\n</DOC>"
)


def story(markup: str, zone: str = "TXT") -> str:
    return f"<DOC>\n<{zone}>\n{markup}\n</{zone}>\n</DOC>\n"


def read_one(markup: str, name: str = "a.sgm") -> CorefDocument:
    reading = read(name, markup.encode(), "muc_sgml")
    return reading.documents[0]


def words(document: CorefDocument) -> list[list[str]]:
    return [[document.text[mention.start : mention.end] for mention in chain] for chain in document.chains]


def problems(markup: str) -> list[tuple[str, int]]:
    return [(problem.kind, problem.line) for problem in read("a.sgm", markup.encode(), "muc_sgml").problems]


def written(document: CorefDocument) -> str:
    (content,) = write([document], "muc_sgml").files.values()
    return content.decode()


def test_chains_are_what_ref_joins():
    document = read_one(STORY)
    assert document.name == "harbour-1"
    assert words(document) == [["Ferry", "The old ferry of Norsund", "It"], ["4 May"], ["Norsund"]]
    assert [mention.is_optional for mention in document.chains[0]] == [False, False, True]
    least = document.chains[0][1].least
    assert least
    assert document.text[slice(*least)] == "ferry"


def test_the_text_has_no_tags_and_no_name():
    document = read_one(STORY)
    assert "harbour-1" not in document.text
    assert "It sails at R&D Pier &MD; daily." in document.text
    assert "<" not in document.text


def test_of_two_dates_the_second_is_annotated_and_table_lines_are_locked_in_the_text_only():
    document = read_one(STORY)
    assert [zone.name for zone in document.zones] == ["HL", "DD", "TXT"]
    assert document.text[document.zones[1].start : document.zones[1].end] == " 4 May "
    assert [document.text[slice(*line)] for zone in document.zones for line in zone.locked] == ["@ 17 22 35"]
    assert problems(STORY) == []


@pytest.mark.parametrize(
    "markup", [STORY, STORY.replace("\n", "\r\n"), ODD, STORY + "\n" + STORY, "\ufeff" + STORY, "x"]
)
def test_a_file_that_was_not_changed_comes_back_byte_for_byte(markup: str):
    reading = read("a.sgm", markup.encode(), "muc_sgml")
    assert write(reading.documents, "muc_sgml").files == {"a.sgm": markup.encode()}


def test_latin_1_comes_back_byte_for_byte_and_is_reported():
    content = story('<COREF ID="1">Café</COREF>').encode("latin-1")
    reading = read("a.sgm", content)
    assert words(reading.documents[0]) == [["Café"]]
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("encoding", 3)]
    assert write(reading.documents, "muc_sgml").files == {"a.sgm": content}


def test_odd_markup_means_the_same():
    document = read_one(ODD)
    assert words(document) == [["Mira\n Holt", 'a "clerk" of the R&D &MD; office'], ["the R&D"]]
    clerk = document.chains[0][1]
    assert (clerk.is_optional, clerk.attributes, clerk.id) == (True, (("KIND", "person"),), "b")
    assert clerk.least
    assert document.text[slice(*clerk.least)] == 'a "clerk"'


def test_a_change_leaves_other_tags_and_the_text_as_they_are():
    document = read_one(ODD)
    first, second = document.chains[0]
    changed = written(replace(document, chains=((first,), (second,), document.chains[1])))
    assert changed == ODD.replace(" Ref = 'b'\r\n type=ident", "")


def test_a_mention_that_joins_a_chain_refers_to_the_nearest_earlier_one_that_is_not_optional():
    document = read_one(
        story('<COREF ID="1">Mira</COREF> <COREF ID="2" TYPE="IDENT" REF="1" STATUS="OPT">Ms. Holt</COREF> she')
    )
    she = document.text.index("she")
    changed = replace(document, chains=((*document.chains[0], ChainMention(she, she + 3)),))
    assert '<COREF ID="3" TYPE="IDENT" REF="1">she</COREF>' in written(changed)


def test_two_chains_that_become_one_keep_their_references():
    markup = story(
        '<COREF ID="1">Mira</COREF> <COREF ID="2" TYPE="IDENT" REF="1">she</COREF> '
        '<COREF ID="3">the clerk</COREF> <COREF ID="4" TYPE="IDENT" REF="3">her</COREF>'
    )
    document = read_one(markup)
    joined = replace(document, chains=(document.chains[0] + document.chains[1],))
    assert written(joined) == markup.replace('ID="3"', 'ID="3" TYPE="IDENT" REF="2"')


def test_min_is_left_out_where_it_is_the_mention_or_all_but_an_article():
    text = "The ferry of Norsund"
    for least, expected in ((None, ""), ((0, 20), ""), ((4, 20), ""), ((4, 9), ' MIN="ferry"')):
        document = CorefDocument("a", text, ((ChainMention(0, 20, least),),))
        assert written(document) == f'<DOC><DOCID>a</DOCID><COREF ID="1"{expected}>{text}</COREF></DOC>\n'


def test_min_is_read_as_a_whole_word_if_it_stands_as_a_whole_word():
    assert places_of("the part of art", 0, 15, "art") == [(12, 15)]
    assert places_of("the parts", 0, 9, "art") == [(5, 8)]


def test_a_new_document_keeps_its_zones():
    zones = (Zone("HL", 0, 4), Zone("TXT", 5, 20, ((10, 14),)))
    document = CorefDocument("a", "Boat\nMira\n@ 12\nsails", ((ChainMention(5, 9),),), zones)
    again = read_one(written(document))
    assert (again.zones, again.text, again.chains) == (zones, document.text, document.chains)


def test_crossing_mentions_are_reported_by_the_writer():
    files, warnings = write(
        [CorefDocument("a", "Mira Holt left", ((ChainMention(0, 9),), (ChainMention(5, 14),)))], "muc_sgml"
    )
    assert files["a.sgm"].decode().count("<COREF") == 1
    assert any("crosses" in warning for warning in warnings)


PROBLEMS = {
    "dangling_ref": '<COREF ID="1" TYPE="IDENT" REF="7">Mira</COREF>',
    "repeated_id": '<COREF ID="1">Mira</COREF> <COREF ID="1">Norsund</COREF>',
    "ref_to_itself": '<COREF ID="1" TYPE="IDENT" REF="1">Mira</COREF>',
    "ref_cycle": '<COREF ID="1" TYPE="IDENT" REF="2">Mira</COREF> <COREF ID="2" TYPE="IDENT" REF="1">she</COREF>',
    "min_absent": '<COREF ID="1" MIN="Clara">Mira</COREF>',
    "min_ambiguous": '<COREF ID="1" MIN="boat">a boat on a boat</COREF>',
    "unclosed_tag": '<COREF ID="1">Mira',
    "unopened_tag": "Mira</COREF>",
    "closing_without_slash": '<COREF ID="1">Mira<COREF>',
    "unknown_attribute": '<COREF ID="1" KIND="person">Mira</COREF>',
    "unreadable_attribute": '<COREF ID="1" REF=02">Mira</COREF>',
    "repeated_attribute": '<COREF ID="1" ID="2">Mira</COREF>',
    "opt_antecedent": '<COREF ID="1">M.</COREF> <COREF ID="2" TYPE="IDENT" REF="1" STATUS="OPT">she</COREF> '
    '<COREF ID="3" TYPE="IDENT" REF="2">her</COREF>',
    "opt_first": '<COREF ID="1" STATUS="OPT">Mira</COREF> <COREF ID="2" TYPE="IDENT" REF="1">she</COREF>',
    "type": '<COREF ID="1">Mira</COREF> <COREF ID="2" REF="1">she</COREF>',
    "missing_id": "<COREF TYPE=IDENT>Mira</COREF>",
    "empty_mention": '<COREF ID="1"></COREF>',
    "locked_zone": '\n@ 12 <COREF ID="1">Mira</COREF>',
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_each_problem_is_named_with_its_line(kind: str):
    markup = story("One.\n" + PROBLEMS[kind])
    assert (kind, 5 if kind == "locked_zone" else 4) in problems(markup)
    reading = read("a.sgm", markup.encode())
    assert write(reading.documents, "muc_sgml").files["a.sgm"] == markup.encode()


def test_another_type_than_ident_joins_nothing_and_is_kept():
    markup = story('<COREF ID="1">a boat</COREF> <COREF ID="2" TYPE="PART" REF="1">the mast</COREF> and Mira')
    document = read_one(markup)
    assert words(document) == [["a boat"], ["the mast"]]
    assert problems(markup) == [("type", 3)]
    mira = document.text.index("Mira")
    changed = written(replace(document, chains=(*document.chains, (ChainMention(mira, mira + 4),))))
    assert changed == markup.replace("Mira", '<COREF ID="3">Mira</COREF>')


def test_several_documents_are_split_and_keep_their_lines():
    markup = STORY + story('<COREF ID="1" TYPE="IDENT" REF="8">Mira</COREF>')
    reading = read("a.sgm", markup.encode())
    assert [document.name for document in reading.documents] == ["harbour-1", "a-2"]
    assert [(problem.kind, problem.line) for problem in reading.problems] == [
        ("several_documents", 1),
        ("dangling_ref", STORY.count("\n") + 3),
    ]


def test_reading_goes_on_after_an_unclosed_tag():
    document = read_one(story('<COREF ID="1">Mira sails. <COREF ID="2">She</COREF> is late.'))
    assert words(document) == [["She"]]


def test_a_document_without_tags_is_all_text():
    document = read_one("Mira sails.")
    assert (document.text, document.chains, document.zones) == ("Mira sails.", (), ())


def test_ids_with_blanks_are_ids():
    document = read_one(story('<COREF ID="no 1">Mira</COREF> <COREF ID=" 2 " TYPE="IDENT" REF="no 1 ">she</COREF>'))
    assert words(document) == [["Mira", "she"]]


def test_entities_are_never_expanded():
    bomb = '<!DOCTYPE DOC [ <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;"> ]>'
    assert read_one(f"{bomb}\n" + story("&b; <COREF ID=1>Mira</COREF>")).text == "\n\n&b; Mira\n\n"


@pytest.mark.parametrize("opening", ["<!--", "<!D [", "<?", '<COREF ID="1', "<a b='"])
def test_what_never_ends_is_text_and_takes_no_longer(opening: str):
    assert read_one(opening * 100_000).text == opening * 100_000


def test_a_hundred_thousand_tags_are_read_and_nest_as_deep_as_they_like():
    deep = "".join(f"<COREF ID={number}>" for number in range(50_000))
    document = read_one(story(f"{deep}Mira{'</COREF>' * 50_000}"))
    assert len(document.chains) == 50_000


def test_a_long_chain_of_optional_mentions_is_read_and_written():
    tags = (f"<COREF ID={number} TYPE=IDENT REF={number - 1} STATUS=OPT>she</COREF> " for number in range(10_000))
    document = read_one(story("".join(tags)))
    assert [len(chain) for chain in document.chains] == [10_000]
    assert read_one(written(replace(document, source=None))).chains == document.chains


def test_broken_nesting_is_refused_with_its_line():
    with pytest.raises(InvalidInput, match=r"^a\.sgm, line 4: .*COREF tags have no partner"):
        read("a.sgm", story("One.\n" + "<COREF ID=1>Mira " * 8).encode())


@given(documents())
def test_chains_come_back_from_sgml(document: CorefDocument):
    again = read_one(written(document))
    assert (again.text, again.name) == (document.text, document.name)
    assert spans(again.chains) == spans(document.chains)
    mentions = {mention.span: mention for chain in again.chains for mention in chain}
    for mention in (mention for chain in document.chains for mention in chain):
        assert mentions[mention.span].is_optional == mention.is_optional
        if is_needless(document.text, mention):
            assert mentions[mention.span].least is None
        else:
            assert mentions[mention.span].least is not None


@given(documents(), documents())
def test_other_chains_are_written_into_the_same_source(first: CorefDocument, second: CorefDocument):
    markup = written(first)
    read_first = read_one(markup)
    ends = [mention for chain in second.chains for mention in chain if mention.end <= len(first.text)]
    chains = tuple((replace(mention, least=None),) for mention in ends)
    again = read_one(written(replace(read_first, chains=chains)))
    assert (again.text, spans(again.chains)) == (first.text, spans(chains))
