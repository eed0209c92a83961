"""Any site that sends people to an address and takes them back by a code or a link: Prolific, Connect, SONA …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from annotation.providers.base import Arrival, Completion, Door, Outcome, Preview, Settings
from annotation.providers.panel.settings import PLACEHOLDER, PanelSettings, panel_settings

ID = re.compile(r"[\w.@:+=-]{1,150}", re.ASCII)
UNFILLED = re.compile(r"\{\{.*\}\}|%\w+%|\$\{.*\}|\[%.*%\]")  # placeholders that a panel fills in for real people only
LONGEST_DETAIL = 200
# Which outcome's code is used in place of a missing one: excluded people are still paid, and a part is not the whole.
INSTEAD = {Outcome.EXCLUDED: Outcome.COMPLETED, Outcome.LEFT_EARLY: Outcome.SCREENED_OUT}


class Panel:
    name: ClassVar[str] = "panel"
    label: ClassVar[str] = "Online panel"
    tells: ClassVar[str] = "Prolific, Connect, SONA or any panel that sends people to a link"
    came: ClassVar[str] = "from the panel"
    ask: ClassVar[tuple[str, str]] = ("panel", "Invite people")
    settings_form: ClassVar[str] = "annotation.providers.panel.forms.PanelForm"
    takes_own_people: ClassVar[bool] = False
    pays: ClassVar[bool] = True
    kept_details: ClassVar[tuple[str, ...]] = ("panel",)

    def check(self, settings: Settings) -> None:
        panel_settings(settings)

    def door(self, settings: Settings) -> Door | None:
        panel = panel_settings(settings)
        filled = [f"{name}={panel.placeholder.replace('NAME', name)}" for name in panel.parameters]
        query, added = ("&".join(filled), ()) if panel.placeholder else ("", panel.parameters)
        codes = {outcome.value: self.completion(settings, outcome).code for outcome in Outcome}
        return Door(panel.site, query, added, panel.preset == "other", codes)

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        panel = panel_settings(settings)
        worker = query.get(panel.worker, "").strip()
        if not worker or worker in panel.preview or UNFILLED.search(worker):
            return Preview()
        if not ID.fullmatch(worker):
            return None
        details = {"panel": panel.preset}
        for name in ("study", "session"):
            value = query.get(getattr(panel, name), "") if getattr(panel, name) else ""
            if re.fullmatch(r"[\x21-\x7e]+", value):
                details[name] = value[:LONGEST_DETAIL]
        return Arrival(f"{_scope(panel)}:{worker}", details)

    def participant_id(self, external_id: str) -> str:
        return external_id.partition(":")[2] or external_id

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        panel = panel_settings(settings)
        code = panel.codes.get(outcome, "") or panel.codes.get(INSTEAD.get(outcome, ""), "")
        known = {"code": code}
        if arrival is not None:
            known |= {**arrival.details, "worker": self.participant_id(arrival.external_id)}
        wanted = set(PLACEHOLDER.findall(panel.redirect))
        is_due = bool(code) or outcome in (Outcome.COMPLETED, Outcome.EXCLUDED)
        if wanted and is_due and all(known.get(name) for name in wanted):
            url = PLACEHOLDER.sub(lambda match: quote(known[match[1]], safe=""), panel.redirect)
            return Completion("redirect", code, url, panel.site)
        return Completion("code" if code else "none", code, "", panel.site)


def _scope(panel: PanelSettings) -> str:
    """Return a prefix for ids: two panels may give two people the same one."""
    return panel.preset if panel.preset != "other" else re.sub(r"\W+", "-", panel.site.lower())[:40]


PANEL = Panel()
