"""A mention is not part of another name. In the tables ‹…› marks a mention; people and companies are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.mentions import Named
from tests.corpus.marking import marked, mentions, unmarked

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION

US = Named("us", LOCATION, "United States", strict=("America", "U.S.", "US"))
ENGLAND = Named("england", LOCATION, "England")
JAPAN = Named("japan", LOCATION, "Japan")
MICHIGAN = Named("michigan", LOCATION, "Michigan", strict=("Mich",))
TEXAS = Named("texas", LOCATION, "Texas")
CHICAGO = Named("chicago", LOCATION, "Chicago")
CANADA = Named("canada", LOCATION, "Canada")
BERKELEY = Named("berkeley", LOCATION, "Berkeley")
NEW_YORK = Named("new york", LOCATION, "New York City", strict=("New York",))
TIN = Named("tin", LOCATION, "Tinland")
FRANCE = Named("france", LOCATION, "France")
CONGRESS = Named("congress", ORGANIZATION, "Congress")
LIND = Named("lind", PERSON, "Tove Lind", loose=("Lind",))
YOUNG = Named("young", PERSON, "Ida Young", loose=("Young",))
SCHOOL = Named("school", ORGANIZATION, "Lind School")
AIRPORT = Named("airport", LOCATION, "Lind International Airport")
AIRLINE = Named("airline", ORGANIZATION, "Arden Airlines")
OTHER_AIRLINE = Named("other airline", ORGANIZATION, "Larch Airlines")
ART = Named("art", ORGANIZATION, "Arden School of Art")
TIME = Named("time", ORGANIZATION, "Time Inc.", strict=("Time", "Time Incorporated"))
ESKER = Named("reservoir", LOCATION, "Esker Reservoir")
TARGET = Named("target", ORGANIZATION, "Target Corp.", strict=("Target", "Target Corporation"))
QUORVEX = Named("quorvex", ORGANIZATION, "Quorvex Corp.", strict=("Quorvex",))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ((US,), "He knows Latin America, South America and Central America, but loves ‹America›."),
        ((US,), "Latin America is far from ‹America›."),
        ((US,), "She works for Voice of America, the Boy Scouts of America and Arden of America."),
        (
            (US,),
            "The President of ‹America› spoke. All of ‹America› heard Deputy ‹U.S.› Attorney Lind.",
        ),
        ((ENGLAND, JAPAN), "‹England› and ‹Japan› play. In ‹England› and in ‹Japan› it rains."),
        ((ENGLAND, JAPAN), "The Bank of England and the Bank of Japan watched the Sea of Japan from ‹Japan›."),
        ((ENGLAND,), "Bank of England officials left New England and the Church of England."),
        ((ENGLAND,), "The Queen of ‹England› and the Government of ‹England› met the Duke of England."),
        ((JAPAN,), "The Arden Ltd of ‹Japan›, King Olaf of ‹Japan› and the Republic of ‹Japan› agreed."),
        ((JAPAN,), "Residents of ‹Japan› and the Embassy of ‹Japan› were told. Visiting ‹Japan› is dear."),
        ((JAPAN,), "The U.S. Wants ‹Japan› to act. He told Reuters ‹Japan› will. So will pro-Western ‹Japan›."),
        (
            (ESKER,),
            "The New ‹Esker Reservoir› lies north of the ‹Esker Reservoir›, and Old Esker Reservoir is dry.",
        ),
        ((Named("esker", LOCATION, "Esker"),), "New Esker is not ‹Esker›."),
        ((JAPAN,), "‹JAPAN› SAYS NO. IN ‹JAPAN› IT RAINS."),
        ((MICHIGAN,), "The University of Michigan is in ‹Michigan›. He left ‹Michigan›."),
        ((MICHIGAN,), "University of Michigan students swam in Lake Michigan for Michigan State."),
        ((TEXAS,), "Texas A&M lies in ‹Texas›, as do Texas Tech, Texas Instruments and the Texas Rangers."),
        ((TEXAS,), "He went from Texas A & M to ‹Texas› and ‹Texas› Gov. Ann Lind's office."),
        ((TEXAS,), "‹Texas› State Senator Ida Lind played for Texas State at Texas State University."),
        ((NEW_YORK,), "The New York State Police left ‹New York› for ‹New York›'s suburbs."),
        ((BERKELEY,), "She left the University of California at Berkeley for ‹Berkeley›."),
        ((BERKELEY,), "The University of California, Berkeley, is known in ‹Berkeley›, at ‹Berkeley› Lab."),
        ((CHICAGO,), "The Chicago Bears and the Chicago Mercantile Exchange are in ‹Chicago›."),
        (
            (CHICAGO,),
            "‹Chicago› Mayor Ida Lind and ‹Chicago› Finance Commissioner Okafor took the ‹Chicago› Monday train.",
        ),
        ((CANADA,), "He flew Air Canada, sold Arden Canada Ltd. and Canada Arden Corp., and left ‹Canada›."),
        ((CANADA,), "Last March ‹Canada› and, on Monday, ‹Canada›'s parliament voted."),
        ((ENGLAND,), "Mr. England and Miss England are not ‹England›."),
        ((FRANCE,), "The Banque de France is the central bank of ‹France›."),
        ((LIND,), "Tove Lind and Co., Tove Lind & Sons and Tove Lind Inc. are not ‹Tove Lind› and Okafor."),
        ((LIND, SCHOOL), "The University of Arden, ‹Lind School› and ‹Tove Lind› agreed."),
        ((AIRPORT,), "He landed at Arden ‹Lind International Airport›."),
        ((AIRLINE, OTHER_AIRLINE), "‹Arden Airlines› and ‹Larch Airlines› fly."),
        ((US,), "The ‹U.S.› Companies and ‹U.S.› Arden Officials left U.S. Arden Inc."),
        ((LIND,), "He left Lind, Mass., Lind, N.Y., and Lind, D.C., for ‹Lind›, Ms. Okafor and ‹Lind›, Miss Hale."),
        ((QUORVEX,), "See www.quorvex.com, info@quorvex.org or Quorvex.com for ‹Quorvex›.Then call."),
        ((US,), "Take US-75 out of the ‹US›."),
        ((JAPAN,), "The Japan War began in ‹Japan›."),
        ((ART,), "She left the ‹Arden School of Art›."),
        ((CONGRESS,), "The Library of Congress serves ‹Congress›. The speaker of ‹Congress› left."),
    ],
)
def test_a_place_inside_another_name_is_not_mentioned(named, expected):
    assert marked(unmarked(expected), *named) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ((TIME,), "Time is running out. Time will tell. It was ‹Time Inc.›, she said."),
        ((TIME,), "“Time heals,” she said. Time and again ‹Time Inc.› denied it."),
        ((TIME,), "‹Time Inc.› sells paper. ‹Time› magazine is its best known. ‹Time› Magazine came first."),
        ((TIME,), "‹Time› said so. ‹Time›'s editors agreed. Time's up. Time's running out."),
        ((TIME,), "She writes for ‹Time›. ‹Time› pays well."),
        ((TARGET,), "Target practice began. Target the young, he said. ‹Target Corp.› denied it."),
        ((TARGET,), "‹Target› officials left. ‹Target› stores closed. ‹Target› announced it."),
        ((TARGET,), "Shoppers like ‹Target›. ‹Target› opened a store."),
        ((QUORVEX,), "‹Quorvex› opened a store."),
        ((QUORVEX,), "A quorvex is a bird. Quorvex eggs are blue."),
        ((TIN,), "‹Tinland› exports tinland wares."),
        ((YOUNG,), "Young people left. ‹Ida Young› stayed. ‹Young› said so."),
        ((LIND,), "‹Lind› opened a store."),
    ],
)
def test_an_ordinary_word_that_opens_a_sentence_needs_further_evidence(named, expected):
    assert marked(unmarked(expected), *named) == expected


PLACES = [ENGLAND, JAPAN, MICHIGAN, TEXAS, CHICAGO, CANADA]
KINDS = ["Bank", "University", "Sea", "Church", "Museum", "Gulf"]


@given(st.sampled_from(PLACES), st.sampled_from(KINDS), st.sampled_from(["the ", "The ", "", "a "]))
def test_a_body_named_after_a_place_is_not_the_place(place: Named, kind: str, article: str):
    assert mentions(f"{article}{kind} of {place.canonical} was there.", place) == ()


@given(
    st.lists(st.sampled_from(PLACES), min_size=1, max_size=4, unique_by=lambda place: place.key),
    st.sampled_from(["She left {}.", "In {} it rains.", "{} won.", "The people of {} met in May.", "“{},” she said."]),
)
def test_a_list_of_places_mentions_each_of_them(places: list[Named], sentence: str):
    text = sentence.format(" and ".join(place.canonical for place in places))

    assert [mention.entity for mention in mentions(text, *PLACES)] == [place.key for place in places]
