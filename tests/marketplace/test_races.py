"""Several at the same moment. PostgreSQL only: SQLite has one writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from kernel.clock import now
from kernel.errors import TesaError
from marketplace.errors import MarketError
from marketplace.models import HIT, Assignment, Bonus, Qualification, QualificationRequest, Requester
from marketplace.qualification_tests.answers import read_answers_xml
from marketplace.services import accounts, hits, people, qualifications, requesting, reviewing, settling, working
from tests.marketplace.exams import MOVES, MOVES_KEY
from tests.marketplace.market import QUESTION, TYPE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]
NEW = TYPE | {"LifetimeInSeconds": 3600, "Question": QUESTION}


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Call all at the same moment, each in a thread; return what each gave, or its error."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return call()
        except (TesaError, MarketError) as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def sandbox() -> Requester:
    made = accounts.create_requester("Ada's lab", is_sandbox=True)
    Requester.objects.update(fresh_seconds=0, visible_seconds=0)
    made.refresh_from_db()
    return made


def test_the_last_assignment_goes_to_one_worker():
    hit, workers = hits.create_hit(sandbox(), NEW, now()), people.invent_workers(8)

    outcomes = at_once([lambda worker=worker: working.accept(worker, hit.hit_id) for worker in workers])

    assert sum(isinstance(outcome, Assignment) for outcome in outcomes) == 1
    stored = HIT.objects.get()
    assert (stored.available, stored.pending, stored.status) == (0, 1, "Unassignable")


def test_sixteen_spend_against_one_balance_and_never_a_cent_over():
    lab = sandbox()
    Requester.objects.update(balance_cents=5 * 60)

    outcomes = at_once([lambda: hits.create_hit(lab, NEW, now()) for _ in range(16)])

    assert sum(isinstance(outcome, HIT) for outcome in outcomes) == 5
    assert {outcome.code.rpartition(".")[2] for outcome in outcomes if isinstance(outcome, MarketError)} == {
        "InsufficientFunds"
    }
    lab.refresh_from_db()
    assert (lab.balance_cents, lab.on_hold_cents) == (0, 300)


def test_one_token_makes_one_hit_and_one_bonus():
    lab = sandbox()
    made = at_once([lambda: hits.create_hit(lab, NEW | {"UniqueRequestToken": "t"}, now()) for _ in range(6)])
    (hit,) = [outcome for outcome in made if isinstance(outcome, HIT)]
    taken = working.accept(people.invent_workers(1)[0], hit.hit_id)
    work = working.submit(taken.token, taken.assignment_id, [])
    bonus = {"worker_id": taken.worker.worker_id, "amount": "1", "reason": "r", "token": "b", "request_id": "q"}

    at_once([lambda: reviewing.send_bonus(lab, work.assignment_id, **bonus, now=now()) for _ in range(6)])

    assert HIT.objects.count() == Bonus.objects.count() == 1
    assert all(hit.hit_id in outcome.message for outcome in made if isinstance(outcome, MarketError))


def test_two_submits_and_a_return_at_the_same_moment_end_in_one_state():
    lab = sandbox()
    hit, worker = hits.create_hit(lab, NEW, now()), people.invent_workers(1)[0]
    taken = working.accept(worker, hit.hit_id)

    def submit() -> Any:
        return working.submit(taken.token, taken.assignment_id, [("a", "b")])

    at_once([submit, submit, lambda: working.give_back(worker, taken.assignment_id)])

    stored, row = HIT.objects.get(), Assignment.objects.get()
    expected = {"Submitted": (0, 0, 1), "Free": (1, 0, 0)}[row.state]
    assert (stored.available, stored.pending, stored.submitted) == expected


def test_reviews_and_settling_of_one_worker_do_not_wait_for_each_other_for_ever():
    lab, worker = sandbox(), people.invent_workers(1)[0]
    work = []
    for _ in range(6):
        taken = working.accept(worker, hits.create_hit(lab, NEW, now()).hit_id)
        work.append(working.submit(taken.token, taken.assignment_id, []))
    Assignment.objects.update(due_at=now())
    calls = [
        lambda assignment=assignment: reviewing.approve(lab, assignment.assignment_id, "", now(), override=False)
        for assignment in work
    ]

    at_once([*calls, *[lambda: settling.settle(lab, now())] * 3])

    lab.refresh_from_db()
    worker.refresh_from_db()
    assert (worker.approved, lab.on_hold_cents, lab.balance_cents) == (6, 0, 1_000_000 - 6 * 60)


def scored_type(lab: Requester) -> str:
    values = {"Name": "Moves", "Description": "Knows them", "QualificationTypeStatus": "Active"}
    test = {"Test": MOVES, "AnswerKey": MOVES_KEY, "TestDurationInSeconds": 600}
    return qualifications.create_type(lab, values | test, now()).type_id


def test_eight_who_start_and_send_one_test_at_the_same_moment_make_one_request_and_one_grant():
    worker, kind = people.invent_workers(1)[0], scored_type(sandbox())

    begun = at_once([lambda: requesting.request_qualification(worker, kind)] * 8)
    fields = [{"q1": [move], "q2": ["apples"]} for move in "CDCDCDCD"]
    taken = at_once([lambda sent=sent: requesting.submit_test(worker, begun[0].request_id, sent) for sent in fields])

    (request,), (held,) = QualificationRequest.objects.all(), Qualification.objects.all()
    assert {outcome.pk for outcome in (*begun, *taken)} == {request.pk}
    assert request.state == "Granted"
    assert {outcome.value for outcome in taken} == {request.value} == {held.value}
    assert read_answers_xml(request.answer)["nextmove"].selected == (("D",) if held.value == 100 else ("C",))


def test_a_test_that_is_sent_while_its_type_is_deleted_ends_in_one_state():
    lab, worker = sandbox(), people.invent_workers(1)[0]
    kind = scored_type(lab)
    begun = requesting.request_qualification(worker, kind)
    fields = {"q1": ["D"], "q2": ["apples"]}

    at_once(
        [
            lambda: requesting.submit_test(worker, begun.request_id, fields),
            lambda: qualifications.delete_type(lab, kind, now()),
        ]
    )

    begun.refresh_from_db()
    assert begun.type.deleted_at
    assert (begun.state == "Granted") == Qualification.objects.exists()
