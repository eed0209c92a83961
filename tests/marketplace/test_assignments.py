"""Assignments and bonuses, by boto3 over real HTTP."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from xml.dom import minidom

import pytest

from marketplace.models import Movement, Requester, Worker
from marketplace.services import working
from tests.marketplace.market import Market, refused

DAY = 24 * 3600


def test_a_submitted_assignment_is_read_approved_and_paid(market: Market):
    hit = market.create_hit(MaxAssignments=2)["HITId"]
    work = market.submitted(hit, text="Côte d'Azur <b>")

    listed = market.client.list_assignments_for_hit(HITId=hit)["Assignments"]
    market.client.approve_assignment(AssignmentId=work.assignment_id, RequesterFeedback="thanks")
    response = market.client.get_assignment(AssignmentId=work.assignment_id)

    (assignment,) = listed
    assert (assignment["AssignmentStatus"], assignment["WorkerId"]) == ("Submitted", work.worker.worker_id)
    assert assignment["AutoApprovalTime"] - assignment["SubmitTime"] == timedelta(days=30)
    assert assignment["Deadline"] - assignment["AcceptTime"] == timedelta(minutes=10)
    answer: Any = minidom.parseString(assignment["Answer"])
    assert answer.getElementsByTagName("QuestionIdentifier")[0].firstChild.nodeValue == "phrase"
    assert answer.getElementsByTagName("FreeText")[0].firstChild.nodeValue == "Côte d'Azur <b>"
    assert (response["Assignment"]["AssignmentStatus"], response["Assignment"]["RequesterFeedback"]) == (
        "Approved",
        "thanks",
    )
    assert response["HIT"]["NumberOfAssignmentsCompleted"] == 1
    assert market.cents == (1_000_000 - 120, 60)
    assert Worker.objects.get(pk=work.worker_id).approved == 1


def test_a_rejection_frees_the_money_and_can_be_reversed_for_thirty_days(market: Market):
    hit = market.create_hit(MaxAssignments=3)["HITId"]
    first, second = market.submitted(hit), market.submitted(hit)
    for work in (first, second):
        market.client.reject_assignment(AssignmentId=work.assignment_id, RequesterFeedback="")
    assert market.cents == (1_000_000 - 60, 60)

    with refused("InvalidAssignmentState"):
        market.client.approve_assignment(AssignmentId=first.assignment_id)
    market.client.approve_assignment(AssignmentId=first.assignment_id, OverrideRejection=True)
    assert market.cents == (1_000_000 - 120, 60)
    assert Worker.objects.get(pk=first.worker_id).rejected == 0
    market.pass_time(31 * DAY)

    with refused("InvalidAssignmentState"):
        market.client.approve_assignment(AssignmentId=second.assignment_id, OverrideRejection=True)
    assert (
        market.client.get_assignment(AssignmentId=first.assignment_id)["Assignment"]["AssignmentStatus"] == "Approved"
    )


def test_a_rejection_of_a_deleted_hit_stays(market: Market):
    hit = market.create_hit()["HITId"]
    work = market.submitted(hit)
    market.client.reject_assignment(AssignmentId=work.assignment_id, RequesterFeedback="empty")
    market.client.delete_hit(HITId=hit)

    with refused("InvalidHITState"):
        market.client.approve_assignment(AssignmentId=work.assignment_id, OverrideRejection=True)


def test_what_was_decided_is_not_decided_again(market: Market):
    hit = market.create_hit()["HITId"]
    work = market.submitted(hit)
    market.client.approve_assignment(AssignmentId=work.assignment_id)

    with pytest.raises(market.client.exceptions.RequestError, match=r"a status of: Submitted \(\d{13}\)"):
        market.client.approve_assignment(AssignmentId=work.assignment_id)
    with refused("InvalidAssignmentState"):
        market.client.reject_assignment(AssignmentId=work.assignment_id, RequesterFeedback="no")


def test_an_assignment_is_seen_only_once_it_was_submitted_a_moment_ago(market: Market):
    Requester.objects.update(visible_seconds=100)
    hit, worker = market.create_hit()["HITId"], market.worker()
    taken = working.accept(worker, hit)

    with refused("AssignmentDoesNotExist"):
        market.client.get_assignment(AssignmentId=taken.assignment_id)
    with pytest.raises(market.client.exceptions.RequestError, match="a status of: null"):
        market.client.approve_assignment(AssignmentId=taken.assignment_id)
    working.submit(taken.token, taken.assignment_id, [])
    assert market.client.list_assignments_for_hit(HITId=hit)["Assignments"] == []
    with refused("AssignmentDoesNotExist"):
        market.client.approve_assignment(AssignmentId=taken.assignment_id)
    with refused("AssignmentDoesNotExist"):
        market.client.send_bonus(
            WorkerId=worker.worker_id, BonusAmount="1.00", AssignmentId=taken.assignment_id, Reason="early"
        )

    market.pass_time(101)
    assert market.client.list_assignments_for_hit(HITId=hit)["NumResults"] == 1


def test_assignments_are_listed_by_status_page_by_page(market: Market):
    hit = market.create_hit(MaxAssignments=5)["HITId"]
    work = [market.submitted(hit) for _ in range(4)]
    market.client.approve_assignment(AssignmentId=work[0].assignment_id)
    market.client.reject_assignment(AssignmentId=work[1].assignment_id, RequesterFeedback="no")
    listed = market.client.list_assignments_for_hit

    assert listed(HITId=hit, AssignmentStatuses=["Submitted"])["NumResults"] == 2
    assert listed(HITId=hit, AssignmentStatuses=["Approved", "Rejected"])["NumResults"] == 2
    pages = market.client.get_paginator("list_assignments_for_hit").paginate(
        HITId=hit, PaginationConfig={"PageSize": 3}
    )
    assert [page["NumResults"] for page in pages] == [3, 1, 0]


def test_an_assignment_is_approved_by_itself(market: Market):
    hit = market.create_hit(AutoApprovalDelayInSeconds=60)["HITId"]
    work = market.submitted(hit)

    market.pass_time(61)

    assignment = market.client.get_assignment(AssignmentId=work.assignment_id)["Assignment"]
    assert assignment["AssignmentStatus"] == "Approved"
    assert assignment["ApprovalTime"] == assignment["AutoApprovalTime"]
    assert market.cents == (1_000_000 - 60, 0)


def test_a_bonus_is_paid_once_for_a_token_and_listed(market: Market):
    hit = market.create_hit()["HITId"]
    work = market.submitted(hit)
    bonus = {"WorkerId": work.worker.worker_id, "BonusAmount": "1.05", "AssignmentId": work.assignment_id}

    market.client.send_bonus(**bonus, Reason="ref 1", UniqueRequestToken="b-1")
    with refused("DuplicateCall"):
        market.client.send_bonus(**bonus, Reason="ref 1", UniqueRequestToken="b-1")

    assert market.cents == (1_000_000 - 60 - 126, 60)
    for key in ({"HITId": hit}, {"AssignmentId": work.assignment_id}):
        (paid,) = market.client.list_bonus_payments(**key)["BonusPayments"]
        assert (paid["BonusAmount"], paid["Reason"], paid["WorkerId"]) == ("1.05", "ref 1", work.worker.worker_id)


def test_bonuses_that_cannot_be_paid(market: Market, other: Market):
    hit = market.create_hit()["HITId"]
    work, stranger = market.submitted(hit), market.worker()
    bonus = {"WorkerId": work.worker.worker_id, "AssignmentId": work.assignment_id, "Reason": "r", "BonusAmount": "1"}

    with refused("InvalidParameterValue"):
        market.client.send_bonus(**bonus | {"WorkerId": stranger.worker_id})
    with refused("InvalidParameterValue"):
        market.client.send_bonus(**bonus | {"BonusAmount": "0.00"})
    with refused("InsufficientFunds"):
        market.client.send_bonus(**bonus | {"BonusAmount": "9000.00"})
    with refused("AssignmentDoesNotExist"):
        other.client.send_bonus(**bonus)
    with refused("InvalidParameterValue"):
        market.client.list_bonus_payments()
    with refused("InvalidParameterValue"):
        market.client.list_bonus_payments(HITId=hit, AssignmentId=work.assignment_id)
    with refused("AssignmentDoesNotExist"):
        other.client.list_bonus_payments(AssignmentId=work.assignment_id)
    assert market.cents == (1_000_000 - 60, 60)


def test_reversing_a_rejection_needs_money(market: Market):
    hit = market.create_hit(Reward="8000.00")["HITId"]
    work = market.submitted(hit)
    market.client.reject_assignment(AssignmentId=work.assignment_id, RequesterFeedback="no")
    market.create_hit(Reward="8000.00")

    with refused("InsufficientFunds"):
        market.client.approve_assignment(AssignmentId=work.assignment_id, OverrideRejection=True)
    assert market.client.get_assignment(AssignmentId=work.assignment_id)["Assignment"]["AssignmentStatus"] == "Rejected"


@pytest.mark.parametrize(
    ("call", "parameters"),
    [("get_assignment", {}), ("approve_assignment", {}), ("reject_assignment", {"RequesterFeedback": ""})],
)
def test_an_assignment_of_somebody_else_does_not_exist(market: Market, other: Market, call: str, parameters):
    work = other.submitted(other.create_hit()["HITId"])

    with refused("AssignmentDoesNotExist"):
        getattr(market.client, call)(AssignmentId=work.assignment_id, **parameters)


def test_the_balance_is_the_sum_of_its_movements(market: Market):
    hit = market.create_hit(MaxAssignments=3)["HITId"]
    first, second = market.submitted(hit), market.submitted(hit)
    market.client.approve_assignment(AssignmentId=first.assignment_id)
    market.client.reject_assignment(AssignmentId=second.assignment_id, RequesterFeedback="no")
    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=0)

    assert sum(Movement.objects.values_list("cents", flat=True)) == market.cents[0] == 1_000_000 - 60
    assert market.cents[1] == 0
