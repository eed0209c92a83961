"""Qualifications, blocks and messages, by boto3 over real HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from kernel.errors import NotAllowed, WrongState
from marketplace import qualifying
from marketplace.models import Message, Requester, Worker
from marketplace.services import requesting, working
from tests.marketplace.market import Market, refused

NEW: dict[str, Any] = {"Name": "Trained", "Description": "Has read the rules", "QualificationTypeStatus": "Active"}


def new_type(market: Market, **parameters: Any) -> str:
    return market.client.create_qualification_type(**NEW | parameters)["QualificationType"]["QualificationTypeId"]


def test_a_type_is_made_read_changed_and_deleted(market: Market, other: Market):
    kind = new_type(market, Keywords="rules, quiz", RetryDelayInSeconds=60)
    with refused("QualificationTypeAlreadyExists"):
        new_type(market)
    new_type(other)

    changed = market.client.update_qualification_type(
        QualificationTypeId=kind, Description="Knows them", QualificationTypeStatus="Inactive"
    )["QualificationType"]

    assert (changed["Name"], changed["Description"], changed["QualificationTypeStatus"]) == (
        "Trained",
        "Knows them",
        "Inactive",
    )
    read = market.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    assert (read["RetryDelayInSeconds"], read["IsRequestable"], read["Keywords"]) == (60, False, "rules, quiz")
    market.client.delete_qualification_type(QualificationTypeId=kind)
    for call in ("get_qualification_type", "delete_qualification_type", "update_qualification_type"):
        with refused("QualificationTypeDoesNotExist"):
            getattr(market.client, call)(QualificationTypeId=kind)
    new_type(market)  # the name is free again


def test_types_are_found_by_words_owner_and_state(market: Market, other: Market):
    mine = new_type(market, Keywords="grammar")
    hidden = new_type(market, Name="Closed", QualificationTypeStatus="Inactive")
    theirs = new_type(other, Name="Theirs", Description="grammar")

    def type_ids(**query: Any) -> set[str]:
        answer = market.client.list_qualification_types(**{"MustBeRequestable": False} | query)
        return {type_["QualificationTypeId"] for type_ in answer["QualificationTypes"]}

    assert type_ids() == {mine, hidden, theirs}
    assert type_ids(Query="GRAMMAR") == {mine, theirs}
    assert type_ids(MustBeOwnedByCaller=True) == {mine, hidden}
    assert type_ids(MustBeRequestable=True, MustBeOwnedByCaller=True) == {mine}


def test_an_inactive_type_is_read_by_its_owner_alone(market: Market, other: Market):
    kind = new_type(market, QualificationTypeStatus="Inactive")

    assert market.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]["Name"] == "Trained"
    with refused("QualificationTypeDoesNotExist"):
        other.client.get_qualification_type(QualificationTypeId=kind)
    market.client.update_qualification_type(QualificationTypeId=kind, QualificationTypeStatus="Active")
    assert other.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]["Name"] == "Trained"


def test_the_duration_of_a_test_says_nothing_where_no_test_is(market: Market):
    kind = new_type(market, TestDurationInSeconds=60)

    changed = market.client.update_qualification_type(QualificationTypeId=kind, TestDurationInSeconds=90)

    assert "TestDurationInSeconds" not in changed["QualificationType"]


def test_a_value_that_is_never_granted_is_refused(market: Market):
    with refused("InvalidParameterValue"):
        new_type(market, AutoGrantedValue=3)


def test_a_qualification_is_granted_scored_revoked_and_granted_again(market: Market):
    kind, worker = new_type(market), market.worker()
    both = {"QualificationTypeId": kind, "WorkerId": worker.worker_id}
    with refused("QualificationDoesNotExist"):
        market.client.get_qualification_score(**both)
    with refused("QualificationDoesNotExist"):
        market.client.disassociate_qualification_from_worker(**both)

    market.client.associate_qualification_with_worker(**both, IntegerValue=7)
    assert market.client.get_qualification_score(**both)["Qualification"]["IntegerValue"] == 7
    assert Message.objects.get().worker == worker
    market.client.disassociate_qualification_from_worker(**both, Reason="expired")
    for call in ("get_qualification_score", "disassociate_qualification_from_worker"):
        with refused("InvalidQualificationState", saying="in the state 'Revoked'. This operation can be called with"):
            getattr(market.client, call)(**both)
    listed = market.client.list_workers_with_qualification_type
    assert listed(QualificationTypeId=kind)["NumResults"] == 0
    assert listed(QualificationTypeId=kind, Status="Revoked")["NumResults"] == 1

    market.client.associate_qualification_with_worker(**both, SendNotification=False)
    assert listed(QualificationTypeId=kind)["Qualifications"][0]["IntegerValue"] == 1
    assert Message.objects.count() == 2


def test_only_the_owner_of_an_active_type_grants_it_to_a_worker_who_exists(market: Market, other: Market):
    kind, worker = new_type(market), market.worker()
    parameters = {"QualificationTypeId": kind, "WorkerId": worker.worker_id}

    with refused("WorkerDoesNotExist"):
        market.client.associate_qualification_with_worker(**parameters | {"WorkerId": "ANOBODY"})
    for call in (
        "associate_qualification_with_worker",
        "get_qualification_score",
        "disassociate_qualification_from_worker",
    ):
        with refused("PermissionDeniedException"):
            getattr(other.client, call)(**parameters)
        with refused("QualificationTypeDoesNotExist"):
            getattr(market.client, call)(**parameters | {"QualificationTypeId": "3NONE"})
    for call in ("update_qualification_type", "delete_qualification_type", "list_workers_with_qualification_type"):
        with refused("PermissionDeniedException"):
            getattr(other.client, call)(QualificationTypeId=kind)
    with refused("PermissionDeniedException"):
        market.client.associate_qualification_with_worker(**parameters | {"QualificationTypeId": qualifying.APPROVED})
    market.client.update_qualification_type(QualificationTypeId=kind, QualificationTypeStatus="Inactive")
    with refused("InvalidQualificationTypeState"):
        market.client.associate_qualification_with_worker(**parameters)


def test_requests_are_granted_and_rejected_once(market: Market, other: Market):
    kind = new_type(market)
    first, second = market.worker(), market.worker()
    asked = [requesting.request_qualification(worker, kind) for worker in (first, second)]
    assert requesting.request_qualification(first, kind) == asked[0]

    listed = market.client.list_qualification_requests(QualificationTypeId=kind)["QualificationRequests"]
    assert {request["WorkerId"] for request in listed} == {first.worker_id, second.worker_id}
    assert other.client.list_qualification_requests()["NumResults"] == 0
    market.client.accept_qualification_request(QualificationRequestId=asked[0].request_id, IntegerValue=9)
    market.client.reject_qualification_request(QualificationRequestId=asked[1].request_id, Reason="not yet")

    assert market.client.list_qualification_requests()["NumResults"] == 0
    score = market.client.get_qualification_score(QualificationTypeId=kind, WorkerId=first.worker_id)
    assert score["Qualification"]["IntegerValue"] == 9
    assert Message.objects.get().text == "not yet"
    with refused("InvalidQualificationRequestState"):
        market.client.accept_qualification_request(QualificationRequestId=asked[1].request_id)
    with refused("QualificationRequestDoesNotExist"):
        other.client.reject_qualification_request(QualificationRequestId=asked[1].request_id)
    with pytest.raises(WrongState, match="only once"):
        requesting.request_qualification(second, kind)


def test_an_auto_granted_qualification_is_granted_at_once(market: Market):
    kind, worker = new_type(market, AutoGranted=True, AutoGrantedValue=4), market.worker()

    requesting.request_qualification(worker, kind)

    score = market.client.get_qualification_score(QualificationTypeId=kind, WorkerId=worker.worker_id)
    assert score["Qualification"]["IntegerValue"] == 4


def test_a_requirement_keeps_workers_out_until_they_hold_it(market: Market):
    kind, worker = new_type(market), market.worker()
    needed = [{"QualificationTypeId": kind, "Comparator": "GreaterThan", "IntegerValues": [5]}]
    hit = market.create_hit(QualificationRequirements=needed)["HITId"]

    with pytest.raises(NotAllowed):
        working.accept(worker, hit)
    market.client.associate_qualification_with_worker(
        QualificationTypeId=kind, WorkerId=worker.worker_id, IntegerValue=6
    )

    assert working.accept(worker, hit).worker == worker


def test_deleting_a_type_deletes_the_hit_types_that_name_it(market: Market):
    kind = new_type(market)
    needed = [{"QualificationTypeId": kind, "Comparator": "DoesNotExist"}]
    hit = market.create_hit(QualificationRequirements=needed)

    market.client.delete_qualification_type(QualificationTypeId=kind)

    with refused("HITTypeDoesNotExist"):
        market.client.create_hit_with_hit_type(
            HITTypeId=hit["HITTypeId"], LifetimeInSeconds=60, Question=hit["Question"]
        )
    working.accept(market.worker(), hit["HITId"])


def test_a_blocked_worker_gets_no_hits_of_this_requester(market: Market, other: Market):
    worker = market.worker()
    market.client.create_worker_block(WorkerId=worker.worker_id, Reason="spam")
    market.client.create_worker_block(WorkerId=worker.worker_id, Reason="more spam")

    (block,) = market.client.list_worker_blocks()["WorkerBlocks"]

    assert block == {"WorkerId": worker.worker_id, "Reason": "more spam"}
    with pytest.raises(NotAllowed):
        working.accept(worker, market.create_hit()["HITId"])
    working.accept(worker, other.create_hit()["HITId"])
    market.client.delete_worker_block(WorkerId=worker.worker_id)
    market.client.delete_worker_block(WorkerId=worker.worker_id)
    working.accept(worker, market.create_hit()["HITId"])
    with refused("WorkerDoesNotExist"):
        market.client.create_worker_block(WorkerId="ANOBODY", Reason="r")
    with refused("WorkerDoesNotExist"):
        market.client.delete_worker_block(WorkerId="ANOBODY")


def test_messages_reach_only_people_who_worked_for_the_requester(market: Market):
    work, stranger = market.submitted(market.create_hit()["HITId"]), market.worker()

    failures = market.client.notify_workers(
        Subject="Next round",
        MessageText="It starts today.",
        WorkerIds=[work.worker.worker_id, stranger.worker_id, "AX"],
    )["NotifyWorkersFailureStatuses"]

    assert Message.objects.get().worker == work.worker
    assert {failure["WorkerId"]: failure["NotifyWorkersFailureCode"] for failure in failures} == {
        stranger.worker_id: "HardFailure",
        "AX": "HardFailure",
    }


def test_sandbox_accounts_and_people_never_meet(market: Market):
    person = Worker.objects.create()
    Requester.objects.update(fresh_seconds=0)

    with refused("WorkerDoesNotExist"):
        market.client.create_worker_block(WorkerId=person.worker_id, Reason="r")
    with pytest.raises(Exception, match="no such HIT"):
        working.accept(person, market.create_hit()["HITId"])
