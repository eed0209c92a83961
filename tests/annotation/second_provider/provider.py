"""A site that frames our pages and takes people back by a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotation.providers.base import Arrival, Completion, Door, Outcome, Preview, Settings
from kernel.errors import InvalidInput


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


MARKET = Market()
