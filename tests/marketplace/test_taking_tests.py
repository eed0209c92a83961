"""Qualification tests from the type to the HIT that requires them: requesters by boto3, workers on the worker site."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
from django.test import Client

from kernel.errors import NotAllowed, NotFound, WrongState
from marketplace.models import Qualification, QualificationRequest, QualificationTest, Worker
from marketplace.qualification_tests.answers import BadAnswers, FormAnswer, read_answers_xml
from marketplace.services import requesting, working
from tests.marketplace.exams import ESSAY, MOVES, MOVES_KEY, choice, form, question, typed
from tests.marketplace.market import Market, refused
from tests.marketplace.test_qualifications import new_type

MINUTE = 60
RIGHT = {"q1": ["D"], "q2": ["apples"]}
HALF = {"q1": ["D"], "q2": [""]}
ANSWER = {"q1": ["Because X wins."]}


def new_test(market: Market, **parameters: Any) -> str:
    return new_type(market, **{"Test": MOVES, "AnswerKey": MOVES_KEY, "TestDurationInSeconds": MINUTE} | parameters)


def new_essay(market: Market, **parameters: Any) -> str:
    return new_type(market, **{"Test": ESSAY, "TestDurationInSeconds": MINUTE} | parameters)


def take(worker: Worker, kind: str, fields: dict[str, list[str]]) -> QualificationRequest:
    begun = requesting.request_qualification(worker, kind)
    return requesting.submit_test(worker, begun.request_id, fields)


def visitor(worker: Worker) -> Client:
    """Return the browser of a simulated worker."""
    client = Client()
    client.post(f"/marketplace/enter/{worker.secret}/")
    return client


def begin(browser: Client, kind: str) -> str:
    """Start a test in the browser; return the address of its page."""
    return browser.post(f"/marketplace/qualifications/{kind}/")["Location"]


def text_of(client: Client, address: str, **fields: Any) -> str:
    """Return the words of a page, after sending it these fields if there are any."""
    answer = client.post(address, fields, follow=True) if fields else client.get(address, follow=True)
    text = re.sub(r"<[^>]*>", " ", answer.content.decode().partition("<main")[2])
    return " ".join(text.split())


def test_a_worker_passes_a_scored_test_and_accepts_the_hit_that_requires_it(market: Market):
    kind, worker = new_test(market), market.worker()
    needed = [{"QualificationTypeId": kind, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [60]}]
    hit = market.create_hit(QualificationRequirements=needed)["HITId"]
    with pytest.raises(NotAllowed):
        working.accept(worker, hit)

    assert take(worker, kind, RIGHT).state == "Granted"

    score = market.client.get_qualification_score(QualificationTypeId=kind, WorkerId=worker.worker_id)
    assert score["Qualification"]["IntegerValue"] == 100
    assert market.client.list_qualification_requests()["NumResults"] == 0
    assert market.submitted(hit, worker).worker == worker
    listed = market.client.list_workers_with_qualification_type(QualificationTypeId=kind)["Qualifications"]
    assert [row["WorkerId"] for row in listed] == [worker.worker_id]


def test_a_result_that_is_too_low_keeps_a_worker_out(market: Market):
    kind, worker = new_test(market), market.worker()
    needed = [{"QualificationTypeId": kind, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [60]}]
    hit = market.create_hit(QualificationRequirements=needed)["HITId"]

    assert take(worker, kind, HALF).value == 33  # 5 of 15 points

    with pytest.raises(NotAllowed):
        working.accept(worker, hit)
    page = text_of(visitor(worker), f"/marketplace/qualifications/{kind}/")
    assert "You have this qualification with the value 33." in page
    assert "Trained is at least 60 : not met" in page
    assert "Not open to you" in page
    assert "You can take this test only once." in page


def test_a_test_without_a_key_waits_for_its_requester_with_its_answers(market: Market, other: Market):
    kind, worker = new_essay(market), market.worker()
    taken = take(worker, kind, ANSWER)

    (request,) = market.client.list_qualification_requests(QualificationTypeId=kind)["QualificationRequests"]

    assert (request["QualificationRequestId"], request["WorkerId"]) == (taken.request_id, worker.worker_id)
    assert request["Test"] == ESSAY
    assert read_answers_xml(request["Answer"]) == {"why": FormAnswer("Because X wins.")}
    assert request["SubmitTime"] == taken.at.replace(microsecond=request["SubmitTime"].microsecond)
    with refused("QualificationRequestDoesNotExist"):
        other.client.accept_qualification_request(QualificationRequestId=taken.request_id, IntegerValue=7)
    market.client.accept_qualification_request(QualificationRequestId=taken.request_id, IntegerValue=7)
    score = market.client.get_qualification_score(QualificationTypeId=kind, WorkerId=worker.worker_id)
    assert score["Qualification"]["IntegerValue"] == 7
    with refused("InvalidQualificationRequestState"):
        market.client.reject_qualification_request(QualificationRequestId=taken.request_id)


def test_a_rejected_worker_reads_the_reason(market: Market):
    kind, worker = new_essay(market, RetryDelayInSeconds=0), market.worker()
    taken = take(worker, kind, ANSWER)
    browser = visitor(worker)
    assert "Your answers were sent" in text_of(browser, f"/marketplace/qualifications/{kind}/")

    market.client.reject_qualification_request(QualificationRequestId=taken.request_id, Reason="Too short.")

    assert "They wrote: “Too short.”" in text_of(browser, f"/marketplace/qualifications/{kind}/")
    assert "Not granted" in text_of(browser, "/marketplace/qualifications/")
    assert take(worker, kind, ANSWER).state == "Pending"


def test_a_test_under_way_is_not_yet_a_request(market: Market):
    kind = new_essay(market)
    begun = requesting.request_qualification(market.worker(), kind)

    assert market.client.list_qualification_requests()["NumResults"] == 0
    with refused("QualificationRequestDoesNotExist"):
        market.client.accept_qualification_request(QualificationRequestId=begun.request_id)


def test_answers_that_do_not_fit_are_not_stored(market: Market):
    kind, worker = new_test(market), market.worker()
    begun = requesting.request_qualification(worker, kind)

    with pytest.raises(BadAnswers, match="Please answer this question"):
        requesting.submit_test(worker, begun.request_id, {"q2": ["apples"]})
    with pytest.raises(NotFound):
        requesting.submit_test(market.worker(), begun.request_id, RIGHT)

    assert not Qualification.objects.exists()
    assert requesting.submit_test(worker, begun.request_id, RIGHT).value == 100
    assert requesting.submit_test(worker, begun.request_id, HALF).value == 100  # repeating it changes nothing
    assert Qualification.objects.get().value == 100


@pytest.mark.parametrize(("seconds", "is_stored"), [(MINUTE, True), (MINUTE + 4, True), (MINUTE + 6, False)])
def test_answers_come_before_the_end_or_a_moment_later(market: Market, seconds: int, is_stored: bool):
    kind, worker = new_test(market), market.worker()
    begun = requesting.request_qualification(worker, kind)
    market.pass_time(seconds)

    if is_stored:
        assert requesting.submit_test(worker, begun.request_id, RIGHT).state == "Granted"
        return
    browser = visitor(worker)
    page = text_of(browser, f"/marketplace/tests/{begun.request_id}/", q1="D")
    assert "The time for this test ran out, so your answers were not saved." in page
    assert "The time for your last test ran out" in page
    assert "You can take this test only once." in page
    assert "Time ran out" in text_of(browser, "/marketplace/qualifications/")
    assert not Qualification.objects.exists()


def test_without_a_retry_delay_there_is_one_try_also_after_a_revocation(market: Market):
    kind, worker = new_test(market), market.worker()
    take(worker, kind, HALF)
    with pytest.raises(WrongState, match="You can take this test only once"):
        requesting.request_qualification(worker, kind)

    market.client.disassociate_qualification_from_worker(QualificationTypeId=kind, WorkerId=worker.worker_id)

    with pytest.raises(WrongState, match="You can take this test only once"):
        requesting.request_qualification(worker, kind)
    market.pass_time(365 * 86400)
    with pytest.raises(WrongState, match="only once"):
        requesting.request_qualification(worker, kind)


def test_a_second_try_waits_for_the_delay_and_replaces_the_value(market: Market):
    kind, worker = new_test(market, RetryDelayInSeconds=3600), market.worker()
    take(worker, kind, HALF)

    with pytest.raises(WrongState, match=r"You can take this test again from .* on\."):
        requesting.request_qualification(worker, kind)
    assert "You can take this test again from" in text_of(visitor(worker), f"/marketplace/qualifications/{kind}/")
    market.pass_time(3590)
    with pytest.raises(WrongState, match="take this test again from"):
        requesting.request_qualification(worker, kind)
    market.pass_time(11)

    assert take(worker, kind, RIGHT).value == 100
    assert Qualification.objects.get().value == 100


def test_the_delay_after_a_test_that_was_never_sent_counts_from_its_end(market: Market):
    kind, worker = new_test(market, RetryDelayInSeconds=3600), market.worker()
    requesting.request_qualification(worker, kind)

    market.pass_time(3600 + MINUTE - 10)
    with pytest.raises(WrongState, match="take this test again from"):
        requesting.request_qualification(worker, kind)
    market.pass_time(11)

    assert requesting.request_qualification(worker, kind).state == "UnderWay"
    assert list(QualificationRequest.objects.order_by("pk").values_list("state", flat=True)) == ["Lapsed", "UnderWay"]


def test_one_test_at_a_time_starting_again_continues(market: Market):
    kind, worker = new_test(market), market.worker()

    first = requesting.request_qualification(worker, kind)
    market.pass_time(30)

    assert requesting.request_qualification(worker, kind) == first
    page = visitor(worker).get(f"/marketplace/tests/{first.request_id}/").content.decode()
    (left,) = re.findall(r'data-left="(\d+)"', page)
    assert int(left) <= 30


def test_who_began_a_test_finishes_it_after_a_change_or_when_the_type_is_closed(market: Market):
    kind, worker = new_test(market), market.worker()
    begun = requesting.request_qualification(worker, kind)

    market.client.update_qualification_type(
        QualificationTypeId=kind, Test=ESSAY, TestDurationInSeconds=10, QualificationTypeStatus="Inactive"
    )

    assert requesting.submit_test(worker, begun.request_id, RIGHT).value == 100
    changed = market.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    assert (changed["Test"], changed["TestDurationInSeconds"]) == (ESSAY, 10)
    assert "AnswerKey" not in changed  # a test is replaced as a whole
    with pytest.raises(NotFound):
        requesting.request_qualification(market.worker(), kind)


def test_a_type_that_is_deleted_during_a_test_ends_it_kindly(market: Market):
    kind, worker = new_test(market), market.worker()
    begun = requesting.request_qualification(worker, kind)
    market.client.delete_qualification_type(QualificationTypeId=kind)

    with pytest.raises(WrongState, match="The requester has withdrawn this qualification"):
        requesting.submit_test(worker, begun.request_id, RIGHT)
    page = text_of(visitor(worker), f"/marketplace/tests/{begun.request_id}/", q1="D", q2="apples")
    assert "The requester has withdrawn this qualification, so your answers were not saved." in page
    assert "has withdrawn" in text_of(visitor(worker), f"/marketplace/tests/{begun.request_id}/")
    assert not Qualification.objects.exists()


def test_a_qualification_given_during_a_test_stays_as_it_was_given(market: Market):
    kind, worker = new_test(market), market.worker()
    begun = requesting.request_qualification(worker, kind)
    market.client.associate_qualification_with_worker(
        QualificationTypeId=kind, WorkerId=worker.worker_id, IntegerValue=90
    )

    assert requesting.submit_test(worker, begun.request_id, HALF).state == "Granted"
    assert Qualification.objects.get().value == 90


def test_only_the_owner_reads_a_test_and_its_key(market: Market, other: Market):
    kind = new_test(market)

    mine = market.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    theirs = other.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    listed = other.client.list_qualification_types(MustBeRequestable=True)["QualificationTypes"]

    assert (mine["Test"], mine["AnswerKey"], mine["TestDurationInSeconds"]) == (MOVES, MOVES_KEY, MINUTE)
    for seen in (theirs, *listed):
        assert not {"Test", "AnswerKey"} & set(seen)
        assert seen["TestDurationInSeconds"] == MINUTE


@pytest.mark.parametrize(
    ("parameters", "saying"),
    [
        ({"Test": MOVES}, "Test needs TestDurationInSeconds"),
        ({"AnswerKey": MOVES_KEY}, "AnswerKey needs Test"),
        ({"AnswerKey": MOVES_KEY, "TestDurationInSeconds": 60}, "AnswerKey needs Test"),
        ({"Test": MOVES, "TestDurationInSeconds": 60, "AutoGranted": True}, "cannot be AutoGranted"),
    ],
)
def test_combinations_that_mean_nothing_are_refused(market: Market, parameters: dict[str, Any], saying: str):
    with refused("InvalidParameterValue", saying=saying):
        new_type(market, **parameters)

    assert not QualificationTest.objects.exists()


@pytest.mark.parametrize(
    ("parameters", "saying"),
    [
        ({"Test": "<QuestionForm/>"}, "Test, line 1: <QuestionForm> is in no namespace"),
        (
            {"Test": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + MOVES},
            "Test, line 1: it may not contain",
        ),
        ({"Test": form(question(typed('<AnswerFormatRegex regex="(a"/>')))}, "a parenthesis is not closed"),
        ({"Test": ESSAY, "AnswerKey": MOVES_KEY}, "the question “why” of the test is answered with text"),
        ({"Test": MOVES, "AnswerKey": MOVES_KEY.replace(">D<", ">X<")}, "has no selection “X”"),
    ],
)
def test_xml_that_cannot_be_used_is_refused_with_its_line(market: Market, parameters: dict[str, Any], saying: str):
    with refused("", kind="ParameterValidationError", saying=saying):
        new_type(market, TestDurationInSeconds=60, **parameters)


def test_a_test_is_at_most_as_large_as_a_question(market: Market):
    large = form(question(typed(), content=f"<Text>{'a' * 65_500}</Text>"))

    with refused("", kind="ValidationException", saying="have at most 65535 bytes"):
        new_type(market, Test=large, TestDurationInSeconds=60)
    with refused("", kind="ValidationException", saying="testDurationInSeconds"):
        new_type(market, Test=ESSAY, TestDurationInSeconds=0)


def test_a_type_with_a_test_cannot_become_auto_granted_or_change_its_duration_alone(market: Market):
    kind = new_test(market)
    plain = new_type(market, Name="Plain", AutoGranted=True)

    with refused("InvalidParameterValue", saying="cannot be AutoGranted"):
        market.client.update_qualification_type(QualificationTypeId=kind, AutoGranted=True)
    with refused("InvalidParameterValue", saying="TestDurationInSeconds needs Test"):
        market.client.update_qualification_type(QualificationTypeId=kind, TestDurationInSeconds=90)
    with refused("InvalidParameterValue", saying="cannot be AutoGranted"):
        market.client.update_qualification_type(QualificationTypeId=plain, Test=MOVES, TestDurationInSeconds=90)
    changed = market.client.update_qualification_type(
        QualificationTypeId=plain, Test=MOVES, TestDurationInSeconds=90, AutoGranted=False
    )["QualificationType"]
    assert (changed["Test"], changed["AutoGranted"]) == (MOVES, False)
    assert "RetryDelayInSeconds" not in changed
    market.client.update_qualification_type(QualificationTypeId=kind, RetryDelayInSeconds=5)
    kept = market.client.update_qualification_type(QualificationTypeId=kind, Description="New")["QualificationType"]
    assert (kept["RetryDelayInSeconds"], kept["Test"], kept["AnswerKey"]) == (5, MOVES, MOVES_KEY)


def test_a_worker_goes_from_the_hit_to_the_test_and_sees_the_result(market: Market):
    kind, worker = new_test(market), market.worker()
    needed = [{"QualificationTypeId": kind, "Comparator": "GreaterThan", "IntegerValues": [50]}]
    market.create_hit(QualificationRequirements=needed)
    browser = visitor(worker)
    assert "Take the test" in text_of(browser, "/marketplace/")

    about = text_of(browser, f"/marketplace/qualifications/{kind}/")
    assert "Test with 2 questions" in about
    assert "You can take this test only once." in about
    started = begin(browser, kind)
    assert "Continue the test" in text_of(browser, f"/marketplace/qualifications/{kind}/")
    page = browser.get(started).content.decode()
    assert '<input type="radio" name="q1" value="D"' in page
    assert '<select id="q2" name="q2"' in page
    again = browser.post(started, {"q1": "", "q2": "apples"})
    assert again.status_code == 422
    shown = again.content.decode()
    assert "Please answer this question." in shown
    assert '<option value="apples" selected>' in shown

    result = text_of(browser, started, q1="D", q2="apples")

    assert "Your answers were sent." in result
    assert "You have this qualification with the value 100." in result
    assert "You can accept it" in result
    assert "Trained" in text_of(browser, "/marketplace/qualifications/")
    assert "You have this qualification" in text_of(browser, started)  # the test leads to its result


def test_what_a_worker_typed_is_shown_as_text(market: Market):
    kind = new_essay(market, Test=ESSAY.replace('maxLength="500"', 'maxLength="9"'))
    browser = visitor(market.worker())
    started = begin(browser, kind)

    page = browser.post(started, {"q1": "</textarea><script>1</script>"})

    assert page.status_code == 422
    assert "<script>1" not in page.content.decode()
    assert "&lt;/textarea&gt;&lt;script&gt;1" in page.content.decode()


def test_every_kind_of_field_is_shown_and_read(market: Market):
    several = choice(
        "a", "b", before="<MinSelectionCount>2</MinSelectionCount><MaxSelectionCount>2</MaxSelectionCount>"
    )
    test = form(
        question(typed('<IsNumeric minValue="1" maxValue="9"/>', "<DefaultText>5</DefaultText>"), "number"),
        question(several, "several"),
        question(choice("a", other="<OtherSelection><DefaultText>mine</DefaultText></OtherSelection>"), "other"),
    )
    kind, worker = new_type(market, Test=test, TestDurationInSeconds=60), market.worker()
    browser = visitor(worker)
    started = begin(browser, kind)
    page = browser.get(started).content.decode()
    for piece in ('value="5"', 'inputmode="decimal"', 'type="checkbox" name="q2" value="b"', 'value="mine"'):
        assert piece in page

    browser.post(started, {"q1": "7", "q2": ["b", "a"], "q3": "", "q3-other": "ours"})

    (request,) = market.client.list_qualification_requests()["QualificationRequests"]
    assert read_answers_xml(request["Answer"]) == {
        "number": FormAnswer("7"),
        "several": FormAnswer(selected=("a", "b")),
        "other": FormAnswer("ours"),
    }


def test_the_qualifications_of_a_requester_have_a_page(market: Market, other: Market):
    new_test(market)
    new_type(other, Name="Theirs")
    browser = visitor(market.worker())

    page = text_of(browser, f"/marketplace/qualifications/of/{market.requester.pk}/")

    assert "Trained" in page
    assert "Theirs" not in page
    assert browser.get("/marketplace/qualifications/of/999999/").status_code == 404


def test_the_way_of_public_scripts_from_a_type_to_accepted_work(market: Market):
    """Scripts send documents with a declaration, look for their type by its name, and page through what they list."""
    client, declared = market.client, '<?xml version="1.0" encoding="UTF-8"?>\n'
    made = client.create_qualification_type(
        Name="Moves of Tic-Tac-Toe",
        Keywords="test, qualification, games",
        Description="Do you know the best move?",
        QualificationTypeStatus="Active",
        RetryDelayInSeconds=60,
        Test=declared + MOVES,
        AnswerKey=declared + MOVES_KEY,
        TestDurationInSeconds=300,
    )["QualificationType"]
    query = {"MustBeRequestable": True, "MustBeOwnedByCaller": True, "Query": "tic-tac-toe"}
    pages = client.get_paginator("list_qualification_types").paginate(**query)
    (listed,) = [type_ for page in pages for type_ in page["QualificationTypes"]]
    assert (listed["QualificationTypeId"], listed["IsRequestable"]) == (made["QualificationTypeId"], True)
    workers = [market.worker() for _ in range(3)]
    for worker, fields in zip(workers, (RIGHT, HALF, RIGHT), strict=True):
        take(worker, listed["QualificationTypeId"], fields)
    needed = {"QualificationTypeId": made["QualificationTypeId"], "Comparator": "GreaterThan", "IntegerValues": [80]}
    hit = market.create_hit(
        MaxAssignments=3, QualificationRequirements=[needed | {"ActionsGuarded": "PreviewAndAccept"}]
    )

    for worker in workers:
        with contextlib.suppress(NotAllowed):
            market.submitted(hit["HITId"], worker)

    pages = client.get_paginator("list_assignments_for_hit").paginate(HITId=hit["HITId"])
    work = [assignment for page in pages for assignment in page["Assignments"]]
    assert {assignment["WorkerId"] for assignment in work} == {workers[0].worker_id, workers[2].worker_id}
    for assignment in work:
        client.approve_assignment(AssignmentId=assignment["AssignmentId"])
    pages = client.get_paginator("list_workers_with_qualification_type").paginate(
        QualificationTypeId=made["QualificationTypeId"], Status="Granted"
    )
    values = [held["IntegerValue"] for page in pages for held in page["Qualifications"]]
    assert sorted(values) == [33, 100, 100]
    pages = client.get_paginator("list_hits_for_qualification_type").paginate(
        QualificationTypeId=made["QualificationTypeId"]
    )
    assert [row["HITId"] for page in pages for row in page["HITs"]] == [hit["HITId"]]


def test_requests_are_paged_and_decided_one_after_the_other(market: Market):
    kind = new_essay(market)
    workers = [market.worker() for _ in range(5)]
    for worker in workers:
        take(worker, kind, ANSWER)

    pages = market.client.get_paginator("list_qualification_requests").paginate(
        QualificationTypeId=kind, PaginationConfig={"PageSize": 2}
    )
    for number, request in enumerate([request for page in pages for request in page["QualificationRequests"]]):
        if number % 2:
            market.client.reject_qualification_request(QualificationRequestId=request["QualificationRequestId"])
        else:
            market.client.accept_qualification_request(QualificationRequestId=request["QualificationRequestId"])

    assert market.client.list_qualification_requests()["NumResults"] == 0
    assert list(Qualification.objects.values_list("value", flat=True)) == [1, 1, 1]
