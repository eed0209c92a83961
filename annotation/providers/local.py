"""People of our own: signed in, or invited by a link. They have an address of ours and take nothing back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotation.providers.base import Arrival, Completion, Door, Outcome, Preview, Settings
from tesa_site.kernel.errors import InvalidInput


class Local:
    name: ClassVar[str] = "local"

    def check(self, settings: Settings) -> None:
        if settings:
            raise InvalidInput("people of our own need no settings: leave them empty", field="provider_settings")

    def door(self, settings: Settings) -> Door | None:
        return None

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        return None

    def participant_id(self, external_id: str) -> str:
        return external_id

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        return Completion("none")


LOCAL = Local()
