"""A marketplace that frames our pages, takes people back by a form and can do all that paid platforms can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import ClassVar

from annotation.providers.base import Arrival, Completion, Door, Outcome, Posting, Preview, Settings, Submission
from kernel.errors import InvalidInput


@dataclass
class Platform:
    """The client: a marketplace in memory."""

    postings: dict[str, Posting] = field(default_factory=dict)  # by token
    submissions: dict[str, Submission] = field(default_factory=dict)
    bonuses: dict[str, Decimal] = field(default_factory=dict)  # by token
    closed: set[str] = field(default_factory=set)


class Market:
    name: ClassVar[str] = "market"
    label: ClassVar[str] = "A marketplace"
    tells: ClassVar[str] = "People who browse its stalls"
    came: ClassVar[str] = "from the marketplace"
    ask: ClassVar[tuple[str, str]] = ("market", "See the marketplace")
    settings_form: ClassVar[str] = "tests.annotation.second_provider.forms.MarketForm"
    takes_own_people: ClassVar[bool] = False
    pays: ClassVar[bool] = True
    kept_details: ClassVar[tuple[str, ...]] = ("stall",)

    def check(self, settings: Settings) -> None:
        if set(settings) != {"stall"} or not settings["stall"]:
            raise InvalidInput("name the stall", field="provider_settings.stall")

    def door(self, settings: Settings) -> Door:
        return Door("the marketplace", "worker=…&visit=…")

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        if not query.get("visit"):
            return Preview()
        worker = query.get("worker", "")
        if not (worker.isascii() and worker.isalnum() and len(worker) < 100):
            return None
        return Arrival(worker, {"stall": settings["stall"], "visit": query["visit"]})

    def participant_id(self, external_id: str) -> str:
        return f"market/{external_id}"

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        if arrival is None:
            return Completion("none", site="the marketplace")
        fields = {"visit": arrival.details["visit"], "outcome": outcome.value}
        return Completion("post_form", url="https://market.example/back", site="the marketplace", fields=fields)

    def frame_ancestors(self, settings: Settings) -> tuple[str, ...]:
        return ("https://work.market.example",)

    def form_targets(self, settings: Settings) -> tuple[str, ...]:
        return ("https://market.example",)

    def publish(self, client: Platform, settings: Settings, posting: Posting, *, token: str) -> str:
        client.postings.setdefault(token, posting)
        return f"posting {token}"

    def collect(self, client: Platform, posting_id: str) -> Iterable[Submission]:
        return client.submissions.values()

    def approve(self, client: Platform, submission_id: str) -> None:
        client.submissions[submission_id] = replace(client.submissions[submission_id], state="approved")

    def reject(self, client: Platform, submission_id: str, *, reason: str) -> None:
        client.submissions[submission_id] = replace(client.submissions[submission_id], state="rejected")

    def bonus(self, client: Platform, submission: Submission, amount: Decimal, *, reason: str, token: str) -> None:
        client.bonuses.setdefault(token, amount)

    def close(self, client: Platform, posting_id: str) -> None:
        client.closed.add(posting_id)


MARKET = Market()
