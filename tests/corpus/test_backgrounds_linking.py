"""Which page is the entity's: never a namesake's by accident."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.backgrounds.base import BackgroundStatus, Page, Query, chosen_by_hand, discarded, written_by_hand
from corpus.backgrounds.linking import link
from kernel.errors import Unavailable
from tests.corpus.pages_in_memory import PagesInMemory

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION

PILOT = Page("Ida Lind (pilot)", "Ida Lind (born 1950) is a Kessian pilot who flew mail to Karsk in winter.")
BOTANIST = Page("Ida Lind (botanist)", "Ida Lind (1861–1939) was a botanist who described the mosses of Arden Bay.")
FILM = Page("Ida Lind (film)", "Ida Lind is a 1982 film about the mail pilots of Karsk.")
LISTING = Page(
    "Ida Lind",
    "Ida Lind may refer to:",
    is_disambiguation=True,
    candidates=(PILOT.title, BOTANIST.title, FILM.title, "Ida Lind (nobody)"),
)
IN_THE_AIR = ("Ms. Lind brought the mail to Karsk through thick fog, her eleventh winter as a pilot.",)
IN_THE_MOSS = ("The mosses of Arden Bay, which Ms. Lind was the first botanist to name, are gone.",)


class Encyclopedia(PagesInMemory):
    """Pages by hand whose search gives what we say."""

    def __init__(self, *pages: Page, results: Sequence[str] = ()) -> None:
        super().__init__(pages)
        self.results = results

    def search(self, name: str, limit: int = 10) -> list[str]:
        return list(self.results[:limit])


def titled(choice) -> str | None:
    return choice.page.title if choice.page else None


def test_the_only_page_of_the_name_is_exact_without_any_context():
    choice = link(Query("Ida Lind", PERSON), Encyclopedia(Page("Ida Lind", PILOT.text)))

    assert (choice.status, titled(choice)) == (BackgroundStatus.EXACT, "Ida Lind")
    assert choice.reasons[0] == "The title is the name."
    assert choice.page


@pytest.mark.parametrize("title", ["Rosa Moor", "Rosa Lind", "Ida Moor", "Flight of Ida Lind", "Ida Lind Airfield"])
def test_a_page_that_only_mentions_the_entity_is_never_accepted(title):
    rival = Page(title, f"{title} (born 1952) is a pilot who flew mail to Karsk with Ida Lind in winter fog.")

    choice = link(Query("Ida Lind", PERSON, contexts=IN_THE_AIR), Encyclopedia(rival, results=[title]))

    assert (choice.status, choice.page, choice.candidates) == (BackgroundStatus.MISSING, None, ())
    assert choice.reasons == ("No page has this name.",)


@pytest.mark.parametrize(("contexts", "title"), [(IN_THE_AIR, PILOT.title), (IN_THE_MOSS, BOTANIST.title)])
def test_the_articles_choose_among_namesakes(contexts, title):
    choice = link(Query("Ida Lind", PERSON, contexts=contexts), Encyclopedia(LISTING, PILOT, BOTANIST, FILM))

    assert (choice.status, titled(choice)) == (BackgroundStatus.LIKELY, title)
    assert {page.title for page in choice.candidates} == {PILOT.title, BOTANIST.title, FILM.title} - {title}
    assert any(reason.startswith("The articles and the page share: ") for reason in choice.reasons)


@pytest.mark.parametrize("contexts", [(), ("Ms. Lind was there.",)])
def test_namesakes_without_evidence_are_left_to_a_person(contexts):
    choice = link(Query("Ida Lind", PERSON, contexts=contexts), Encyclopedia(LISTING, PILOT, BOTANIST, FILM))

    assert (choice.status, choice.page) == (BackgroundStatus.AMBIGUOUS, None)
    assert [page.title for page in choice.candidates] == [PILOT.title, BOTANIST.title, FILM.title]


def test_namesakes_with_equal_evidence_are_left_to_a_person():
    contexts = (*IN_THE_AIR, *IN_THE_MOSS)
    twin = Page("Ida Lind (airwoman)", PILOT.text)
    listing = Page("Ida Lind", "…", is_disambiguation=True, candidates=(PILOT.title, twin.title))

    choice = link(Query("Ida Lind", PERSON, contexts=contexts), Encyclopedia(listing, PILOT, twin))

    assert choice.status is BackgroundStatus.AMBIGUOUS
    assert choice.reasons[-1] == "Another page shares about as many words."


def test_a_page_of_another_type_is_left_out_and_says_why():
    town = Page("Karsk", "Karsk is a town in Highfell known for its silver mine.")

    choice = link(Query("Karsk", ORGANIZATION, contexts=("The silver mine in Highfell.",)), Encyclopedia(town))

    assert (choice.status, choice.page) == (BackgroundStatus.MISSING, None)
    assert choice.reasons == ("“Karsk” was left out: it is not about an organization.",)
    assert [page.title for page in choice.candidates] == ["Karsk"]


def test_a_page_whose_words_do_not_tell_the_type_is_not_left_out():
    page = Page("Karsk", "Karsk lies below Mount Hask.")

    assert link(Query("Karsk", LOCATION), Encyclopedia(page)).status is BackgroundStatus.EXACT


def test_a_page_without_text_is_no_background():
    assert link(Query("Karsk", LOCATION), Encyclopedia(Page("Karsk", ""))).status is BackgroundStatus.MISSING


def test_nobody_is_in_the_news_before_their_birth():
    source = Encyclopedia(Page("Ida Lind", PILOT.text))

    assert link(Query("Ida Lind", PERSON, year=1949), source).status is BackgroundStatus.MISSING
    assert link(Query("Ida Lind", PERSON, year=1987), source).status is BackgroundStatus.EXACT


def test_a_person_of_whom_long_articles_say_nothing_the_page_says_is_only_likely():
    sentence = (
        "Ida Lind opened a bakery behind the theater, sold raisin bread, hired four cousins and quarreled about flour."
    )
    more = "Neighbors praised her rolls, cakes, pretzels, candles, lanterns, violins, umbrellas and wooden spoons."
    rest = "She never closed on Sundays, fed sparrows, mended clocks and painted her shutters yellow."
    source = Encyclopedia(Page("Ida Lind", BOTANIST.text))

    choice = link(Query("Ida Lind", PERSON, contexts=(sentence, more, rest)), source)

    assert (choice.status, titled(choice)) == (BackgroundStatus.LIKELY, "Ida Lind")
    assert "namesake" in choice.reasons[-1]


def test_the_plain_title_with_namesakes_needs_evidence():
    plain = Page("Arden", "Arden is a port in Merrow at the mouth of the Wendle, with a harbor.")
    other = Page("Arden (Highfell)", "Arden is a village in Highfell below Mount Hask, with a ski jump.")
    source = Encyclopedia(plain, other)

    assert link(Query("Arden", LOCATION), source).status is BackgroundStatus.AMBIGUOUS
    at_sea = link(Query("Arden", LOCATION, contexts=("Fog lay on the Wendle and ships waited in Merrow.",)), source)
    assert (at_sea.status, titled(at_sea)) == (BackgroundStatus.EXACT, "Arden")
    high_up = link(Query("Arden", LOCATION, contexts=("They skied down Mount Hask to the jump in Highfell.",)), source)
    assert (high_up.status, titled(high_up)) == (BackgroundStatus.LIKELY, "Arden (Highfell)")


def test_another_form_of_the_name_needs_evidence():
    page = Page("Ida Marie Lind", PILOT.text)
    source = Encyclopedia(page, results=["Ida Marie Lind"])

    assert link(Query("Ida Lind", PERSON), source).status is BackgroundStatus.AMBIGUOUS
    choice = link(Query("Ida Lind", PERSON, contexts=IN_THE_AIR), source)
    assert (choice.status, titled(choice)) == (BackgroundStatus.LIKELY, "Ida Marie Lind")


def test_search_results_count_in_their_order_when_nothing_else_tells():
    pages = [Page(f"Ida Lind ({what})", f"Ida Lind is a {what}.") for what in ("nurse", "judge")]
    titles = [page.title for page in reversed(pages)]

    choice = link(Query("Ida Lind", PERSON), Encyclopedia(*pages, results=titles))

    assert [page.title for page in choice.candidates] == titles


def test_a_listed_page_may_bear_a_longer_title():
    listing = Page(
        "Dunmar", "Dunmar may refer to:", is_disambiguation=True, candidates=("Dunmar F.C.", "Dunmar (town)")
    )
    club = Page("Dunmar F.C.", "Dunmar F.C. is a football club that won the Harbor Cup against the Rovers.")
    town = Page("Dunmar (town)", "Dunmar is a town in Merrow.")
    contexts = ("Dunmar lost the Harbor Cup to the Rovers on penalties.",)

    choice = link(Query("Dunmar", ORGANIZATION, contexts=contexts), Encyclopedia(listing, club, town))

    assert (choice.status, titled(choice)) == (BackgroundStatus.LIKELY, "Dunmar F.C.")


def test_more_namesakes_than_are_read_make_the_plain_title_uncertain():
    pages = [Page(f"Ida Lind ({number})", f"Ida Lind is a road, the {number}th.") for number in range(12)]
    source = Encyclopedia(Page("Ida Lind", PILOT.text), *pages)

    assert link(Query("Ida Lind", PERSON), source).status is BackgroundStatus.AMBIGUOUS


def test_a_source_that_does_not_answer_is_not_taken_for_a_missing_page():
    class Silent(Encyclopedia):
        def look_up(self, title: str) -> Page | None:
            raise Unavailable("no answer")

    with pytest.raises(Unavailable):
        link(Query("Ida Lind", PERSON), Silent())


def test_a_name_without_words_is_missing():
    assert link(Query("...", PERSON), Encyclopedia(PILOT)).status is BackgroundStatus.MISSING


def test_what_people_decide_has_its_own_statuses():
    page = written_by_hand("Ida Lind", "Ida Lind is a pilot.")

    assert chosen_by_hand(page, "Ada wrote it.").status is BackgroundStatus.BY_HAND
    assert chosen_by_hand(page, "Ada wrote it.").page == page
    assert discarded("None of them.").page is None


words = st.sampled_from(
    ["mail", "Karsk", "pilot", "mosses", "Arden", "Bay", "winter", "botanist", "fog", "film", "Lind"]
)


@given(st.lists(st.lists(words, max_size=20).map(" ".join), max_size=3).map(tuple), st.sampled_from(EntityType))
def test_only_bearers_of_the_name_and_type_are_accepted_and_always_the_same(contexts, type_):
    rival = Page("Rosa Moor", "Rosa Moor is a pilot and botanist who knew Ida Lind of Arden Bay and Karsk.")
    source = Encyclopedia(LISTING, PILOT, BOTANIST, FILM, rival, results=[rival.title])
    query = Query("Ida Lind", type_, contexts=contexts)

    choice = link(query, source)

    assert choice == link(query, source)
    assert titled(choice) in ({None, PILOT.title, BOTANIST.title} if type_ is PERSON else {None})
