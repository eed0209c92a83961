"""What workers read about play money, and how they state their country."""

from __future__ import annotations

import pytest

from marketplace.countries import COUNTRIES
from marketplace.models import Worker
from marketplace.services import working
from tests.make import PASSWORD
from tests.marketplace.test_site import cleo as cleo
from tests.marketplace.test_site import lab as lab
from tests.marketplace.test_site import publish
from tests.marketplace.test_workers_pages import text_of

pytestmark = pytest.mark.django_db
IN_GERMANY = {
    "QualificationTypeId": "00000000000000000071",
    "Comparator": "EqualTo",
    "LocaleValues": [{"Country": "DE"}],
}


@pytest.mark.parametrize("page", ["", "dashboard/", "queue/", "join/", "groups/{group}/", "work/{assignment}/"])
def test_every_page_with_amounts_says_that_they_are_play_money(client, cleo, lab, page):
    hit = publish(lab, MaxAssignments=2)
    held = working.accept(cleo, publish(lab).hit_id)

    address = page.format(group=hit.hit_type.group_id, assignment=held.assignment_id)

    assert "play money" in text_of(client, f"/marketplace/{address}")


def test_the_dashboard_says_that_earnings_are_not_paid_out(client, cleo):
    words = "All amounts are play money: this marketplace pays out no real money."

    assert words in text_of(client, "/marketplace/dashboard/")


def test_the_country_is_chosen_from_a_list_of_names(client):
    assert len(COUNTRIES) == 249
    assert COUNTRIES["DE"] == "Germany"
    assert '<option value="DE">Germany</option>' in client.get("/marketplace/join/").content.decode()
    form = {"username": "dan", "password": PASSWORD, "country": "DE"}

    assert client.post("/marketplace/join/", form | {"country": "Germany"}).status_code == 422
    assert client.post("/marketplace/join/", form | {"country": "QX"}).status_code == 422
    assert client.post("/marketplace/join/", form).status_code == 302
    assert '<option value="DE" selected>Germany</option>' in client.get("/marketplace/qualifications/").content.decode()
    client.post("/marketplace/qualifications/", {"country": ""})
    assert Worker.objects.get().country == ""


def test_a_country_that_was_typed_before_there_was_a_list_stays(client, cleo, lab):
    Worker.objects.update(country="UK")
    publish(lab, QualificationRequirements=[IN_GERMANY | {"LocaleValues": [{"Country": "UK"}]}])

    page = client.get("/marketplace/qualifications/").content.decode()
    saved = client.post("/marketplace/qualifications/", {"country": "UK", "is_adult": "on"})

    assert '<option value="UK" selected>UK</option>' in page
    assert saved.status_code == 302
    assert (Worker.objects.get().country, Worker.objects.get().is_adult) == ("UK", True)
    assert "Accept and work" in client.get("/marketplace/").content.decode()


def test_a_requirement_names_the_country(client, cleo, lab):
    publish(lab, QualificationRequirements=[IN_GERMANY])
    publish(
        lab,
        Title="Elsewhere",
        QualificationRequirements=[
            IN_GERMANY
            | {"Comparator": "In", "LocaleValues": [{"Country": "US", "Subdivision": "CA"}, {"Country": "QX"}]}
        ],
    )

    page = text_of(client, "/marketplace/")

    assert "Location is Germany<span" in page
    assert "Location is one of United States (CA), QX<span" in page
    assert page.count("Accept and work") == 1
