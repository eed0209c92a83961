"""Search: grouped, by names, titles, numbers and pseudonyms, and only what the person may see."""

from __future__ import annotations

import pytest

from annotation.selectors.participants import pseudonym_of
from corpus.models import Corpus
from kernel.roles import Role
from tesa_site.searching import MOST, search
from tests.make import make_article, make_campaign, make_corpus, make_entity, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def labels(words: str, user) -> dict[str, list[str]]:
    return {label: [hit.title for hit in hits] for label, _, hits in search(words, user)}


@pytest.fixture
def researcher_user():
    return make_user("ben", Role.RESEARCHER)


@pytest.fixture
def harbour() -> Corpus:
    corpus = make_corpus("Harbour papers")
    make_article(corpus, title="The Harbour Freezes")
    make_entity(corpus, "North Harbour")
    return corpus


def test_everything_is_found_by_its_name_in_groups(researcher_user, harbour):
    make_campaign("Harbour towns", size=1)

    assert labels("harbour", researcher_user) == {
        "Campaigns": ["Harbour towns"],
        "Corpora": ["Harbour papers"],
        "Samples": ["Sample of Harbour towns"],
        "Entities": ["North Harbour"],
        "Articles": ["The Harbour Freezes"],
    }


def test_what_begins_with_the_words_comes_first_and_a_group_is_short(researcher_user):
    for number in range(MOST):
        make_corpus(f"An old harbour {number}")
    make_corpus("Harbour")

    corpora = labels("harbour", researcher_user)["Corpora"]

    assert corpora[0] == "Harbour"
    assert len(corpora) == MOST


def test_a_number_finds_what_carries_it(researcher_user):
    campaign = make_campaign("Rivers", size=1)

    assert labels(str(campaign.pk), researcher_user)["Campaigns"] == ["Rivers"]


def test_a_participant_is_found_by_the_start_of_their_pseudonym(researcher_user):
    person = make_participation(make_campaign(size=1))
    name = pseudonym_of(person.campaign, person.worker)

    assert labels(name[:6], researcher_user)["Participants"] == [name]


def test_nobody_finds_what_they_may_not_see(harbour):
    assert search("harbour", make_user("cleo", Role.ANNOTATOR)) == []


def test_the_page_works_without_script_and_answers_a_script_with_the_hits_alone(client, researcher_user, harbour):
    client.force_login(researcher_user)

    page = shown(client.get("/search/?q=harbour"))
    part = shown(client.get("/search/?q=harbour", headers={"HX-Request": "true"}))

    assert f'href="/corpus/{harbour.pk}/"' in page
    assert "<html" in page
    assert f'href="/corpus/{harbour.pk}/"' in part
    assert "<html" not in part
    assert "Nothing found for “zzz”" in shown(client.get("/search/?q=zzz"))
