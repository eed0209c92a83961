"""Which paragraphs are no prose: no context holds one, and they do not make their writers entities."""

from __future__ import annotations

import pytest

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.asides import Aside, aside_of, asides_of, split_sign_off
from corpus.instances import find_instances
from tests.corpus.article_entities import entities_of

PROSE = "Arden lies north of Brandt, and a ferry runs between them."


@pytest.mark.parametrize(
    ("paragraph", "aside"),
    [
        ("Early life", Aside.HEADING),
        ("A bust of Walter Hale in Arden, Esker", Aside.HEADING),
        ("Two towns and a ferry", Aside.HEADING),
        ("To the Editor:", Aside.HEADING),
        ("Hale, Walter and Corvo, Ida. The Ferries of Arden (solo)", Aside.HEADING),
        ("Ida Lind, Arden; Walter Hale, Brandt; Tove Corvo, Port Esker; and Ida Dahl, Arden, 1984.", Aside.HEADING),
        ("Photo: The ferry between Arden and Brandt. (Ida Corvo/The Harbour Gazette)", Aside.HEADING),
        ("The ferry leaves Arden. Image: Ida Corvo.", Aside.HEADING),
        ("Terminal 4: Arden Air, Brandt Airways, Corvo, Dellow Wings, Esker Air, Lind, Hale, Elsmere", Aside.HEADING),
        ("WALTER HALE", Aside.SIGNATURE),
        ("Walter Hale.", Aside.SIGNATURE),
        ("— Walter F. Hale Jr.", Aside.SIGNATURE),
        ("Walter Hale and Ida Corvo", Aside.SIGNATURE),
        ("Anna van der Meer", Aside.SIGNATURE),
        ("WALTER HALE Arden, Conn.", Aside.SIGNATURE),
        ("WALTER HALE Arden, Jan. 3, 2006 The writer is president of a club.", Aside.SIGNATURE),
        ("The writer teaches history at Arden College.", Aside.SIGNATURE),
        ("By Walter Hale, Ida Corvo and Tove Lind", Aside.CREDIT),
        ("BY WALTER HALE, Special to The Harbour Gazette", Aside.CREDIT),
        ("Compiled by Walter Hale", Aside.CREDIT),
        ("Walter Hale contributed reporting from Arden for this article.", Aside.CREDIT),
        ("Walter Hale reported from Arden, and Ida Corvo from Brandt.", Aside.CREDIT),
        ("This article was reported by Walter Hale, Ida Corvo and Tove Lind.", Aside.CREDIT),
        ("WITH: Ida Corvo (Hannah), Walter Hale (the Ferryman) and Tove Lind (Queen of Arden).", Aside.CAST),
        ("Written by Ida Corvo; directed by Walter Hale; sets by Tove Lind; costumes by Olof Berg; presented by the "
         "Arden Players. At the Brandt Playhouse.", Aside.CAST),
    ],
)  # fmt: skip
def test_a_paragraph_that_is_no_prose_is_told(paragraph, aside):
    assert aside_of(paragraph) is aside


@pytest.mark.parametrize(
    "paragraph",
    [
        "",
        PROSE,
        "“No,” Walter Hale said.",
        "Walter Hale laughed.",
        "By noon Arden and Brandt had agreed.",
        "By the time Walter Hale arrived, Ida Corvo was gone.",
        "Losses were reported from Arden and Brandt.",
        "The ferry sank, the Brandt News Agency reported from Arden.",
        "Walter Hale said by telephone that a report by Ida Corvo was wrong.",
        "The play was written by Ida Corvo and directed by Walter Hale.",
        "He died in 2014. [4]",
        "It rained in Arden. The ferry left",
        "Mr. Hale said:",
        "The two towns agreed on a price for the ferry and on who would pay what in the years to come",
        "北市与南市之间有渡船。",
    ],
)
def test_prose_stays_prose(paragraph):
    assert aside_of(paragraph) is None


def article(*paragraphs: str, title: str = "The ferry", byline: str = "") -> SourceArticle:
    tags = tuple(Tag(name, EntityType.LOCATION) for name in ("Arden", "Brandt"))
    return SourceArticle("1", title, paragraphs, byline=byline, tags=tags)


def contexts(*paragraphs: str) -> list[str]:
    source_article = article(*paragraphs)
    return [
        value.context.text for value in find_instances(source_article, entities_of(source_article), seed=0).instances
    ]


@pytest.mark.parametrize(
    "aside",
    ["From Arden to Brandt", "IDA CORVO", "Written by the Arden Players; sets by Ida Corvo; music by the Brandt Band."],
)
def test_no_context_holds_an_aside_or_crosses_one(aside):
    assert contexts(PROSE, aside, "It rained.") == [PROSE]
    assert contexts("It rained in Arden.", aside, "It snowed in Brandt.") == []


def test_a_context_ends_before_the_name_that_signs_its_paragraph():
    assert contexts("It rained in Arden. It snowed in Brandt. ARDEN AND CORVO", "The end.") == [
        "It rained in Arden. It snowed in Brandt."
    ]


def test_where_no_paragraph_ends_like_a_sentence_short_ones_are_prose():
    assert contexts("Arden lies north of Brandt today", "a ferry runs") == ["Arden lies north of Brandt today"]


def test_the_title_repeated_in_the_body_is_a_heading():
    title = "The ferry from Arden to Brandt, which ran for a hundred years, is gone at last."

    assert asides_of(article(title, PROSE, title=title)) == {0: Aside.HEADING}
    assert asides_of(article(title, title=title)) == {}


@pytest.mark.parametrize(
    "note",
    [
        "Walter Hale writes book reviews for The Harbour Gazette.",
        "Walter Hale, a professor of history at Arden College, is the author of “Ferries of Brandt.”",
        "Walter F. Hale’s latest book is about Brandt.",
        "Walter Hale lives in Arden and in Brandt.",
    ],
)
def test_a_note_about_the_writer_is_an_aside_at_the_end_and_at_the_start(note):
    for paragraphs in ((PROSE, PROSE, note), (note, PROSE, PROSE)):
        source_article = article(*paragraphs, byline="By WALTER HALE")

        assert asides_of(source_article) == {paragraphs.index(note): Aside.SIGNATURE}


def test_a_note_in_the_middle_or_about_somebody_else_is_prose():
    note = "Walter Hale lives in Arden and in Brandt."

    assert asides_of(article(PROSE, note, PROSE, PROSE, byline="By WALTER HALE")) == {}
    assert asides_of(article(PROSE, PROSE, note, byline="By IDA CORVO")) == {}


def test_a_contributor_without_a_byline_is_told_from_a_subject_by_the_rest_of_the_text():
    note = "Walter Hale writes about Arden for The Harbour Gazette."

    assert asides_of(article(PROSE, PROSE, note)) == {2: Aside.SIGNATURE}
    assert asides_of(article(PROSE, "Mr. Hale took the ferry.", note)) == {}


@pytest.mark.parametrize(
    ("paragraph", "sign_off"),
    [
        ("It rained. WALTER HALE", "WALTER HALE"),
        ("It rained. Walter Hale and Ida Corvo", "Walter Hale and Ida Corvo"),
        ("It rained. He left.", ""),
        ("WALTER HALE", ""),
        ("", ""),
    ],
)
def test_a_paragraph_is_parted_from_the_name_that_signs_it(paragraph, sign_off):
    assert split_sign_off(paragraph) == (paragraph.removesuffix(sign_off), sign_off)
