"""Every address of the team, tried with and without the right to spend: only people who have it move money.

The addresses come from the URL configuration. What a page or an API endpoint decides is carried out by `follow`, which
is all that jobs and the scheduler can do, with a marketplace that notes every call and carries out none.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Campaign, Difference, LedgerEntry, Participation, Placement, Posting, ProblemReport
from annotation.providers.base import NotSent
from annotation.providers.mturk.client import Client as Boto
from annotation.selectors import wages
from annotation.selectors.costs import price_of_campaign
from annotation.services import excluding
from annotation.services.market import following, ledger, marketplaces, publishing, reconciling
from annotation.views.campaign_steps import STEPS
from annotation.views.market import ACTIONS
from annotation.views.participants import DECISIONS
from kernel.clock import now
from kernel.models import User
from tests.annotation.describing import SMALLEST, make_description
from tests.annotation.mturk import HITS, allow_to_spend, quiet
from tests.annotation.researching import allow_to_pay
from tests.make import make_answer, make_campaign, make_job, make_participation, make_release, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# Rooms whose addresses cannot lead to a marketplace: they know no campaign, are the other side, or are a participant's.
ELSEWHERE = (
    "corpus.", "modeling.", "django.", "drf_spectacular.", "marketplace.", "annotation.views.work_pages.",
    "kernel.admin",
)  # fmt: skip
STATES = ("draft", "running", "paused", "closed")
SPENDING_CALLS = {"create_hit_with_hit_type", "create_additional_assignments_for_hit", "send_bonus"}
DONE = {200, 201, 202, 204, 302}
PROMISES = ("posting", "bonus")  # a reward is a part of what its posting promised
SKIPPED = {"admin:None", "sign-out"}
# Addresses that nothing here gets through to, and why they cannot spend.
NOT_REACHED = {
    **dict.fromkeys(
        ("campaign-invites", "invite-revoke", "api-invites", "api-invite-revoke"), "for our own people only"
    ),
    **dict.fromkeys(("tokens", "token-revoke", "admin:login", "instructions-new"), "change nothing of a campaign"),
    **dict.fromkeys(
        ("lessons-change", "lessons-delete", "lessons-practice", "lessons-quiz"), "change the questions of a draft"
    ),
    "preview-quiz": "stores nothing, and not there without a quiz",
    **dict.fromkeys(("backup", "start-upkeep"), "an administrator's"),
    **dict.fromkeys(("api-jobs", "api-releases", "api-release-files"), "start other kinds of jobs"),
    **dict.fromkeys(("agreement-plot", "release-item", "release-download"), "nothing to read"),
    **dict.fromkeys(("job-cancel", "api-job-cancel", "payment-cancel", "api-review-undo"), "nothing to take back"),
    **dict.fromkeys(
        ("api-settlements", "api-settlement-undo", "admin:review-settle"), "phrases have no answer of the task itself"
    ),
    **dict.fromkeys(
        (
            "coreference",
            "coreference-scores",
            "coreference-file",
            "coreference-document",
            "links",
            "links-scores",
            "links-file",
            "links-text",
        ),
        "files, and no campaign",
    ),
    **dict.fromkeys(
        ("grant", "grant-take", "grant-give", "api-grants", "api-grant-people", "api-grant-take"), "no grant is there"
    ),
    **dict.fromkeys(("campaign-votes", "votes-file"), "no follow-up"),
    "work-lookup": "a participant's",
    "campaign-delete": "refused: people have answered",
    "campaign-import": "needs a file",
    "gold-set": "for drafts and pauses, where nothing is published",
}
SPENDING = {
    "campaign-step", "publish-open", "market-act", "market-mend", "payments-top-up",
    "api-campaign-start", "api-campaign-resume",
}  # fmt: skip


def addresses(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the parameters of every address of the team."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, f"{pattern.namespace}:" if pattern.namespace else namespace)
        elif isinstance(pattern, URLPattern) and not inspect.unwrap(pattern.callback).__module__.startswith(ELSEWHERE):
            names = pattern.pattern.converters or pattern.pattern.regex.groupindex
            yield f"{namespace}{pattern.name}", tuple(names)


@dataclass
class Scene:
    """A campaign on a marketplace with one of everything that an address can name. Ada has decided to spend on it."""

    campaign: Campaign
    ada: User
    ids: dict[str, list[Any]] = field(default_factory=dict)

    def bodies(self, name: str) -> list[dict[str, Any]]:
        """Return what to send: all that forms of the team ask for, or what an endpoint of the API takes."""
        if name.startswith("api-"):
            total = {"total": str(price_of_campaign(self.campaign).total)}
            answer = self.ids["annotation_id"][0]
            taken: dict[str, dict[str, Any]] = {
                "api-campaign-start": total,
                "api-campaigns": {"name": "Another", "sample": self.campaign.sample_id, "contact": "team@tesa.invalid"},
                "api-campaign": {"redundancy": 4},
                "api-invites": {"label": "friends", "capacity": 3},
                "api-review-verdicts": {"annotation": answer, "verdict": "accept"},
                "api-follow-ups": {"name": "Judged", "kind": "judge"},
                "api-own-tasks": {"text": SMALLEST},
                "api-settlements": {"answer": {"phrase_1": "botanists"}},
            }
            return [taken.get(name, {})]
        floor = Decimal(1000)
        top_up = sum(row.cents + row.fee_cents for row in wages.below(self.campaign, floor))
        form = {
            "budget": "200.00", "reason": "Because.", "people": "1", "now_asked": str(self.campaign.redundancy),
            "placement": self.ids["placement"], "person": self.ids["person_id"], "job": self.ids["job_id"],
            "floor": str(floor), "total": str(top_up), "name": self.campaign.name, "label": "some", "capacity": "3",
            "choice": "count", "verdict": "accept", "reviewers": "1", "phrase_1": "botanists", "queue": "default",
            "seconds": "1", "paid_on": now().date().isoformat(), "format": "jsonl",
        }  # fmt: skip
        if name == "people-decide":
            return [form | {"action": action} for action in DECISIONS]
        if name == "market-mend":
            return [form | {"choice": choice} for choice in ("", "pay", "leave")]
        if name == "payments-mark":
            owed = [f"{pk} {money}" for pk, money in Participation.objects.values_list("pk", "earned")]
            return [form | {"person": owed}]
        return [form | {"action": "retry"}]

    def places(self, name: str, parameters: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the arguments of an address, for all that its parameters can name."""
        ids = self.ids | {"action": {"campaign-step": [*STEPS], "market-act": [*ACTIONS]}.get(name, [])}
        ids["response"] = [1]
        ids["kind"] = ["day"] if name == "agreement-plot" else ["clean_up"]
        combined: list[dict[str, Any]] = [{}]
        for parameter in parameters:
            combined = [known | {parameter: value} for known in combined for value in ids[parameter]]
        yield from combined


def make_scene(status: str, ada: User) -> Scene:
    hits: dict[str, Any] = {"provider": "mturk", "provider_settings": HITS | {"approve": "reviewed"}}
    campaign = make_campaign(size=6, redundancy=1, reward=Decimal("0.20"), **hits)
    ledger.set_budget(campaign.pk, 100_00, by=ada)
    campaign.refresh_from_db()
    people = [make_participation(campaign, name) for name in ("cleo", "dora", "emil")]
    answers = [make_answer(person) for person in people]
    late = make_answer(people[0]).assignment
    if status == "running":
        publishing.plan_postings(campaign)
    publish_by_hand(campaign, ada, answers)
    excluding.exclude(people[2].pk, reason="Copies.", by=None)  # after ada's decision
    placements = list(Placement.objects.order_by("pk"))
    kinds = [getattr(reconciling, name) for name in re.findall(r'^([A-Z_]+) = "', inspect.getsource(reconciling), re.M)]
    there: dict[str, Any] = {"posting_id_there": "A0", "submission_id_there": "X9"}
    there["bonus_there"] = {"name": "b", "cents": 5, "reason": ""}
    gone = Placement.objects.create(posting=placements[1].posting, participation=people[1], external_id="X7")
    Placement.objects.filter(pk=gone.pk).update(state="returned", answered_at=now())
    differences = [
        Difference.objects.create(campaign=campaign, kind=kind, evidence="…", placement=placement, **there)
        for kind in kinds
        for placement in (placements[0], gone)
    ]
    type(late).objects.filter(pk=late.pk).update(status="late")
    Participation.objects.update(active_ms=60_000)
    ended = make_job(kind=following.KIND, status="failed", parameters={"campaign": campaign.pk})
    Campaign.objects.filter(pk=campaign.pk).update(status=status)
    campaign.refresh_from_db()
    ids: dict[str, list[Any]] = {
        "campaign_id": [campaign.pk], "person_id": [people[1].pk], "annotation_id": [answers[0].pk],
        "placement": [placements[0].pk], "difference_id": [row.pk for row in differences], "job_id": [ended.pk],
        "task_id": [campaign.tasks.get(position=5).pk], "assignment_id": [late.pk],
        "report_id": [ProblemReport.objects.create(assignment=late, text="odd").pk], "payment_id": [1],
        "invite_id": [1], "token_id": [1], "object_id": [1], "grant_id": [1], "held_id": [1], "secret": ["none"],
        "version_id": [campaign.instructions_id], "release_id": [make_release(version=9).pk], "position": [0],
        "number": [make_description().number], "version": [1],
        "name": ["tasks"], "format": ["csv"], "uidb64": ["MQ"], "token": ["set-password"],
        "id": [1], "url": ["none"], "app_label": ["annotation"], "content_type_id": [1],
    }  # fmt: skip
    return Scene(campaign, ada, ids)


def publish_by_hand(campaign: Campaign, by: User, answers: list[Any]) -> None:
    """Store what publishing would have stored: HITs that are planned are open, and the answered ones submitted."""
    for number, entry in enumerate(LedgerEntry.objects.filter(kind="posting")):
        ledger.finish(entry)
        until = now() + timedelta(days=1)
        Posting.objects.filter(ledger=entry).update(external_id=f"H{number}", state="open", expires_at=until)
    for number, answer in enumerate(answers):
        posting = Posting.objects.create(campaign=campaign, task=answer.assignment.task, places=1, state="open")
        Posting.objects.filter(pk=posting.pk).update(external_id=f"A{number}", expires_at=now() + timedelta(days=1))
        details = {"posting": posting, "token": f"by-hand-{number}", "by": by}
        ledger.finish(ledger.plan(campaign, "posting", 20, 4, **details))  # type: ignore[arg-type]
        person = answer.assignment.participation
        values = {"external_id": f"X{number}", "state": "submitted", "assignment": answer.assignment}
        Placement.objects.create(posting=posting, participation=person, answered_at=now(), **values)


@dataclass
class Tried:
    """What came of trying addresses."""

    entries: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)  # kind, token, who decided; by address
    calls: dict[str, set[str]] = field(default_factory=dict)
    statuses: dict[str, set[int]] = field(default_factory=dict)


@contextmanager
def undone() -> Iterator[None]:
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]  # durable transactions may begin in it
    with around:
        yield
        transaction.set_rollback(True)


def send(client: Client, name: str, arguments: dict[str, Any], body: dict[str, Any]) -> int:
    """Post to an address, and put where it does not take that; return the status."""
    as_json: dict[str, Any] = {"content_type": "application/json"} if name.startswith("api-") else {}
    address = reverse(name, kwargs=arguments)
    status = client.post(address, body, **as_json).status_code
    return client.patch(address, body, content_type="application/json").status_code if status == 405 else status


def try_everything(user: User, ada: User, status: str, calls: list[str]) -> Tried:
    """Send a form to every address as this person, let the marketplace be followed each time, and undo it."""
    tried = Tried()
    with undone():
        scene, client = make_scene(status, ada), Client()
        client.force_login(user)
        known = set(LedgerEntry.objects.values_list("pk", flat=True))
        with undone():
            follow_all()
            assert set(LedgerEntry.objects.values_list("pk", flat=True)) == known, "nothing is under way by itself"
        for name, parameters in set(addresses(get_resolver())):
            if name in SKIPPED:
                continue
            for arguments in scene.places(name, parameters):
                for body in scene.bodies(name):
                    with undone():
                        calls.clear()
                        answer = send(client, name, arguments, body)
                        tried.statuses.setdefault(name, set()).add(answer)
                        if answer in DONE:
                            follow_all()
                        new = LedgerEntry.objects.exclude(pk__in=known)
                        rows = new.values_list("kind", "token", "decided_by__username")
                        tried.entries.setdefault(name, []).extend(rows)
                        tried.calls.setdefault(name, set()).update(calls)
    return tried


def follow_all() -> None:
    for campaign in [row for row in Campaign.objects.filter(provider="mturk") if not row.is_rehearsal]:
        following.follow(campaign, report=quiet, compare=True)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of a marketplace that cannot be reached."""
    made: list[str] = []

    def call(self: Boto, operation: str, **parameters: Any) -> dict[str, Any]:
        made.append(operation)
        raise NotSent("The marketplace cannot be reached.")

    monkeypatch.setattr(Boto, "call", call)
    client = marketplaces.connect(Campaign(provider="mturk", provider_settings=HITS))
    monkeypatch.setattr(marketplaces, "connect", lambda campaign: client)  # made once: it reads a large description
    return made


@pytest.mark.parametrize("status", STATES)
def test_nobody_without_the_right_to_spend_moves_money_at_any_address(calls: list[str], status: str):
    ada, ben = allow_to_spend(make_user("ada")), allow_to_pay(make_user("ben"))

    tried = try_everything(ben, ada, status, calls)

    promised = {name: rows for name, rows in tried.entries.items() if any(kind in PROMISES for kind, *_ in rows)}
    assert promised == {}
    assert {name for name, made in tried.calls.items() if made & SPENDING_CALLS} == set()
    assert {who for rows in tried.entries.values() for *_, who in rows} <= {"ada"}, "rewards of what ada promised"


def test_with_the_right_every_address_that_spends_names_who_decided_and_all_were_reached(calls: list[str]):
    ada, cleo = allow_to_spend(make_user("ada")), allow_to_pay(allow_to_spend(make_user("cleo")))

    tried = [try_everything(cleo, ada, status, calls) for status in STATES]

    rows = [(name, *row) for each in tried for name, rows in each.entries.items() for row in rows]
    assert {name for name, kind, *_ in rows if kind in PROMISES} == SPENDING
    assert {who for _, kind, _, who in rows if kind in PROMISES} == {"cleo"}, "who decides now, not who decided before"
    assert {who for *_, who in rows} <= {"ada", "cleo"}
    statuses = {name: set().union(*(each.statuses[name] for each in tried)) for name in tried[0].statuses}
    reached = {name for name, seen in statuses.items() if seen & DONE or seen == {405}}
    assert {name: seen for name, seen in statuses.items() if name not in reached and name not in NOT_REACHED} == {}
