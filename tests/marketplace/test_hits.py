"""HITs and HIT types, by boto3 over real HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from marketplace.models import Requester
from marketplace.services import people, working
from tests.marketplace.market import QUESTION, TYPE, Market, refused

DAY = 24 * 3600


def test_a_new_hit_can_be_read_and_locks_its_price(market: Market):
    made = market.create_hit(MaxAssignments=3, RequesterAnnotation="ours-1", Keywords="names, news")

    hit = market.client.get_hit(HITId=made["HITId"])["HIT"]

    assert hit["HITStatus"] == "Assignable"
    assert (hit["MaxAssignments"], hit["NumberOfAssignmentsAvailable"]) == (3, 3)
    assert (hit["NumberOfAssignmentsPending"], hit["NumberOfAssignmentsCompleted"]) == (0, 0)
    assert (hit["Reward"], hit["RequesterAnnotation"], hit["Keywords"]) == ("0.50", "ours-1", "names, news")
    assert hit["Expiration"] - hit["CreationTime"] == timedelta(hours=1)
    assert hit["Question"] == QUESTION
    balance = market.client.get_account_balance()
    assert (balance["AvailableBalance"], balance["OnHoldBalance"]) == ("9998.20", "1.80")  # 3 x (0.50 + 20 %)


@pytest.mark.parametrize(("places", "cost"), [(9, 9 * 60), (10, 10 * 70)])
def test_ten_assignments_cost_a_fee_of_forty_per_cent(market: Market, places: int, cost: int):
    market.create_hit(MaxAssignments=places)

    assert market.cents == (1_000_000 - cost, cost)


def test_the_same_values_are_the_same_hit_type(market: Market, other: Market):
    first = market.client.create_hit_type(**TYPE)["HITTypeId"]

    assert market.client.create_hit_type(**TYPE)["HITTypeId"] == first
    assert market.client.create_hit_type(**TYPE | {"Reward": "0.5"})["HITTypeId"] == first
    assert market.client.create_hit_type(**TYPE | {"Reward": "0.51"})["HITTypeId"] != first
    assert other.client.create_hit_type(**TYPE)["HITTypeId"] != first


def test_a_hit_of_a_known_type(market: Market, other: Market):
    kind = market.client.create_hit_type(**TYPE)["HITTypeId"]
    parameters = {"LifetimeInSeconds": 60, "Question": QUESTION}

    hit = market.client.create_hit_with_hit_type(HITTypeId=kind, **parameters)["HIT"]

    assert (hit["HITTypeId"], hit["Title"], hit["MaxAssignments"]) == (kind, TYPE["Title"], 1)
    with refused("HITTypeDoesNotExist"):
        other.client.create_hit_with_hit_type(HITTypeId=kind, **parameters)


def test_a_token_is_good_for_one_hit_and_forgotten_after_a_day(market: Market, other: Market):
    made = market.create_hit(UniqueRequestToken="t-1")

    with refused("HITAlreadyExists"):
        market.create_hit(UniqueRequestToken="t-1")

    other.create_hit(UniqueRequestToken="t-1")
    assert market.cents[1] == 60
    market.pass_time(DAY)
    assert market.create_hit(UniqueRequestToken="t-1")["HITId"] != made["HITId"]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"HITLayoutId": "3LAYOUT"}, "InvalidParameterValue"),
        ({"AssignmentReviewPolicy": {"PolicyName": "ScoreMyKnownAnswers/2011-09-01"}}, "InvalidParameterValue"),
        ({"HITReviewPolicy": {"PolicyName": "SimplePlurality/2011-09-01"}}, "InvalidParameterValue"),
        ({"Question": "<a>"}, "XMLParseError"),
        ({"Question": "<QuestionForm/>"}, "InvalidParameterValue"),
        ({"Reward": "99999.99", "MaxAssignments": 1}, "InsufficientFunds"),
        ({"MaxAssignments": 1_000_000_000}, "InsufficientFunds"),
        ({"Reward": "9" * 30}, "InvalidParameterValue"),
        (
            {"QualificationRequirements": [{"QualificationTypeId": "3NONE", "Comparator": "Exists"}]},
            "QualificationTypeDoesNotExist",
        ),
        (
            {"QualificationRequirements": [{"QualificationTypeId": "00000000000000000040", "Comparator": "LessThan"}]},
            "InvalidParameterValue",
        ),
    ],
)
def test_what_no_hit_can_be_made_of(market: Market, parameters, code: str):
    with refused(code):
        market.create_hit(**parameters)

    assert market.cents == (1_000_000, 0)
    assert market.client.list_hits()["HITs"] == []


def test_lists_end_with_an_empty_page(market: Market, other: Market):
    made = {market.create_hit(Title=f"HIT {n}")["HITId"] for n in range(5)}
    other.create_hit()

    pages = list(market.client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 2}))

    assert [page["NumResults"] for page in pages] == [2, 2, 1, 0]
    assert {hit["HITId"] for page in pages for hit in page["HITs"]} == made
    token = pages[0]["NextToken"]
    with refused("InvalidParameterValue"):
        other.client.list_hits(NextToken=token)
    with refused("InvalidParameterValue"):
        market.client.list_reviewable_hits(NextToken=token)
    with refused("InvalidParameterValue"):
        market.client.list_hits(NextToken="f" + token)


def test_a_hit_expires_and_its_money_comes_back(market: Market):
    hit = market.create_hit(LifetimeInSeconds=30, MaxAssignments=2)
    assert market.client.list_reviewable_hits()["HITs"] == []

    market.pass_time(31)

    assert [row["HITId"] for row in market.client.list_reviewable_hits()["HITs"]] == [hit["HITId"]]
    assert market.client.list_reviewable_hits(HITTypeId=hit["HITTypeId"])["NumResults"] == 1
    assert market.client.list_reviewable_hits(HITTypeId="3OTHER")["NumResults"] == 0
    assert market.client.list_reviewable_hits(Status="Reviewing")["NumResults"] == 0
    assert market.cents == (1_000_000, 0)


def test_expire_now_then_extend_then_expire_again(market: Market):
    hit = market.create_hit()["HITId"]
    past, later = datetime(2015, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(hours=2)

    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=past)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"
    assert market.cents[1] == 0
    with refused("DuplicateCall"):
        market.client.update_expiration_for_hit(HITId=hit, ExpireAt=past)

    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=later)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Assignable"
    assert market.cents[1] == 60
    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=past)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(days=500)])
def test_a_lifetime_is_not_shortened_and_ends_within_a_year(market: Market, ahead: timedelta):
    hit = market.create_hit()["HITId"]

    with refused("InvalidParameterValue"):
        market.client.update_expiration_for_hit(HITId=hit, ExpireAt=datetime.now(UTC) + ahead)


def test_a_new_hit_cannot_be_changed_in_its_first_seconds_except_to_expire_it(market: Market):
    Requester.objects.update(fresh_seconds=100)
    hit, kind = market.create_hit()["HITId"], market.client.create_hit_type(**TYPE | {"Title": "B"})["HITTypeId"]
    more = {"HITId": hit, "NumberOfAdditionalAssignments": 1}

    with refused("InvalidHITState"):
        market.client.create_additional_assignments_for_hit(**more)
    with refused("InvalidHITState"):
        market.client.update_hit_type_of_hit(HITId=hit, HITTypeId=kind)
    with refused("InvalidHITState"):
        market.client.update_expiration_for_hit(HITId=hit, ExpireAt=datetime.now(UTC) + timedelta(hours=2))

    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    market.pass_time(101)
    market.client.create_additional_assignments_for_hit(**more)


def test_more_assignments_but_never_across_ten(market: Market):
    hit = market.create_hit(MaxAssignments=7)["HITId"]

    market.client.create_additional_assignments_for_hit(
        HITId=hit, NumberOfAdditionalAssignments=2, UniqueRequestToken="m-1"
    )

    assert market.client.get_hit(HITId=hit)["HIT"]["MaxAssignments"] == 9
    assert market.cents[1] == 9 * 60
    with refused("DuplicateCall"):
        market.client.create_additional_assignments_for_hit(
            HITId=hit, NumberOfAdditionalAssignments=2, UniqueRequestToken="m-1"
        )
    with refused("InvalidMaximumAssignmentsIncrease"):
        market.client.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    many = market.create_hit(MaxAssignments=10)["HITId"]
    with refused("InsufficientFunds"):
        market.client.create_additional_assignments_for_hit(HITId=many, NumberOfAdditionalAssignments=10**7)
    market.client.create_additional_assignments_for_hit(HITId=many, NumberOfAdditionalAssignments=5)
    assert market.cents[1] == 9 * 60 + 15 * 70


def test_a_finished_hit_is_reviewed_and_deleted(market: Market):
    hit = market.create_hit()["HITId"]
    with refused("InvalidHITState"):
        market.client.delete_hit(HITId=hit)
    with refused("InvalidHITState"):
        market.client.update_hit_review_status(HITId=hit)
    work = market.submitted(hit)

    market.client.update_hit_review_status(HITId=hit)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewing"
    assert market.client.list_reviewable_hits(Status="Reviewing")["NumResults"] == 1
    market.client.update_hit_review_status(HITId=hit, Revert=True)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"
    with refused("InvalidHITState"):
        market.client.delete_hit(HITId=hit)
    market.client.approve_assignment(AssignmentId=work.assignment_id)
    market.client.delete_hit(HITId=hit)

    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Disposed"
    assert market.client.list_hits()["HITs"] == []
    with refused("InvalidHITState"):
        market.client.delete_hit(HITId=hit)
    with refused("InvalidHITState"):
        market.client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    with refused("InvalidHITState"):
        market.client.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    with refused("InvalidHITState"):
        market.client.update_hit_type_of_hit(HITId=hit, HITTypeId="3X")


def test_a_hit_is_disposed_of_120_days_after_it_expired(market: Market):
    hit = market.create_hit(LifetimeInSeconds=30)["HITId"]
    market.submitted(hit)

    market.pass_time(31 + 119 * DAY)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"
    market.pass_time(DAY)

    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Disposed"
    assert market.cents == (1_000_000 - 60, 0)  # approved by itself after 30 days


def test_accepted_and_returned_assignments_move_the_state(market: Market):
    hit, worker = market.create_hit()["HITId"], market.worker()
    taken = working.accept(worker, hit)
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Unassignable"

    working.give_back(worker, taken.assignment_id)

    details = market.client.get_hit(HITId=hit)["HIT"]
    assert (details["HITStatus"], details["NumberOfAssignmentsAvailable"]) == ("Assignable", 1)
    again = working.accept(people.invent_workers(1)[0], hit)
    assert again.assignment_id == taken.assignment_id
    assert again.token != taken.token
    market.pass_time(601)  # nobody submits
    assert market.client.get_hit(HITId=hit)["HIT"]["NumberOfAssignmentsAvailable"] == 1


def test_another_type_changes_what_is_locked_but_not_what_was_accepted(market: Market):
    hit = market.create_hit(MaxAssignments=2)["HITId"]
    taken = working.accept(market.worker(), hit)
    dear = market.client.create_hit_type(**TYPE | {"Reward": "1.00"})["HITTypeId"]

    market.client.update_hit_type_of_hit(HITId=hit, HITTypeId=dear)

    assert market.client.get_hit(HITId=hit)["HIT"]["Reward"] == "1.00"
    assert market.cents[1] == 60 + 120
    assert taken.reward_cents == 50
    with refused("HITTypeDoesNotExist"):
        market.client.update_hit_type_of_hit(HITId=hit, HITTypeId="3NONE")
    much = market.client.create_hit_type(**TYPE | {"Reward": "9999.00"})["HITTypeId"]
    with refused("InsufficientFunds"):
        market.client.update_hit_type_of_hit(HITId=hit, HITTypeId=much)


def test_extending_needs_the_money_again(market: Market):
    hit = market.create_hit(Reward="8000.00")["HITId"]
    market.client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    market.create_hit(Reward="8000.00")

    with refused("InsufficientFunds"):
        market.client.update_expiration_for_hit(HITId=hit, ExpireAt=datetime.now(UTC) + timedelta(hours=1))


@pytest.mark.parametrize(
    ("call", "parameters"),
    [
        ("get_hit", {}),
        ("delete_hit", {}),
        ("update_hit_review_status", {}),
        ("update_hit_type_of_hit", {"HITTypeId": "3X"}),
        ("update_expiration_for_hit", {"ExpireAt": 0}),
        ("create_additional_assignments_for_hit", {"NumberOfAdditionalAssignments": 1}),
        ("list_assignments_for_hit", {}),
        ("list_bonus_payments", {}),
        ("list_review_policy_results_for_hit", {}),
    ],
)
def test_a_hit_of_somebody_else_does_not_exist(market: Market, other: Market, call: str, parameters):
    theirs = other.create_hit()["HITId"]

    with refused("HITDoesNotExist"):
        getattr(market.client, call)(HITId=theirs, **parameters)


def test_hits_that_name_a_qualification(market: Market):
    kind = market.client.create_qualification_type(
        Name="Trained", Description="Has read the rules", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    needed = [{"QualificationTypeId": kind, "Comparator": "Exists"}]
    hit = market.create_hit(QualificationRequirements=needed)
    market.create_hit()

    listed = market.client.list_hits_for_qualification_type(QualificationTypeId=kind)["HITs"]

    assert [row["HITId"] for row in listed] == [hit["HITId"]]
    assert hit["QualificationRequirements"] == needed
    with refused("QualificationTypeDoesNotExist"):
        market.client.list_hits_for_qualification_type(QualificationTypeId="3NONE")


def test_review_policies_have_no_results_and_other_operations_name_themselves(market: Market):
    hit = market.create_hit()["HITId"]

    assert market.client.list_review_policy_results_for_hit(HITId=hit)["HITId"] == hit
    with pytest.raises(market.client.exceptions.RequestError, match="GetFileUploadURL is not supported"):
        market.client.get_file_upload_url(AssignmentId="3A", QuestionIdentifier="q")
    with refused("OperationNotSupported"):
        market.client.update_notification_settings(HITTypeId="3A", Active=False)
    event = {"Destination": "d", "Transport": "SQS", "Version": "2014-08-15", "EventTypes": ["Ping"]}
    with refused("OperationNotSupported"):
        market.client.send_test_event_notification(Notification=event, TestEventType="Ping")
