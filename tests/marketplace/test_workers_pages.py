"""What workers read about blocks and reviews."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from kernel.clock import now
from marketplace.models import Assignment, Worker
from marketplace.services import people, reviewing, working
from tests.marketplace.test_site import HTML, publish
from tests.marketplace.test_site import cleo as cleo
from tests.marketplace.test_site import lab as lab

pytestmark = pytest.mark.django_db


def submitted(worker: Worker, lab: Any) -> Assignment:
    taken = working.accept(worker, publish(lab).hit_id)
    return working.submit(taken.token, taken.assignment_id, [("phrase", "cities")])


def reject(lab: Any, work: Assignment) -> None:
    reviewing.reject(lab, work.assignment_id, "Not a phrase.", work.visible_at or now())


def text_of(client: Client, address: str) -> str:
    """Return a page with its white space as a browser shows it."""
    return " ".join(client.get(address).content.decode().split())


@pytest.mark.parametrize("address", ["groups/{group}/", "html/{hit}/", "groups/{group}/accept/"])
def test_a_blocked_worker_can_neither_preview_nor_accept_and_reads_why(client, cleo, lab, address):
    hit = publish(lab, Question=HTML)
    people.block(lab, cleo.worker_id, "spam", now())
    path = "/marketplace/" + address.format(group=hit.hit_type.group_id, hit=hit.hit_id)

    answer = client.post(path) if "accept" in path else client.get(path)

    assert answer.status_code == 403
    assert "This requester has blocked you, so you cannot preview or accept their HITs." in answer.content.decode()
    assert "spam" not in answer.content.decode()


def test_a_worker_who_was_blocked_at_work_may_finish(client, cleo, lab):
    hit = publish(lab, Question=HTML)
    held = working.accept(cleo, hit.hit_id)
    people.block(lab, cleo.worker_id, "spam", now())

    assert client.get(f"/marketplace/work/{held.assignment_id}/").status_code == 200
    assert client.get(f"/marketplace/html/{hit.hit_id}/").status_code == 200


@pytest.mark.parametrize(
    ("is_approved", "frame", "page"),
    [
        (False, "It was rejected, so nothing was paid.", ", so nothing was paid. They wrote: “Not a phrase.”"),
        (True, "and it was approved.", "You earned $0.50 in play money."),
    ],
)
def test_a_submit_after_the_review_says_what_became_of_the_hit(client, cleo, lab, is_approved, frame, page):
    work = submitted(cleo, lab)
    if is_approved:
        reviewing.approve(lab, work.assignment_id, None, work.visible_at or now(), override=False)
    else:
        reject(lab, work)

    address = f"/marketplace/submit/{work.token}/mturk/externalSubmit"
    answer = client.post(address, {"assignmentId": work.assignment_id, "phrase": "towns"})

    shown = " ".join(answer.content.decode().split())
    assert answer.status_code == 200
    assert frame in shown
    assert "What you sent now was not saved." in shown
    assert "Your answer was saved" not in shown
    done = text_of(client, f"/marketplace/work/{work.assignment_id}/")
    assert page in done
    assert "the requester does not review it" not in done


def test_a_rejected_hit_shows_that_nothing_was_paid(client, cleo, lab):
    reject(lab, submitted(cleo, lab))

    dashboard = text_of(client, "/marketplace/dashboard/")

    assert "$0.50 was not paid" in dashboard
    assert '<span class="number">$0.00</span>' in dashboard
    assert '<span class="number">$0.50</span>' not in dashboard
