"""HITs of a marketplace that speaks the MTurk protocol: by default our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from annotation.providers.base import (
    Arrival,
    Completion,
    Door,
    Outcome,
    Preview,
    Settings,
)
from annotation.providers.mturk.client import Client
from annotation.providers.mturk.market import MTurkMarket
from annotation.providers.mturk.settings import DEMANDS, LIMITS, MTurkSettings, mturk_settings

NOBODY = "ASSIGNMENT_ID_NOT_AVAILABLE"
ENTITY, WORKER, KEY = (re.compile(rule) for rule in (r"[A-Z0-9]{1,64}", r"A[A-Z0-9]{1,63}", r"[\w-]{1,32}"))
# Not a campaign's. `sites` are the origins of worker sites that may frame our pages; the first is our own.
INSTALLATION = ("sites", "endpoint", "keys", "sandbox_keys", "allow_aws")


class MTurk:
    name: ClassVar[str] = "mturk"
    label: ClassVar[str] = "Marketplace (MTurk)"
    tells: ClassVar[str] = "HITs on this installation's own marketplace"
    came: ClassVar[str] = "from the marketplace"
    ask: ClassVar[tuple[str, str]] = ("marketplace", "Publish HITs")
    settings_form: ClassVar[str] = "annotation.providers.mturk.forms.MTurkForm"
    takes_own_people: ClassVar[bool] = False
    pays: ClassVar[bool] = True
    kept_details: ClassVar[tuple[str, ...]] = ("hit",)
    currency: ClassVar[str] = "USD"
    most_places: ClassVar[int] = 9
    worker_provider: ClassVar[str] = "mturk"

    def check(self, settings: Settings) -> None:
        mturk_settings(settings)

    def door(self, settings: Settings) -> Door | None:
        return Door("the marketplace", added=("assignmentId", "hitId", "workerId", "turkSubmitTo"))

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        assignment = query.get("assignmentId", "")
        if assignment in ("", NOBODY):
            return Preview()
        hit, worker, submit_to = (query.get(name, "") for name in ("hitId", "workerId", "turkSubmitTo"))
        is_whole = ENTITY.fullmatch(assignment) and ENTITY.fullmatch(hit) and WORKER.fullmatch(worker)
        if not is_whole or not KEY.fullmatch(query.get("posting", "")) or not _is_allowed(settings, submit_to):
            return None
        details = {"assignment": assignment, "hit": hit, "posting": query["posting"], "submit_to": submit_to}
        return Arrival(worker, details)

    def participant_id(self, external_id: str) -> str:
        return external_id

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        if arrival is None or not arrival.details.get("submit_to"):
            return Completion("none", site="the marketplace")
        details = arrival.details
        url = f"{details['submit_to'].rstrip('/')}/mturk/externalSubmit"
        sent = {"assignmentId": details["assignment"], "receipt": details["posting"], "outcome": outcome.value}
        return Completion("post_form", url=url, site="the marketplace", fields=sent)

    # ---- Our pages in its frame

    def frame_ancestors(self, settings: Settings) -> tuple[str, ...]:
        return ("'self'", *settings.get("sites", ())[1:])

    def form_targets(self, settings: Settings) -> tuple[str, ...]:
        return tuple(settings.get("sites", ())[1:])

    def acceptance(self, arrival: Arrival) -> tuple[str, str]:
        return arrival.details["posting"], arrival.details["assignment"]

    # ---- Prices and times

    def fee(self, settings: Settings, cents: int, *, places: int = 1) -> int:
        return max(1, (cents * (40 if places > self.most_places else 20) + 50) // 100)

    def lifetime_s(self, settings: Settings) -> int:
        return _campaigns(settings).lifetime_hours * 3600

    def approves_at_once(self, settings: Settings) -> bool:
        return _campaigns(settings).approve == "stored"

    # ---- Its account

    def connect(self, settings: Settings, installation: Settings) -> MTurkMarket:
        asked = _campaigns(settings)
        keys = installation["sandbox_keys" if asked.rehearsal else "keys"]
        return MTurkMarket(Client(installation["endpoint"], *keys, allow_aws=installation["allow_aws"]), asked)

    sandbox = connect  # its keys say which account it is

    def account(self, settings: Settings, installation: Settings) -> str:
        return str(installation["sandbox_keys" if _campaigns(settings).rehearsal else "keys"][0])

    # ---- Rehearsals

    def rehearsal_settings(self, settings: Settings) -> dict[str, Any]:
        same = {name: value for name, value in settings.items() if name not in DEMANDS}
        return {**same, "lifetime_hours": LIMITS["lifetime_hours"][1], "rehearsal": True}  # the clock is moved far

    def approval_s(self, settings: Settings) -> int:
        return _campaigns(settings).approval_days * 86400


def _campaigns(settings: Settings) -> MTurkSettings:
    return mturk_settings({name: value for name, value in settings.items() if name not in INSTALLATION})


def _is_allowed(settings: Settings, address: str) -> bool:
    """Say whether an answer may be submitted there: only to a site that the installation names."""
    try:
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        return False
    return origin in settings.get("sites", ()) and len(address) <= 500 and not re.search(r"[\s\\?#]", address)


MTURK = MTurk()
