"""The accounts pages: requests for qualifications are read, granted and rejected in the name of an account."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from kernel.clock import now
from kernel.roles import Role
from marketplace.models import Message, Qualification, QualificationRequest, Worker
from marketplace.services import accounts, qualifications, requesting
from tests.make import make_user
from tests.marketplace.exams import choice, form, question, typed

pytestmark = pytest.mark.django_db
TEST = form(question(typed(), "why"), question(choice("a", "b", other="<OtherSelection/>"), "which"))
TYPE = {"Name": "Essays", "Description": "Write one", "QualificationTypeStatus": "Active"}


@pytest.fixture
def lab() -> Any:
    return accounts.create_requester("Ada's lab")


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    return client


def sent(lab: Any, fields: dict[str, list[str]]) -> QualificationRequest:
    """Return the request of a new worker who sent these answers."""
    values = TYPE | {"Test": TEST, "TestDurationInSeconds": 60, "Name": f"Essays {Worker.objects.count()}"}
    kind, worker = qualifications.create_type(lab, values, now()), Worker.objects.create()
    begun = requesting.request_qualification(worker, kind.type_id)
    return requesting.submit_test(worker, begun.request_id, fields)


def test_requests_are_listed_with_their_answers(ada, lab):
    request = sent(lab, {"q1": ["<b>I like it</b>"], "q2": ["b"]})
    sent(accounts.create_requester("Ben's lab"), {"q1": ["Not mine"]})

    assert "Qualification requests (1)" in ada.get(f"/marketplace/requesters/{lab.pk}/").content.decode()
    page = ada.get(f"/marketplace/requesters/{lab.pk}/requests/").content.decode()

    assert "1 request waiting for a decision" in page
    assert request.worker.worker_id in page
    assert "&lt;b&gt;I like it&lt;/b&gt;" in page
    assert "<li>Option b</li>" in page
    assert "Not mine" not in page


def test_a_request_is_granted_with_a_value_once(ada, lab):
    address = f"/marketplace/requesters/{lab.pk}/requests/{sent(lab, {'q1': ['x']}).request_id}/"

    assert ada.post(address, {"action": "accept", "value": "80"}).status_code == 302
    again = ada.post(address, {"action": "accept", "value": "90"}, follow=True).content.decode()

    assert Qualification.objects.get().value == 80
    assert "Nothing was changed. This QualificationRequest is currently in the state" in again


def test_a_request_is_rejected_with_a_reason(ada, lab):
    request = sent(lab, {"q1": ["x"]})

    ada.post(
        f"/marketplace/requesters/{lab.pk}/requests/{request.request_id}/", {"action": "reject", "reason": "Too short."}
    )

    assert (Message.objects.get().text, Message.objects.get().worker) == ("Too short.", request.worker)
    assert not Qualification.objects.exists()
    assert "Nobody waits for a decision." in ada.get(f"/marketplace/requesters/{lab.pk}/requests/").content.decode()


@pytest.mark.parametrize("fields", [{"action": "accept", "value": ""}, {"action": "accept", "value": "9" * 12}, {}])
def test_a_decision_that_says_nothing_changes_nothing(ada, lab, fields):
    request = sent(lab, {"q1": ["x"]})

    answer = ada.post(f"/marketplace/requesters/{lab.pk}/requests/{request.request_id}/", fields)

    assert answer.status_code == 422
    request.refresh_from_db()
    assert request.state == "Pending"


def test_an_account_decides_about_its_own_requests_alone(ada, lab):
    request = sent(accounts.create_requester("Ben's lab"), {"q1": ["x"]})

    answer = ada.post(
        f"/marketplace/requesters/{lab.pk}/requests/{request.request_id}/", {"action": "reject"}, follow=True
    )

    assert "does not exist" in answer.content.decode()
    request.refresh_from_db()
    assert request.state == "Pending"
