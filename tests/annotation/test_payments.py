"""What people are owed: late answers decided, and payments marked."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotation.models import Assignment, Campaign, LateChoice, LateDecision, Participation, Payment, Worker
from annotation.selectors import payments as selectors
from annotation.selectors.payment_totals import PageTotals, Totals, page_totals
from annotation.services import joining, leaving, payments
from annotation.services.excluding import exclude
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import AuditEntry, User
from kernel.roles import Role
from tests.annotation.researching import allow_to_pay
from tests.annotation.test_people_decisions import balanced, counters, late_answer
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
REWARD = Decimal("0.30")


def late_turn() -> Assignment:
    return late_answer(make_campaign(size=1, redundancy=1, reward=REWARD))


def earned(turn: Assignment) -> Decimal:
    return Participation.objects.get(pk=turn.participation_id).earned


# ---- Late answers


def test_a_late_answer_is_counted_and_paid_once():
    turn = late_turn()

    for _ in range(2):
        payments.decide_late(turn.pk, LateChoice.COUNT, by=None)

    assert counters() == [(2, 0, 2)]
    assert balanced()
    turn.refresh_from_db()
    assert (turn.status, turn.reward, earned(turn)) == ("submitted", REWARD, REWARD)
    assert AuditEntry.objects.filter(action="decide late answer").count() == 1


def test_a_late_answer_can_be_paid_without_counting_and_be_counted_afterwards():
    turn = late_turn()

    payments.decide_late(turn.pk, LateChoice.PAY, by=None)
    assert (counters(), earned(turn)) == ([(1, 0, 1)], REWARD)

    payments.decide_late(turn.pk, LateChoice.COUNT, by=None)
    assert (counters(), earned(turn)) == ([(2, 0, 2)], REWARD)
    with pytest.raises(WrongState, match="has already been paid"):
        payments.decide_late(turn.pk, LateChoice.DECLINE, reason="no", by=None)


def test_declining_needs_a_reason_that_the_person_can_read(client: Client):
    turn = late_turn()
    with pytest.raises(InvalidInput, match="enter a reason"):
        payments.decide_late(turn.pk, LateChoice.DECLINE, by=None)

    payments.decide_late(turn.pk, LateChoice.DECLINE, reason="sent twice by another account", by=make_user())

    mine = client.get(f"/task/{turn.participation.secret}/mine/").content.decode()
    assert "is not paid: sent twice by another account" in mine
    assert earned(turn) == 0
    payments.decide_late(turn.pk, LateChoice.PAY, by=None)  # a decline can be mended
    assert earned(turn) == REWARD


def test_nothing_is_decided_about_an_answer_that_came_in_time():
    annotation = make_answer(make_participation(make_campaign(reward=REWARD)))

    with pytest.raises(WrongState, match="nothing to decide"):
        payments.decide_late(annotation.assignment_id, LateChoice.PAY, by=None)


def test_late_answers_are_decided_on_the_payments_page(payer: Client):
    turn = late_turn()
    page = shown(payer.get(f"/campaigns/{turn.campaign_id}/payments/"))
    assert "Late answers to decide" in page

    refused = payer.post(f"/campaigns/late/{turn.pk}/decide/", {"choice": "decline"})
    assert refused.status_code == 422
    assert "Enter a reason" in shown(refused)
    payer.post(f"/campaigns/late/{turn.pk}/decide/", {"choice": "decline", "reason": "copied"})

    page = shown(payer.get(f"/campaigns/{turn.campaign_id}/payments/"))
    assert "Late answers to decide" not in page
    assert "Decline: copied" in page
    decision = LateDecision.objects.get()
    assert (decision.choice, decision.decided_by) == ("decline", User.objects.get(username="ben"))


def test_an_excluded_person_s_late_answer_is_paid_and_the_page_says_that_it_does_not_count(payer: Client):
    turn = late_turn()
    exclude(turn.participation_id, reason="too fast", by=None)

    page = payer.post(f"/campaigns/late/{turn.pk}/decide/", {"choice": "count"}, follow=True).content.decode()

    assert "The answer is paid. It does not count: the person is excluded." in page
    assert balanced()


def test_a_person_who_withdraws_takes_the_decisions_about_their_texts_along():
    turn = late_turn()
    payments.decide_late(turn.pk, LateChoice.DECLINE, reason="quotes the text", by=None)

    leaving.withdraw(turn.participation.secret)

    assert not LateDecision.objects.exists()


# ---- Marks


def paid_campaign() -> Campaign:
    """Make a campaign of a panel in which ann gave two answers and bob one."""
    settings = {"preset": "prolific", "codes": {"completed": "C1"}}
    campaign = make_campaign(size=4, reward=REWARD, provider="panel", provider_settings=settings)
    for name, answers in (("ann", 2), ("bob", 1)):
        worker = Worker.objects.create(provider="panel", external_id=f"PID-{name}")
        person = joining.join(campaign, worker, arrival={"session": "one"})
        joining.consent(person.secret, signals=False)
        joining.read_instructions(person.secret)
        for _ in range(answers):
            make_answer(person)
    return campaign


def people_of(campaign: Campaign) -> list[selectors.PayRow]:
    return selectors.pay_rows(selectors.people_to_pay(campaign))


def owed(campaign: Campaign) -> list[Decimal]:
    return [row.owed for row in people_of(campaign)]


def mark(payer: Client, campaign: Campaign, *rows: selectors.PayRow, day: str = "2026-01-05") -> Any:
    people = [f"{row.person.pk} {row.owed}" for row in rows]
    return payer.post(f"/campaigns/{campaign.pk}/payments/mark/", {"person": people, "paid_on": day}, follow=True)


def test_people_are_marked_as_paid_with_the_day_and_by_whom(payer: Client):
    campaign = paid_campaign()
    ann, bob = people_of(campaign)

    assert '>Due <span class="pill">2</span>' in shown(payer.get(f"/campaigns/{campaign.pk}/payments/"))
    page = shown(mark(payer, campaign, ann, bob))

    assert "2 people are marked as paid." in page
    assert '>Due <span class="pill">0</span>' in page
    assert '>Paid <span class="pill">2</span>' in page
    assert '$0.60 on 5 Jan 2026 <span class="muted">by ben</span>' in page
    assert owed(campaign) == [0, 0]
    assert AuditEntry.objects.filter(action="mark as paid").count() == 2


def test_marking_twice_pays_once_and_later_work_is_owed_on_its_own(payer: Client):
    campaign = paid_campaign()
    ann = people_of(campaign)[0]
    mark(payer, campaign, ann)

    assert "Nothing was owed." in mark(payer, campaign, ann).content.decode()

    make_answer(Participation.objects.get(pk=ann.person.pk))
    assert sorted(owed(campaign)) == [REWARD, REWARD]
    assert Payment.objects.count() == 1


def test_an_amount_that_has_changed_since_the_page_was_loaded_is_not_marked(payer: Client):
    campaign = paid_campaign()
    ann = people_of(campaign)[0]
    make_answer(Participation.objects.get(pk=ann.person.pk))

    page = mark(payer, campaign, ann)

    assert page.status_code == 409
    assert "$0.90 is owed now" in page.content.decode()
    assert not Payment.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"person": ["x y", "9 nine"], "paid_on": "2026-01-05"}, "Tick at least one person"),
        ({"person": [], "paid_on": "yesterday"}, "Enter the day in the form"),
    ],
)
def test_a_form_that_is_not_filled_in_is_explained(payer: Client, form: dict[str, Any], sentence: str):
    campaign = paid_campaign()

    page = payer.post(f"/campaigns/{campaign.pk}/payments/mark/", form)

    assert (page.status_code, sentence in page.content.decode()) == (422, True)


def test_nobody_is_paid_in_the_future(payer: Client):
    campaign = paid_campaign()
    ann = people_of(campaign)[0]

    page = mark(payer, campaign, ann, day=(now().date() + timedelta(days=2)).isoformat())

    assert "This day is in the future." in page.content.decode()


def test_a_mark_made_by_mistake_is_undone_and_stays_in_the_trail(payer: Client):
    campaign = paid_campaign()
    ann = people_of(campaign)[0]
    mark(payer, campaign, ann)
    payment = Payment.objects.get()

    for _ in range(2):
        payer.post(f"/campaigns/payments/{payment.pk}/cancel/")

    assert owed(campaign) == [Decimal("0.60"), REWARD]
    payment.refresh_from_db()
    assert payment.cancelled_at is not None
    assert AuditEntry.objects.filter(action="cancel payment").count() == 1


def test_what_somebody_was_paid_is_to_the_cent_the_sum_of_the_payments_that_stand():
    person = make_participation(make_campaign(reward=REWARD))
    made = [payments.add_payment(person.pk, Decimal(cents) / 100, date(2026, 1, 5)) for cents in (10, 10, 10, 25, -10)]
    payments.cancel_payment(made[3].pk, by=None)
    payments.cancel_payment(made[3].pk, by=None)

    assert Participation.objects.get(paid=Decimal("0.20")) == person
    payments.add_payment(person.pk, Decimal("-0.20"), date(2026, 1, 6))
    assert Participation.objects.get(paid=0) == person, (
        "nothing is left of adding and subtracting floating-point numbers"
    )


def test_the_file_has_the_ids_at_the_provider_and_what_is_owed(payer: Client):
    campaign = paid_campaign()
    Worker.objects.filter(external_id="PID-bob").update(external_id="=1+1")
    person = Participation.objects.get(worker__external_id="PID-ann")
    joining.join(campaign, person.worker, arrival={"session": "two"})
    mark(payer, campaign, people_of(campaign)[0])

    answer = payer.get(f"/campaigns/{campaign.pk}/payments/payments.csv")

    text = b"".join(answer).decode("utf-8-sig")
    rows = {row["participant"]: row for row in csv.DictReader(io.StringIO(text))}
    ann = rows["PID-ann"]
    assert [ann[name] for name in ("visits", "answers", "late_to_decide", "earned", "paid", "owed")] == [
        "2", "2", "0", "0.60", "0.60", "0.00",
    ]  # fmt: skip
    assert (ann["last_paid_on"], ann["marked_by"]) == ("2026-01-05", "ben")
    assert "'=1+1" in rows


@pytest.mark.parametrize("show", ["", *selectors.SHOW])
def test_totals_are_the_sums_of_the_rows_of_each_filter(show: str):
    campaign = make_campaign(reward=REWARD, redundancy=9)
    people = [make_participation(campaign, name) for name in "abcdefg"]
    for number, person in enumerate(people):
        for _ in range(2):
            make_answer(person)
        earned = Decimal(0) if number in (4, 5) else Decimal(number + 1)
        Participation.objects.filter(pk=person.pk).update(earned=earned)
    paid = {0: "1.00", 1: "0.50", 2: "9.00", 4: "0.25", 6: "1.00"}  # all, half, too much, without earning, and:
    for number, amount in paid.items():
        payments.add_payment(people[number].pk, Decimal(amount), date(2026, 1, 5))
    payments.cancel_payment(payments.add_payment(people[3].pk, Decimal(1), date(2026, 1, 5)).pk, by=None)
    Worker.objects.filter(pk=people[6].worker_id).update(provider="simulation")
    Assignment.objects.filter(participation__in=[people[1], people[5]]).update(status="late")

    rows = selectors.pay_rows(selectors.people_to_pay(campaign, selectors.PayFilters(show)))
    totals = page_totals(campaign, show)
    sums = totals.shown

    assert rows
    assert totals.everybody == page_totals(campaign).shown
    assert not show or totals.numbers[show] == len(rows)
    assert sums == Totals(
        people=len(rows),
        answers=sum(row.person.answered for row in rows),
        earned=sum((Decimal(row.person.earned) for row in rows), Decimal(0)),
        paid=sum((row.paid for row in rows), Decimal(0)),
    )
    assert sums.owed == sum(row.owed for row in rows)


def test_people_who_are_owed_the_same_are_listed_in_the_order_in_which_they_joined():
    campaign = make_campaign(reward=REWARD)
    for number, (earned, paid) in enumerate([("0.30", "0.20"), ("0.10", "0"), ("0.40", "0.10")]):
        person = make_participation(campaign, f"person {number}")
        Participation.objects.filter(pk=person.pk).update(earned=Decimal(earned), paid=Decimal(paid))

    assert [(row.person.number, row.owed) for row in people_of(campaign)] == [
        (3, Decimal("0.30")), (1, Decimal("0.10")), (2, Decimal("0.10")),
    ]  # fmt: skip


def test_simulated_participants_are_owed_nothing():
    campaign = make_campaign(reward=REWARD)
    person = make_participation(campaign)
    Worker.objects.filter(pk=person.worker_id).update(provider="simulation")
    make_answer(person)

    assert owed(campaign) == []
    assert page_totals(campaign) == PageTotals(Totals(), Totals(), {"due": 0, "paid": 0, "late": 0})


def test_somebody_who_leaves_a_panel_early_is_paid_for_what_is_kept(client: Client):
    settings = {"preset": "prolific", "codes": {"completed": "C1"}}
    campaign = make_campaign(size=4, reward=REWARD, per_person=3, provider="panel", provider_settings=settings)
    client.get(f"/task/panel/{campaign.slug}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=t")
    person = Participation.objects.get()
    joining.consent(person.secret, signals=False)
    joining.read_instructions(person.secret)
    make_answer(person)

    asked = client.get(f"/task/{person.secret}/finish/").content.decode()
    client.post(f"/task/{person.secret}/finish/")

    assert "your answers are kept and you are paid for them" in asked
    (row,) = people_of(campaign)
    assert (row.participant, row.owed, row.ended) == ("p1", REWARD, "stopped early")


def test_a_panel_campaign_shows_what_its_study_is_set_up_with(researcher: Client):
    settings = {"preset": "prolific", "codes": {"completed": "C1"}}
    campaign = make_campaign(size=10, reward=REWARD, per_person=5, provider="panel", provider_settings=settings)

    page = researcher.get(f"/campaigns/{campaign.pk}/").content.decode()

    assert "<dt>Places</dt><dd>6</dd>" in page
    assert "$1.50 for 5 answers" in page


# ---- Who may pay


def test_no_role_may_see_payments_but_whoever_was_given_the_permission(client: Client):
    campaign = paid_campaign()
    url = f"/campaigns/{campaign.pk}/payments/"
    ada = make_user("ada", Role.ADMINISTRATOR)
    client.force_login(ada)
    assert client.get(url).status_code == 403
    assert url not in client.get(f"/campaigns/{campaign.pk}/").content.decode()

    allow_to_pay(ada)

    assert client.get(url).status_code == 200
    assert url in client.get(f"/campaigns/{campaign.pk}/").content.decode()


def test_an_administrator_gives_the_permission_to_one_person_and_it_is_audited(client: Client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    ben = make_user("ben")
    page = client.get(f"/admin/kernel/user/{ben.pk}/change/").content.decode()
    assert "Can see what people are owed and mark it as paid" in page
    pay = Permission.objects.get(codename="pay", content_type__app_label="annotation")
    form = {"username": "ben", "groups": [group.pk for group in ben.groups.all()], "is_active": "on"}

    client.post(f"/admin/kernel/user/{ben.pk}/change/", {**form, "user_permissions": [pay.pk]})

    assert User.objects.get(pk=ben.pk).has_perm("annotation.pay")
    entry = AuditEntry.objects.get(action="set permissions")
    assert (entry.actor_name, entry.after) == ("ada", ["pay"])


def test_a_permission_that_belongs_to_a_role_cannot_be_given_to_one_person():
    cleo = make_user("cleo", Role.ANNOTATOR)
    cleo.user_permissions.add(Permission.objects.get(codename="view_campaign"))

    assert not User.objects.get(pk=cleo.pk).has_perm("annotation.view_campaign")
