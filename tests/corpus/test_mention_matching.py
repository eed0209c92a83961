"""The spellings of one name. In the tables ‹…› marks a mention; people and companies are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.introductions import with_acronyms
from corpus.mentions import Named
from corpus.names import parse_name
from tests.corpus.marking import marked, mentions, unmarked

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION


def named(text: str, type: EntityType) -> Named:
    name = parse_name(text, type)
    return Named(text, type, name.canonical, name.strict, name.loose)


HALE = named("Hale, Walter", PERSON)
HALE_B = named("Hale, Walter B", PERSON)
IDA_CORVO = named("Corvo, Ida", PERSON)
KOHL, MITTERRAND = named("Kohl, Helmut", PERSON), named("Mitterrand, Francois", PERSON)
CORVO_FAMILY = named("Corvo Crime Family", ORGANIZATION)
CORVO_PEOPLE = named("CORVO CRIME FAMILY", PERSON)
HALE_FOUNDATION = named("Hale Foundation", ORGANIZATION)
CORVO_FOUNDATION = named("Corvo, Ida, Foundation", ORGANIZATION)
BARE_FOUNDATION = named("Corvo Foundation", ORGANIZATION)
QUILL = named("Quill & Larch", ORGANIZATION)
SNELL = named("Snell/Vane Report", ORGANIZATION)
TOYS = named('Toys "R" Arden', ORGANIZATION)
YIPPEE = named("Yippee! Inc", ORGANIZATION)
TRADER = named("E*Trader", ORGANIZATION)
FIZZ = named("Fizz-Pop Co", ORGANIZATION)
ROSES = named("Pins N' Roses", ORGANIZATION)
HUDSON = named("Arden River", LOCATION)
WEND = named("Wend River", LOCATION)
CENTRAL_BANK = named("Central Bank", ORGANIZATION)


@pytest.mark.parametrize(
    ("entities", "expected"),
    [
        ((HALE,), "‹Walter F. Hale›, ‹Walter F Hale› and ‹Walter Hale› are one."),
        ((HALE,), "Walter Fitz Hale, Walter and F. Hale are others. Walter and ‹Hale› may be two."),
        ((HALE_B,), "‹Walter B. Hale›, ‹Walter Hale› and ‹Walter Bertram Hale› are one; Walter F. Hale is not."),
        ((HALE, HALE_B), "‹Walter F. Hale› met ‹Walter B. Hale›."),
        ((HALE,), "‹Walter \"Tip\" Hale›, ‹Walter “Tip” Hale›, ‹Walter (Tip) Hale› and ‹Walter 'Tip' Hale› are one."),
        ((HALE,), "‹Walter Hale› and Walter (the brother of Ida) ‹Hale›."),
        ((QUILL,), "‹Quill & Larch›, ‹Quill and Larch›, ‹Quill/Larch› and ‹QUILL AND LARCH›."),
        ((SNELL,), "The ‹Snell/Vane Report›, the ‹Snell-Vane Report› and the ‹Snell and Vane Report›."),
        ((CORVO_FAMILY,), "The ‹Corvo Crime Family›, the ‹Corvo crime family›. His family is not of crime."),
        ((CORVO_PEOPLE,), "The ‹Corvo crime family› and the ‹Corvo family›. The Family Court and Crime Family ties."),
        ((HALE_FOUNDATION,), "The ‹Hale foundation› paid the ‹Hale Foundation›; another foundation did not."),
        ((CENTRAL_BANK,), "The ‹Central Bank› and the ‹Central bank›. Central bank rates rose at the central bank."),
        ((HUDSON,), "The ‹Arden river› and the ‹Arden River›."),
        ((TOYS,), "‹Toys \"R\" Arden›, ‹Toys “R” Arden›, ‹Toys 'R' Arden› and ‹Toys R Arden›."),
        ((YIPPEE,), "‹Yippee!›, ‹Yippee› and ‹Yippee Inc.› rose."),
        ((TRADER,), "‹E*Trader›, ‹E-Trader› and ‹ETrader›."),
        ((FIZZ,), "‹Fizz-Pop›, ‹Fizz Pop› and ‹Fizz–Pop›."),
        ((ROSES,), "‹Pins N' Roses›, ‹Pins N’ Roses› and ‹Pins N Roses›."),
        ((KOHL, MITTERRAND), "The ‹Kohl›-‹Mitterrand› talks and the ‹Mitterrand›-‹Kohl› plan."),
        ((KOHL, MITTERRAND), "Ida Kohl-Mitterrand, Mr. Kohl-Mitterrand and the Kohl-Mitterrand Institute."),
        ((KOHL,), "The Kohl-Mitterrand talks."),
        ((HALE_FOUNDATION, BARE_FOUNDATION), "The ‹Hale› and ‹Corvo› foundations, ‹Corvo› and ‹Hale› Foundations."),
        ((HALE_FOUNDATION, IDA_CORVO), "The ‹Hale› and Corvo foundations met ‹Corvo›."),
        ((HALE_FOUNDATION, CORVO_FOUNDATION), "The Arden, ‹Hale› and ‹Ida Corvo› foundations met."),
        ((HALE_FOUNDATION, HALE), "‹Hale› and his foundations; the Larch foundations of ‹Hale› and ‹Walter Hale›."),
        ((HUDSON, WEND), "Between the ‹Arden› and ‹Wend› rivers."),
    ],
)  # fmt: skip
def test_one_name_is_found_in_all_its_spellings(entities, expected):
    assert marked(unmarked(expected), *entities) == expected


COUNCIL = named("Arden Food Council", ORGANIZATION)
BROADCASTING = named("Arden Broadcasting Corp", ORGANIZATION)


@pytest.mark.parametrize(
    "expected",
    [
        "The ‹Arden Food Council› (‹AFC›) met. The ‹AFC› and the ‹A.F.C.› are one.",
        "The ‹Arden Food Council› (‹A.F.C.›) met. The ‹AFC› left.",
        "The ‹Arden Food Council› (the ‹AFC›) met. The ‹AFC› left.",
        "The ‹Arden Food Council›, or ‹AFC›, met. The ‹A.F.C.› left.",
        "The ‹AFC› (‹Arden Food Council›) met.\nThen the ‹AFC› left.",
        "The ‹Arden Food Council› met. The ‹AFC› and the ‹A.F.C.› are one.",
        "The ‹Arden Food Council› met.\nOnly then the ‹A.F.C.› left. It is the ‹A.F.C.›",
        "The ‹Arden Food Council› met the Arden Football Club (AFC). The AFC left.",
        "The AFC left. Then the ‹Arden Food Council› met the ABC and the AF.",
        "The ‹Arden Food Council› (Rep.) met. The ‹Arden Food Council› (AP) was not told. The AP left.",
        "The AFC played. The Arden Football Club (AFC) met the ‹Arden Food Council›.",
    ],
)
def test_an_acronym_counts_once_the_article_introduces_it(expected: str):
    text = unmarked(expected)

    assert marked(text, *with_acronyms([COUNCIL, BROADCASTING], text.split("\n"))) == expected


def test_an_acronym_introduced_for_two_bodies_names_neither():
    club = named("Arden Football Club", ORGANIZATION)
    text = "The Arden Football Club (AFC) met the Arden Food Council (AFC). The AFC left."

    entities = [mention.entity for mention in mentions(text, *with_acronyms([club, COUNCIL], [text]))]

    assert entities == [club.key, COUNCIL.key]


def test_an_acronym_that_follows_two_bodies_names_neither():
    club = named("Arden Football Club", ORGANIZATION)
    text = "The Arden Football Club met the Arden Food Council. The AFC left."

    entities = [mention.entity for mention in mentions(text, *with_acronyms([club, COUNCIL], [text]))]

    assert entities == [club.key, COUNCIL.key]


def test_an_acronym_that_is_an_entity_of_its_own_stays_that():
    alone = named("AFC", ORGANIZATION)
    text = "The Arden Food Council met. The AFC left."

    entities = [mention.entity for mention in mentions(text, *with_acronyms([alone, COUNCIL], [text]))]

    assert entities == [COUNCIL.key, alone.key]


LETTERS = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@given(LETTERS, st.sampled_from(["{}", "{}."]))
def test_any_middle_initial_fits_a_person_who_has_none(letter: str, form: str):
    text = f"We met Walter {form.format(letter)} Hale there."

    assert [text[m.start : m.end] for m in mentions(text, HALE)] == [f"Walter {form.format(letter)} Hale"]


@given(LETTERS.filter(lambda letter: letter != "B"))
def test_a_different_middle_initial_is_a_different_person(letter: str):
    assert mentions(f"We met Walter {letter}. Hale there.", HALE_B) == ()


@given(st.permutations(["&", "and", "/"]))
def test_the_signs_between_partners_are_one_sign(signs: list[str]):
    first, second, _ = signs
    firm = named(f"Quill {first} Larch", ORGANIZATION)

    assert marked(f"We met Quill {second} Larch.", firm) == f"We met ‹Quill {second} Larch›."
