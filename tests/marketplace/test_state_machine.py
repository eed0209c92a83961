"""Random calls and worker actions, held against a small model of states, counters and balance."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from kernel import clock
from kernel.errors import TesaError
from marketplace.api import OPERATIONS
from marketplace.api.calls import Call
from marketplace.errors import MarketError
from marketplace.models import HIT, Movement, Requester, Worker
from marketplace.services import accounts, people, settling, working
from tests.marketplace.market import QUESTION, TYPE

START = datetime(2026, 3, 4, 12, tzinfo=UTC)
DURATION, AUTO, FIRST = 600, 3600, 2_000  # seconds to submit, seconds to automatic approval, cents at first
numbers = strategies.integers


@dataclass
class Work:
    """One worker's place in a HIT."""

    worker: Worker
    row: Any
    state: str = "Accepted"
    due: int = 0
    submitted: int = 0


@dataclass
class Model:
    """A HIT as the protocol describes it."""

    hit_id: str
    places: int
    price: int
    expires: int
    asked: int | None = None
    is_deleted: bool = False
    is_expired: bool = False
    is_reviewing: bool = False
    work: list[Work] = field(default_factory=list)

    def count(self, *states: str) -> int:
        return sum(work.state in states for work in self.work)

    @property
    def available(self) -> int:
        return self.places - self.count("Accepted", "Submitted", "Approved", "Rejected")

    @property
    def status(self) -> str:
        if self.is_deleted:
            return "Disposed"
        if self.available and not self.is_expired:
            return "Assignable"
        if self.count("Accepted"):
            return "Unassignable"
        return "Reviewing" if self.is_reviewing else "Reviewable"

    @property
    def locked(self) -> int:
        is_open = not (self.is_expired or self.is_deleted)
        return self.price * (self.count("Accepted", "Submitted") + (self.available if is_open else 0))

    def settle(self, now: int) -> None:
        for work in self.work:
            if work.state == "Accepted" and work.due <= now:
                work.state = "Gone"
            elif work.state == "Submitted" and work.due <= now:
                work.state = "Approved"
        self.is_expired = self.is_expired or self.expires <= now
        if self.status not in ("Reviewable", "Reviewing"):
            self.is_reviewing = False


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.requester = accounts.create_requester("Ada's lab", is_sandbox=True)
        cents = {"balance_cents": FIRST, "fresh_seconds": 0, "visible_seconds": 0}
        Requester.objects.filter(pk=self.requester.pk).update(**cents)
        Movement.objects.filter(requester=self.requester).update(cents=FIRST)
        self.workers = people.invent_workers(3)
        self.hits: list[Model] = []
        self.now = self.paid = 0

    # ---- Doing it, and expecting it ----

    def call(self, operation: str, expected: str, **parameters: Any) -> Any:
        """Call an operation and compare its TurkErrorCode ("" = success) with the model's."""
        self.requester.refresh_from_db()
        moment = accounts.time_of(self.requester)
        settling.settle(self.requester, moment)
        code, answer = "", cast("Any", {})
        try:
            answer = OPERATIONS[operation](Call(self.requester, operation, parameters, "r", moment))
        except MarketError as error:
            code = error.code.rpartition(".")[2]
        assert code == expected, (operation, parameters, code, expected)
        return answer

    def can_pay(self, cents: int) -> bool:
        approved = sum(hit.price * hit.count("Approved") for hit in self.hits)
        return cents <= FIRST - self.paid - approved - sum(hit.locked for hit in self.hits)

    def hit(self, number: int) -> Model:
        return self.hits[number % len(self.hits)]

    def some(self, number: int) -> Work | None:
        every = [work for hit in self.hits for work in hit.work if work.state != "Gone"]
        return every[number % len(every)] if every else None

    def hit_of(self, work: Work) -> Model:
        return next(hit for hit in self.hits if work in hit.work)

    # ---- What can happen ----

    @rule(places=numbers(1, 4), reward=numbers(1, 300), lifetime=numbers(30, 5000))
    def create_hit(self, places: int, reward: int, lifetime: int) -> None:
        price = reward + max(1, (reward * 20 + 50) // 100)
        expected = "" if self.can_pay(price * places) else "InsufficientFunds"
        parameters = TYPE | {"Reward": f"{reward / 100:.2f}", "AutoApprovalDelayInSeconds": AUTO}
        parameters |= {"LifetimeInSeconds": lifetime, "Question": QUESTION, "MaxAssignments": places}
        answer = self.call("CreateHIT", expected, **parameters)
        if not expected:
            self.hits.append(Model(answer["HIT"]["HITId"], places, price, self.now + lifetime))

    @precondition(lambda self: self.hits)
    @rule(number=numbers(0, 99), who=numbers(0, 2))
    def accept(self, number: int, who: int) -> None:
        hit, worker = self.hit(number), self.workers[who]
        mine = [work for work in hit.work if work.worker == worker and work.state != "Gone"]
        is_fine = any(work.state == "Accepted" for work in mine) or (hit.status == "Assignable" and not mine)
        try:
            row = working.accept(worker, hit.hit_id)
        except TesaError:
            assert not is_fine
            return
        assert is_fine
        if not mine:
            hit.work.append(Work(worker, row, due=self.now + DURATION))

    @rule(number=numbers(0, 99))
    def submit(self, number: int) -> None:
        if work := self.some(number):
            working.submit(work.row.token, work.row.assignment_id, [("a", "b")])
            if work.state == "Accepted":
                work.state, work.due, work.submitted = "Submitted", self.now + AUTO, self.now

    @rule(number=numbers(0, 99))
    def give_back(self, number: int) -> None:
        work = self.some(number)
        if work and work.state == "Accepted":
            working.give_back(work.worker, work.row.assignment_id)
            work.state = "Gone"

    @rule(number=numbers(0, 99), override=strategies.booleans())
    def approve(self, number: int, override: bool) -> None:
        work = self.some(number)
        if work is None:
            return
        hit, expected = self.hit_of(work), "InvalidAssignmentState"
        if work.state == "Submitted":
            expected = ""
        elif work.state == "Rejected" and override:
            expected = "InvalidHITState" if hit.is_deleted else "" if self.can_pay(hit.price) else "InsufficientFunds"
        self.call("ApproveAssignment", expected, AssignmentId=work.row.assignment_id, OverrideRejection=override)
        if not expected:
            work.state = "Approved"

    @rule(number=numbers(0, 99))
    def reject(self, number: int) -> None:
        if work := self.some(number):
            expected = "" if work.state == "Submitted" else "InvalidAssignmentState"
            self.call("RejectAssignment", expected, AssignmentId=work.row.assignment_id, RequesterFeedback="")
            if not expected:
                work.state = "Rejected"

    @rule(number=numbers(0, 99), cents=numbers(1, 500))
    def send_bonus(self, number: int, cents: int) -> None:
        work = self.some(number)
        if work is None or work.state == "Accepted":
            return
        price = cents + max(1, (cents * 20 + 50) // 100)
        expected = "" if self.can_pay(price) else "InsufficientFunds"
        parameters = {"WorkerId": work.worker.worker_id, "AssignmentId": work.row.assignment_id, "Reason": "r"}
        self.call("SendBonus", expected, **parameters, BonusAmount=f"{cents / 100:.2f}")
        self.paid += 0 if expected else price

    @precondition(lambda self: self.hits)
    @rule(number=numbers(0, 99), more=numbers(1, 9))
    def add_assignments(self, number: int, more: int) -> None:
        hit, expected = self.hit(number), ""
        if hit.is_deleted:
            expected = "InvalidHITState"
        elif hit.places + more >= 10:
            expected = "InvalidMaximumAssignmentsIncrease"
        elif not hit.is_expired and not self.can_pay(hit.price * more):
            expected = "InsufficientFunds"
        parameters = {"HITId": hit.hit_id, "NumberOfAdditionalAssignments": more}
        self.call("CreateAdditionalAssignmentsForHIT", expected, **parameters)
        if not expected:
            hit.places += more
            hit.settle(self.now)

    @precondition(lambda self: self.hits)
    @rule(number=numbers(0, 99), ahead=numbers(-100, 4000))
    def expire_or_extend(self, number: int, ahead: int) -> None:
        hit, at, expected = self.hit(number), self.now + ahead, ""
        if hit.is_deleted:
            expected = "InvalidHITState"
        elif hit.asked == at:
            expected = "DuplicateCall"
        elif ahead > 0 and not hit.is_expired and at < hit.expires:
            expected = "InvalidParameterValue"
        elif ahead > 0 and hit.is_expired and not self.can_pay(hit.price * hit.available):
            expected = "InsufficientFunds"
        self.call("UpdateExpirationForHIT", expected, HITId=hit.hit_id, ExpireAt=START + timedelta(seconds=at))
        if not expected:
            hit.asked, hit.is_expired = at, ahead <= 0
            hit.expires = max(at, self.now)
            hit.settle(self.now)

    @precondition(lambda self: self.hits)
    @rule(number=numbers(0, 99), revert=strategies.booleans())
    def mark_reviewing(self, number: int, revert: bool) -> None:
        hit = self.hit(number)
        expected = "" if hit.status == ("Reviewing" if revert else "Reviewable") else "InvalidHITState"
        self.call("UpdateHITReviewStatus", expected, HITId=hit.hit_id, Revert=revert)
        if not expected:
            hit.is_reviewing = not revert

    @precondition(lambda self: self.hits)
    @rule(number=numbers(0, 99))
    def delete_hit(self, number: int) -> None:
        hit = self.hit(number)
        is_fine = hit.status in ("Reviewable", "Reviewing") and not hit.count("Submitted")
        self.call("DeleteHIT", "" if is_fine else "InvalidHITState", HITId=hit.hit_id)
        hit.is_deleted = hit.is_deleted or is_fine

    @rule(seconds=numbers(1, 5000))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        accounts.configure_sandbox(self.requester.pk, clock_offset_seconds=self.now)
        self.requester.refresh_from_db()
        settling.settle(self.requester, accounts.time_of(self.requester))
        for hit in self.hits:
            hit.settle(self.now)

    # ---- What always holds ----

    @invariant()
    def rows_agree_with_the_model(self) -> None:
        rows = {hit.hit_id: hit for hit in HIT.objects.filter(requester=self.requester)}
        for model in self.hits:
            hit = rows[model.hit_id]
            counts = (hit.available, hit.pending, hit.submitted, hit.completed)
            assert counts == (
                model.available, model.count("Accepted"), model.count("Submitted"), model.count("Approved", "Rejected"),
            )  # fmt: skip
            assert (hit.status, hit.locked_cents) == (model.status, model.locked)
        spent = self.paid + sum(hit.price * hit.count("Approved") for hit in self.hits)
        held = sum(hit.locked for hit in self.hits)
        self.requester.refresh_from_db()
        assert (self.requester.balance_cents, self.requester.on_hold_cents) == (FIRST - spent - held, held)
        assert sum(self.requester.movements.values_list("cents", flat=True)) == self.requester.balance_cents


@pytest.mark.django_db
def test_no_order_of_calls_breaks_states_counters_or_balance():
    with clock.at(START):
        run_state_machine_as_test(Machine, settings=settings(max_examples=12, stateful_step_count=30, deadline=None))
