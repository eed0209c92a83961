"""People of a campaign are called by a number in the order of joining; files have their pseudonym instead."""

from __future__ import annotations

import pytest

from annotation.models import Campaign, Participation
from annotation.selectors.participants import pseudonym_of
from annotation.services import leaving
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def numbers(campaign: Campaign) -> list[int]:
    return list(campaign.participations.order_by("pk").values_list("number", flat=True))


def test_numbers_follow_the_order_of_joining_in_each_campaign():
    first, second = make_campaign("First"), make_campaign("Second")
    for name in ("ann", "bob", "ann"):
        make_participation(first, name)
    make_participation(second, "bob")

    assert (numbers(first), numbers(second)) == ([1, 2], [1])


def test_the_number_of_somebody_who_left_without_a_trace_is_never_given_again():
    campaign = make_campaign()
    leaving.withdraw(make_participation(campaign, "ann", is_ready=False).secret)
    assert not Participation.objects.exists()

    assert make_participation(campaign, "bob").number == 2


def test_pages_say_the_number_and_files_the_pseudonym(researcher):
    campaign = make_campaign()
    person = make_participation(campaign, "ann")
    make_answer(person)
    pseudonym = pseudonym_of(campaign, person.worker)

    people = shown(researcher.get(f"/campaigns/{campaign.pk}/people/"))
    own = shown(researcher.get(f"/campaigns/people/{person.pk}/"))
    file = b"".join(researcher.get(f"/campaigns/{campaign.pk}/answers/annotations.csv")).decode()

    assert "Participant 1" in people
    assert pseudonym not in people
    assert "Participant 1" in own
    assert pseudonym in own, "the page of one participant says their name in exports"
    assert pseudonym in file
    assert "Participant 1" not in file
