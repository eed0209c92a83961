"""Pay, which happens outside the application: late answers, payments made, and how people want to be paid."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Round

from annotation.models import (
    Assignment,
    AssignmentStatus,
    LateChoice,
    LateDecision,
    Participation,
    Payment,
    PaymentDetail,
    Task,
)
from annotation.selectors import payments as selectors
from annotation.services import doubts
from annotation.services.assigning import lock_tasks
from annotation.services.excluding import count_again, lock_person, reason_in
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json, money, storable

LONGEST_DETAIL = 500  # characters
DETAIL_DAYS = 30  # from the last payment to the erasure of a payment detail
# Which decisions may follow an earlier one: what was paid is never taken back.
MAY_FOLLOW: dict[str, tuple[LateChoice, ...]] = {
    "": tuple(LateChoice),
    LateChoice.DECLINE: (LateChoice.PAY, LateChoice.COUNT),
    LateChoice.PAY: (LateChoice.COUNT,),
    LateChoice.COUNT: (),
}


# ---- Late answers


@transaction.atomic(durable=True)
def decide_late(assignment_id: int, choice: LateChoice, *, reason: str = "", by: User | None) -> Assignment:
    """Count and pay a late answer, only pay it, or decline it with a reason. Repeating a decision has no effect."""
    reason = reason_in(reason) if choice == LateChoice.DECLINE else ""
    person = lock_person(Assignment.objects.values_list("participation_id", flat=True).get(pk=assignment_id))
    rows = Assignment.objects.select_related("task", "campaign").select_for_update(of=("self",))
    turn = rows.get(pk=assignment_id)
    made = LateDecision.objects.filter(assignment=turn).first()
    before = made.choice if made else ""
    if before == choice:
        return turn
    if choice not in MAY_FOLLOW[before]:
        raise WrongState("This answer has already been paid, which cannot be undone here.")
    if turn.status != AssignmentStatus.LATE:
        raise WrongState("There is nothing to decide: this answer is not late.")
    _pay_late(person, turn, choice)
    decided = {"choice": choice, "reason": reason, "decided_by": by, "decided_at": now()}
    LateDecision.objects.update_or_create(assignment=turn, defaults=decided)
    after: Json = {"decision": choice.value, "reward": str(turn.reward)}
    audit.record("decide late answer", turn, by=by, reason=reason, before={"decision": before}, after=after)
    return turn


def _pay_late(person: Participation, turn: Assignment, choice: LateChoice) -> None:
    if choice == LateChoice.DECLINE:
        return
    reward = person.campaign.reward
    person.earned += reward - turn.reward
    person.save(update_fields=["earned"])
    turn.reward = reward
    turn.status = AssignmentStatus.SUBMITTED if choice == LateChoice.COUNT else turn.status
    turn.save(update_fields=["status", "reward"])
    if choice == LateChoice.PAY:
        return
    if turn.task.is_gold:
        Task.objects.filter(pk=turn.task_id).update(answers=F("answers") + 1)
    elif not person.excluded_at:
        lock_tasks([turn.task_id])
        count_again([turn.task_id])
        doubts.forget_scores([turn.task_id])


# ---- Marks


def add_payment(participation_id: int, amount: Decimal, paid_on: date, *, by: User | None = None) -> Payment:
    """Store a payment and add it to what the person was paid; a negative amount takes one back."""
    add_money(participation_id, paid=amount)
    return Payment.objects.create(participation_id=participation_id, amount=amount, paid_on=paid_on, marked_by=by)


def add_money(participation_id: int, **amounts: Decimal) -> None:
    """Add these amounts to what a person has `earned` or was `paid`."""
    sums = {name: Round(F(name) + amount, 2) for name, amount in amounts.items()}  # SQLite adds floating-point numbers
    Participation.objects.filter(pk=participation_id).update(**sums)


@transaction.atomic(durable=True)
def mark_paid(participation_id: int, *, amount: Decimal, paid_on: date, by: User | None) -> Payment | None:
    """Record that one person was paid what they are owed; None if nothing is owed, as on a second click.

    `amount` is what the page showed. If it has changed since, nothing is recorded.
    """
    if paid_on > now().date():
        raise InvalidInput("this day is in the future", field="paid_on")
    person = lock_person(participation_id)
    owed = selectors.owed_to(person)
    if not owed:
        return None
    if owed != amount:
        now_owed = money(owed, person.campaign.currency)
        raise WrongState(f"The amount has changed: {now_owed} is owed now. Check it again.")
    payment = add_payment(person.pk, amount, paid_on, by=by)
    audit.record("mark as paid", person, by=by, after={"amount": str(amount), "paid on": paid_on.isoformat()})
    return payment


@transaction.atomic(durable=True)
def cancel_payment(payment_id: int, *, by: User | None) -> Payment:
    """Undo a payment that was recorded by mistake: the amount is owed again. Repeating it has no effect."""
    person = lock_person(Payment.objects.values_list("participation_id", flat=True).get(pk=payment_id))
    cancelled = Payment.objects.filter(pk=payment_id, cancelled_at=None).update(cancelled_at=now(), cancelled_by=by)
    payment = Payment.objects.get(pk=payment_id)
    if cancelled:
        add_money(person.pk, paid=-payment.amount)
        audit.record("cancel payment", person, by=by, before={"amount": str(payment.amount)})
    return payment


# ---- Payment details


@transaction.atomic(durable=True)
def save_detail(secret: str, text: str) -> bool:
    """Store how an invited person wants to be paid; an empty text erases it. Return whether a text is stored now."""
    person = Participation.objects.select_related("worker").select_for_update(of=("self",)).get(secret=secret)
    if not selectors.may_leave_detail(person):
        raise WrongState("Payment details are only for invited people who have something to be paid.")
    text = storable(text).strip()
    if len(text) > LONGEST_DETAIL:
        raise InvalidInput(f"use at most {LONGEST_DETAIL} characters", field="detail")
    PaymentDetail.objects.filter(participation=person).delete()
    if text:
        PaymentDetail.objects.create(participation=person, text=text)
    return bool(text)


def erase_paid_details() -> int:
    """Erase the payment details of people who were paid in full 30 days ago; return how many."""
    return selectors.details_to_erase(now() - timedelta(days=DETAIL_DAYS)).delete()[0]
