"""All people, places and papers are invented. In the tables ‹…› marks a mention."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.mentions import Named, NameForm, build_index, find_mentions
from corpus.sentences import split_paragraphs
from corpus.tokens import fold, tokenize
from tests.corpus.marking import marked, mentions, unmarked

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION

LIND = Named("lind", PERSON, "Tove B. Lind", strict=("Tove Lind", "T. B. Lind"), loose=("Lind",))
OKAFOR = Named("okafor", PERSON, "Amara Okafor", loose=("Okafor",))
IDA_LIND = Named("ida", PERSON, "Ida Lind", loose=("Lind",))
NUNEZ = Named("nunez", PERSON, "José Núñez", loose=("Núñez",))
ODELL = Named("odell", PERSON, "Mae O'Dell", loose=("O'Dell",))
BRANDT_SR = Named("brandt", PERSON, "Amos Brandt Sr.", strict=("Amos Brandt",), loose=("Brandt", "Brandt Sr."))
ARDEN = Named("arden", LOCATION, "Arden", strict=("Arden City",))
NEW_ARDEN = Named("new arden", LOCATION, "New Arden")
TIMES = Named("times", ORGANIZATION, "Arden Times")
NEW_TIMES = Named("new times", ORGANIZATION, "New Arden Times")
BRANDT_CO = Named("brandt co", ORGANIZATION, "Brandt & Co.", strict=("Brandt Co.",))
NBO = Named("nbo", ORGANIZATION, "NBO")
US = Named("us", LOCATION, "U.S.", strict=("United States",))
ADAS = Named("ada", ORGANIZATION, "Ada's")
BRANDT_TOWN = Named("brandt town", LOCATION, "Brandt")
OF_DEFENSE = Named("defense", ORGANIZATION, "Ministry of Defense")


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ((LIND,), "‹Tove B. Lind› spoke."),
        ((LIND,), "‹Tove B Lind› spoke, and ‹Tove Lind› left."),
        ((LIND,), "‹T. B. Lind› and ‹T.B. Lind› and ‹T.B.Lind› are one."),
        ((LIND,), "‹TOVE LIND› WINS"),
        ((LIND,), "We asked tove lind and Tove lind."),
        ((LIND,), "‹Tove Lind›'s plan, ‹Tove Lind›’s plan, the Linds' plan"),
        ((LIND,), "Mr. ‹Lind› met President ‹Lind› and Sen. ‹Lind›."),
        ((LIND,), "Then ‹Lind› spoke. ‹Lind› sat. “‹Lind›,” he said. (‹Lind›)"),
        ((LIND,), "On Monday ‹Lind› spoke. It was Mr. ‹Lind› Tuesday as well."),
        ((LIND,), "Peter Lind lives on Lind Street near Lindau, at Lind-Okafor House, by Okafor-Lind."),
        ((LIND,), "The anti-‹Lind› and ‹Lind›-backed camps left Lind & Sons."),
        ((LIND,), "The Tove Lind Library was closed, but ‹Tove Lind› Day was not."),
        ((LIND, OKAFOR), "‹Lind› and ‹Okafor› met; Mr. and Mrs. ‹Okafor› left."),
        ((LIND, IDA_LIND), "Mr. Lind met ‹Ida Lind› and ‹Tove Lind›, but which Lind?"),
        ((NUNEZ,), "‹Jose Nunez› is ‹José Núñez› and ‹José Nu\u0301n\u0303ez›. Mr. ‹Nunez› left."),
        ((ODELL,), "‹Mae O’Dell› and Ms. ‹O'Dell›'s cat. ‹Odell› is a slip of the pen."),
        ((BRANDT_SR,), "‹Amos Brandt Sr.› came. ‹Amos Brandt› left. Mr. ‹Brandt› stayed."),
        ((ARDEN,), "‹Arden›, in ‹Arden City›, is ‹Arden›-based. Ardennes and Harden are not."),
        ((ARDEN, TIMES), "The ‹Arden Times› is read in ‹Arden›."),
        ((ARDEN,), "The Arden Times and Arden University are not ‹Arden›."),
        ((ARDEN, NEW_ARDEN), "‹New Arden› is not ‹Arden›."),
        ((ARDEN, NEW_ARDEN, TIMES, NEW_TIMES), "The ‹New Arden Times› beats the ‹Arden Times› in ‹New Arden›."),
        ((BRANDT_CO, BRANDT_SR), "‹Brandt & Co.› paid ‹Brandt›. ‹Brandt Co.› did not."),
        ((BRANDT_TOWN, BRANDT_SR), "In ‹Brandt›, Mr. ‹Brandt› was at home."),
        ((NBO,), "The ‹NBO› and the ‹N.B.O.› met; nbo and Nbo did not."),
        ((US,), "The ‹U.S.› and the ‹US› and the ‹United States› told us of ‹US›-led talks."),
        ((ADAS,), "‹Ada's› is a shop. Ada is not. ‹Ada’s› owners left."),
        ((OF_DEFENSE,), "The ‹Ministry of Defense›, the ministry of defense."),
        ((LIND,), "Tove. ‹Lind› left with Tove, ‹Lind› and Tove - ‹Lind›."),
        ((), "Nobody is named."),
    ],
)
def test_a_text_mentions_its_entities(named, expected):
    assert marked(unmarked(expected), *named) == expected


@pytest.mark.parametrize(
    ("text", "named", "owner", "form"),
    [
        ("Tove B. Lind left.", (LIND,), "lind", NameForm.NAME),
        ("Tove Lind left.", (LIND,), "lind", NameForm.ALIAS),
        ("Mayor Lind left.", (LIND,), "lind", NameForm.TITLED),
        ("Lind left.", (LIND,), "lind", NameForm.LOOSE),
        ("Mr. Brandt left.", (BRANDT_TOWN, BRANDT_SR), "brandt", NameForm.TITLED),
        ("He left Brandt.", (BRANDT_TOWN, BRANDT_SR), "brandt town", NameForm.NAME),
    ],
)
def test_a_mention_says_whom_it_names_and_how(text, named, owner, form):
    (mention,) = mentions(text, *named)

    assert (mention.entity, mention.form) == (owner, form)


def test_a_name_two_entities_bear_names_neither_and_hides_the_names_inside():
    north = Named("north", ORGANIZATION, "Arden Times of the North", strict=("Arden Times",))
    south = Named("south", ORGANIZATION, "Arden Times of the South", strict=("Arden Times",))

    assert marked("The Arden Times left Arden.", north, south, ARDEN) == "The Arden Times left ‹Arden›."


def test_a_partly_overlapping_name_gives_way_to_the_longer_one():
    bank = Named("bank", ORGANIZATION, "Lind Savings")
    savings = Named("savings", ORGANIZATION, "Savings Union of Arden")

    assert marked("The Lind Savings Union of Arden", bank, savings) == "The Lind ‹Savings Union of Arden›"


def test_mentions_tell_their_sentence_and_count_in_their_paragraph():
    paragraphs = ["Quiet day. Lind slept.", "Then Lind woke. So did Okafor."]

    located = find_mentions(build_index([LIND, OKAFOR]), paragraphs, split_paragraphs(paragraphs))

    assert [(m.entity, m.sentence, m.paragraph, m.start, m.end) for m in located] == [
        ("lind", 1, 0, 11, 15),
        ("lind", 2, 1, 5, 9),
        ("okafor", 3, 1, 23, 29),
    ]


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("Núñez", "nunez"),
        ("ØRSTED", "orsted"),
        ("Łódź", "lodz"),
        ("O’Dell", "odell"),
        ("Straße", "strasse"),
        ("'", "'"),
    ],
)
def test_a_word_is_folded_to_plain_letters(word, folded):
    assert fold(word) == folded


NAMES = st.lists(st.sampled_from(["Tove", "Lind", "Okafor", "Arden", "Times", "of", "J.", "US", "Núñez", "O'Dell"]))
PARTS = st.sampled_from(
    [
        "Tove",
        "Lind",
        "lind",
        "Okafor",
        "Arden",
        "Times",
        "of",
        "J.",
        "U.S.",
        "Nunez",
        "O’Dell's",
        "Mr.",
        "The",
        ".",
        ",",
        "-",
        "&",
        "Street",
        "said",
        "«",
        "’",
    ]
)
ENTITIES = st.lists(
    st.tuples(st.sampled_from(EntityType), NAMES.map(" ".join), NAMES.map(" ".join), NAMES.map(" ".join)), max_size=5
).map(lambda rows: [Named(str(n), kind, a, (b,), (c,)) for n, (kind, a, b, c) in enumerate(rows)])


def plain(text: str) -> str:
    """Fold a whole name, leaving out blanks and full stops: "J. R." and "JR" are one."""
    return "".join(fold(word) for word in re.split(r"[\s.]+", text))


@given(ENTITIES, st.lists(PARTS).map(" ".join) | st.text())
@example([US], "The U.S. left")
def test_every_mention_is_an_alias_of_its_entity_and_stands_between_word_ends(named, text):
    by_key = {entity.key: entity for entity in named}
    position = 0
    for mention in mentions(text, *named):
        entity = by_key[mention.entity]
        assert plain(text[mention.start : mention.end]) in map(plain, (entity.canonical, *entity.strict, *entity.loose))
        assert position <= mention.start < mention.end
        assert not re.match(r"\w\w", text[max(0, mention.start - 1) : mention.start + 1]) or mention.start == 0
        assert not re.match(r"\w\w", text[mention.end - 1 : mention.end + 1])
        position = mention.end


@example("\u0300. \u2019")
@given(st.text() | st.text(alphabet=string.ascii_letters + ".'’ -&é\u0301"))
def test_tokens_cover_all_that_is_not_blank(text):
    tokens = tokenize(text)

    covered = "".join(map(tokens.raw, range(len(tokens.keys))))

    assert covered == "".join(text.split())
    assert all(tokens.keys)


def test_an_article_of_900_words_and_10_entities_is_read_to_its_end():
    people = [Named(f"p{n}", PERSON, f"Tove{n} B. Lind{n}", (f"Tove{n} Lind{n}",), (f"Lind{n}",)) for n in range(10)]
    paragraphs = ["Mr. Lind3 met Tove4 Lind4 at the town hall of Arden. Nobody else was there, he said."] * 50

    assert len(find_mentions(build_index(people), paragraphs, split_paragraphs(paragraphs))) == 100


def test_thousands_of_mentions_in_one_sentence_are_all_there():
    assert len(mentions("Lind, Arden Times or Arden, " * 5_000, LIND, ARDEN, TIMES)) == 15_000
