"""A document with key and response beside each other: what each mention is called, marked and numbered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.coreference.document import ChainMention, CorefDocument
from annotation.task_types.coreference.scoring.evaluation import score_documents
from annotation.task_types.coreference.side_by_side import MentionMark, SideBySide, TextPiece, side_by_side
from tests.annotation.coreference.invented import documents
from tests.annotation.coreference.marking import letters, marked

KEY = "{1 Mira} met {2 the pilot}. {1 She} greeted {2 him}. {3? A gull} cried."
RESPONSE = "{1 Mira} met {2 the pilot}. {1 She} greeted {1 him}. A gull {3 cried}."


def written(pieces: tuple[TextPiece, ...]) -> str:
    """Return a row as it can be read: [chain text sign]."""
    parts = []
    for piece in pieces:
        if piece.opens:
            parts.append(f"[{'…' if piece.is_interrupted else ''}{piece.opens.chain} ")
        elif piece.closes:
            mention = piece.closes
            number = f"{mention.number}:" if mention.number else ""
            mark = f" {number}{mention.mark}{mention.other}" if mention.mark and not piece.is_interrupted else ""
            parts.append(f"{mark}]")
        else:
            parts.append(piece.text)
    return "".join(parts)


def shown(key: str, response: str) -> SideBySide:
    return side_by_side(marked(key), marked(response), "exact")


def test_each_sentence_shows_chains_and_what_is_wrong():
    rows = shown(KEY, RESPONSE).rows
    assert [written(row.key) for row in rows] == [
        "[1 Mira] met [2 the pilot]. ",
        "[1 She] greeted [2 him 1:linked1]. ",
        "[– A gull optional] cried.",
    ]
    assert [written(row.response) for row in rows] == [
        "[1 Mira] met [2 the pilot]. ",
        "[1 She] greeted [1 him 2:linked2]. ",
        "A gull [+1 cried 3:spurious].",
    ]


def test_rows_without_differences_can_be_left_out():
    assert [row.number for row in shown(KEY, RESPONSE).different_rows] == [2, 3]
    assert shown(KEY, KEY).different_rows == ()
    assert shown(KEY, KEY).differences == 0


def test_a_divided_chain_has_the_number_of_the_key_for_its_largest_part():
    compared = side_by_side(letters("ABCDE"), letters("AB CDE X"), "exact")
    labels = {piece.opens.chain for row in compared.rows for piece in row.response if piece.opens}
    assert labels == {"1", "1.2", "+1"}


def test_a_mention_apart_from_its_chain_names_no_chain_of_the_same_number():
    compared = side_by_side(letters("ABC DE"), letters("DEB C"), "exact")
    (row,) = compared.rows
    linked = {piece.closes.other for piece in row.key if piece.closes and piece.closes.mark == MentionMark.LINKED}
    assert linked == {""}  # B is in the response's 2, and C alone in its 1


def test_mentions_nest_and_crossing_ones_are_interrupted():
    nested = shown("{1 {1 her} old boat} sank.", "{1 {1 her} old boat} sank.").rows[0]
    assert written(nested.key) == "[1 [1 her] old boat] sank."
    key = letters("A")
    crossing = CorefDocument("letters", key.text, ((ChainMention(0, 3),), (ChainMention(2, 5),)))
    row = side_by_side(key, crossing, "exact").rows[0]
    assert written(row.response) == "[+1 AB[+2 C] 2:spurious][…+2 DE 3:spurious]" + key.text[5:]


def test_a_mention_over_two_sentences_goes_on_in_the_next_row():
    key, response = marked("Mira left. She sang. All slept."), marked("Mira {1 left. She} sang. All slept.")
    rows = side_by_side(key, response, "exact").rows
    assert [written(row.response) for row in rows] == [
        "Mira [+1 left. ]", "[…+1 She 1:spurious] sang. ", "All slept.",
    ]  # fmt: skip


@given(st.data())
def test_every_row_holds_its_text_and_every_mark_stands_once(data: st.DataObject):
    key = data.draw(documents(may_cross=True))
    other = data.draw(documents(may_cross=True))
    response = CorefDocument(key.name, key.text, tuple(
        tuple(mention for mention in chain if mention.end <= len(key.text)) for chain in other.chains
    ))  # fmt: skip
    for matching in ("exact", "min"):
        evaluation = score_documents([key], [response], matching=matching)
        compared = side_by_side(key, response, matching)
        assert compared.differences == evaluation.documents[0].differences.errors
        numbers = []
        for side in ("key", "response"):
            rows = [getattr(row, side) for row in compared.rows]
            assert "".join(piece.text for row in rows for piece in row) == key.text
            for row in rows:
                opened = []
                for piece in row:
                    opened += [piece.opens] if piece.opens else []
                    assert not piece.closes or opened.pop() == piece.closes
                    if piece.closes and piece.closes.is_difference and not piece.is_interrupted:
                        numbers.append(piece.closes.number)
                assert opened == []
        assert sorted(numbers) == [*range(1, compared.differences + 1)]
    assert {MentionMark.MISSING, MentionMark.SPURIOUS, MentionMark.LINKED, MentionMark.OPTIONAL, MentionMark.NONE} == {
        *MentionMark
    }
