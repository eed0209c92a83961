"""Requests that boto3 would never send: each gets one clear answer and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from marketplace.models import HIT
from marketplace.validation import checked
from marketplace.wire import service_model
from tests.marketplace.market import QUESTION, TYPE, Market

NEW = {"LifetimeInSeconds": 3600, "Question": QUESTION, **TYPE}
BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
EXTERNAL = QUESTION.replace("https://example.org/task?a=1", "{}")
EXPIRE = "UpdateExpirationForHIT"
SERIAL, INVALID, UNKNOWN = "SerializationException", "ValidationException", "UnknownOperationException"
CASES: list[tuple[str, bytes | dict[str, Any], str]] = [
    ("CreateHIT", b"{", SERIAL),
    ("CreateHIT", b"[]", SERIAL),
    ("CreateHIT", b"\xff\xfe", SERIAL),
    ("CreateHIT", b"[" * 100_000, SERIAL),
    ("GetAccountBalance", b" " * 2_000_000, "RequestEntityTooLargeException"),
    ("GetMoney", {}, UNKNOWN),
    ("SomethingElse.GetHIT", {}, UNKNOWN),
    ("CreateHIT", {}, INVALID),
    ("CreateHIT", NEW | {"Colour": "red"}, INVALID),
    ("CreateHIT", NEW | {"MaxAssignments": "3"}, SERIAL),
    ("CreateHIT", NEW | {"MaxAssignments": True}, SERIAL),
    ("CreateHIT", NEW | {"MaxAssignments": 0}, INVALID),
    ("CreateHIT", NEW | {"LifetimeInSeconds": 29}, INVALID),
    ("CreateHIT", NEW | {"LifetimeInSeconds": 10**18}, INVALID),
    ("CreateHIT", NEW | {"Title": ""}, INVALID),
    ("CreateHIT", NEW | {"Title": "x" * 129}, INVALID),
    ("CreateHIT", NEW | {"Title": "a\x00b"}, INVALID),
    *(("CreateHIT", NEW | {"Reward": bad}, INVALID) for bad in ("$1", "-0.01", "0.975", "1e3", "", "1\n", "١")),
    ("CreateHIT", NEW | {"UniqueRequestToken": ""}, INVALID),
    ("CreateHIT", NEW | {"UniqueRequestToken": "t" * 65}, INVALID),
    ("CreateHIT", NEW | {"Question": "x" * 65_536}, INVALID),
    ("CreateHIT", NEW | {"Question": BOMB + QUESTION}, "RequestError"),
    (
        "CreateHIT",
        NEW | {"Question": '<?xml version="1.0"?><!-- a --><!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'},
        "RequestError",
    ),
    *(
        ("CreateHIT", NEW | {"Question": EXTERNAL.format(url)}, "RequestError")
        for url in ("/task", "javascript:alert(1)", "http://example.org/", "https://", "data:text/html,x", "//a.org")
    ),
    ("CreateHIT", NEW | {"Question": EXTERNAL.format("https://u:p@a.org/")}, "RequestError"),
    ("CreateHIT", NEW | {"Question": QUESTION.replace("<FrameHeight>0", "<FrameHeight>-1")}, "RequestError"),
    ("CreateHIT", NEW | {"Question": QUESTION.replace("2006-07-14", "1999-01-01")}, "RequestError"),
    ("GetHIT", {"HITId": "lower"}, INVALID),
    ("GetHIT", {"HITId": "A" * 65}, INVALID),
    ("CreateWorkerBlock", {"WorkerId": "B1", "Reason": "r"}, INVALID),
    ("ListHITs", {"MaxResults": 101}, INVALID),
    ("ListHITs", {"MaxResults": 0}, INVALID),
    ("ListHITs", {"NextToken": "x"}, "RequestError"),
    ("ListHITs", {"NextToken": "-1-x"}, "RequestError"),
    ("ListAssignmentsForHIT", {"HITId": "A", "AssignmentStatuses": ["Bogus"]}, INVALID),
    (EXPIRE, b'{"HITId": "A", "ExpireAt": NaN}', SERIAL),
    (EXPIRE, {"HITId": "A", "ExpireAt": 1e18}, INVALID),
    (EXPIRE, {"HITId": "A", "ExpireAt": "soon"}, SERIAL),
    ("RejectAssignment", {"AssignmentId": "A"}, INVALID),
    ("NotifyWorkers", {"Subject": "s", "MessageText": "t", "WorkerIds": ["A1"] * 101}, INVALID),
    ("NotifyWorkers", {"Subject": "s" * 201, "MessageText": "t", "WorkerIds": ["A1"]}, INVALID),
    (
        "CreateHITType",
        TYPE
        | {"QualificationRequirements": [{"QualificationTypeId": "A", "Comparator": "In", "IntegerValues": [1] * 16}]},
        INVALID,
    ),
    (
        "CreateHITType",
        TYPE | {"QualificationRequirements": [{"QualificationTypeId": "A", "Comparator": "Like"}]},
        INVALID,
    ),
    ("TesaSandbox.Configure", {"ClockOffsetSeconds": -5}, "RequestError"),
    ("TesaSandbox.Configure", {"Faults": [{"kind": "fire"}]}, "RequestError"),
    ("TesaSandbox.Nothing", {}, UNKNOWN),
]


def test_bad_requests_get_their_own_answer_and_change_nothing(market: Market):
    wrong = []
    for operation, body, kind in CASES:
        status, answer = market.raw(operation, body)
        if answer.get("__type") != kind or status >= 500 or not answer.get("Message"):
            wrong.append((operation, str(body)[:90], status, answer))

    assert not wrong
    assert not HIT.objects.exists()
    assert market.cents == (1_000_000, 0)


def test_a_far_past_expiry_expires_the_hit_now(market: Market):
    hit = market.create_hit()["HITId"]

    status, _ = market.raw(EXPIRE, {"HITId": hit, "ExpireAt": -1e9})

    assert status == 200
    assert market.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Reviewable"


def test_validation_names_every_wrong_member_in_lower_camel_case():
    operation = service_model().operation_model("CreateHITType")
    wrong = [{"QualificationTypeId": "A", "Comparator": "Like"}]

    with pytest.raises(Exception, match="2 validation errors detected") as caught:
        checked(operation, TYPE | {"Reward": "0.9752", "QualificationRequirements": wrong})

    assert "Value '0.9752' at 'reward' failed to satisfy constraint: Member must satisfy regular" in str(caught.value)
    assert "at 'qualificationRequirements.1.member.comparator'" in str(caught.value)


def test_times_are_numbers_and_nothing_is_null(market: Market):
    _, answer = market.raw("CreateHIT", NEW)

    assert isinstance(answer["HIT"]["CreationTime"], float | int)
    assert "null" not in json.dumps(answer)
    assert market.raw("DeleteWorkerBlock", {"WorkerId": market.worker().worker_id}) == (200, {})
