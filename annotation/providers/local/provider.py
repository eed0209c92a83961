"""People of our own, who have an account here or a link of ours. They need not go back anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotation.providers.base import Arrival, Completion, Door, Outcome, Preview, Settings
from kernel.errors import InvalidInput


class Local:
    name: ClassVar[str] = "local"
    label: ClassVar[str] = "Our team and invited people"
    tells: ClassVar[str] = "Accounts here and invitation links"
    came: ClassVar[str] = "with an account here"
    ask: ClassVar[tuple[str, str]] = ("invites", "Invite people")
    settings_form: ClassVar[str] = ""
    takes_own_people: ClassVar[bool] = True
    pays: ClassVar[bool] = False
    kept_details: ClassVar[tuple[str, ...]] = ()

    def check(self, settings: Settings) -> None:
        if settings:
            raise InvalidInput("our own people need no settings: leave them empty", field="provider_settings")

    def door(self, settings: Settings) -> Door | None:
        return None

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        return None

    def participant_id(self, external_id: str) -> str:
        return external_id

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        return Completion("none")


LOCAL = Local()
