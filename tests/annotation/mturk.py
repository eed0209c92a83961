"""A campaign whose HITs are on the marketplace of this process, and workers who do them over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import Permission
from django.test import Client

from annotation.models import Campaign, Participation
from annotation.services.market import following, ledger
from kernel.models import User
from kernel.services import people
from marketplace.models import Assignment as TheirAssignment
from marketplace.models import Worker as TheirWorker
from marketplace.services import working
from tests.make import make_campaign
from tests.marketplace.market import Market

HITS = {"title": "Name them all", "description": "One phrase for several people"}
SITE = "https://work.example"


def quiet(done: int, total: int | None = None, step: str | None = None) -> None:
    """Report to nobody."""


def allow_to_spend(user: User) -> User:
    user.user_permissions.add(Permission.objects.get(codename="spend", content_type__app_label="annotation"))
    people.forget_permissions(user)
    return user


def use(market: Market, monkeypatch: Any) -> None:
    """Let this installation publish with the keys of a test's account."""
    keys = (market.key, market.secret)
    ours = {"endpoint": market.url, "keys": keys, "sandbox_keys": keys, "allow_aws": False}
    monkeypatch.setattr(settings, "TESA_PROVIDERS", {"mturk": ours | {"sites": ("http://testserver", SITE)}})


def make_published(size: int = 2, *, budget: int = 100_00, **fields: Any) -> Campaign:
    """Return an open campaign that is on the marketplace."""
    defaults: dict[str, Any] = {
        "provider": "mturk",
        "provider_settings": HITS,
        "reward": Decimal("0.20"),
        "redundancy": 2,
    }
    campaign = make_campaign(size=size, **defaults | fields)
    ledger.set_budget(campaign.pk, budget, by=None)
    follow(campaign)
    return campaign


def follow(campaign: Campaign) -> str:
    campaign.refresh_from_db()
    return following.follow(campaign, report=quiet, compare=True)


@dataclass
class Visitor:
    """A worker in a browser that keeps no cookies, with a HIT in its frame."""

    taken: TheirAssignment
    home: str = ""

    @property
    def secret(self) -> str:
        return self.home.split("/")[2]

    def arrive(self, campaign: Campaign, posting: Any) -> Visitor:
        query = {
            "posting": posting.key, "assignmentId": self.taken.assignment_id, "hitId": posting.external_id,
            "workerId": self.taken.worker.worker_id if self.taken.worker else "",
            "turkSubmitTo": f"{SITE}/{self.taken.token}/",
        }  # fmt: skip
        answer = Client().get(f"/task/panel/{campaign.slug}/?{urlencode(query)}")
        assert answer.status_code == 302, answer.content.decode()
        self.home = answer.headers["Location"]
        return self

    def learn(self) -> Visitor:
        for step in ("consent", "instructions"):
            Client().post(f"{self.home}{step}/", {"signals": ""})
        return self

    def answer(self, phrase: str = "botanists") -> str:
        """Answer the task; return the page that hands it over."""
        Client().get(self.home)
        person = Participation.objects.get(placements__secret=self.secret)
        turn = person.assignments.get(placements__secret=self.secret)
        return Client().post(f"{self.home}answer/{turn.pk}/", {"phrase_1": phrase}).content.decode()

    def submit(self) -> None:
        """Do what the browser does with the hand-over page: post its form to the marketplace."""
        working.submit(self.taken.token, self.taken.assignment_id, [("receipt", "x")])


def accept(campaign: Campaign, posting: Any, worker: TheirWorker) -> Visitor:
    return Visitor(working.accept(worker, posting.external_id)).arrive(campaign, posting).learn()
