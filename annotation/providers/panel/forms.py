"""What the campaign form asks about a panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.text import capfirst

from annotation.providers.base import Outcome, Settings
from annotation.providers.forms import ProviderForm
from annotation.providers.panel.settings import MISSING, PRESETS

LABELS = {name: preset.site for name, preset in PRESETS.items() if name != "other"} | {"other": "Another one"}
OUTCOMES = (Outcome.COMPLETED, Outcome.SCREENED_OUT, Outcome.LEFT_EARLY, Outcome.EXCLUDED)
CODES = {f"code_{outcome.value}": outcome.value for outcome in OUTCOMES}  # field → outcome
TEXTS = {"panel_worker": "worker", "panel_redirect": "redirect"}  # field → setting


class PanelForm(ProviderForm):
    title = "The panel that sends the people"
    field_of = {path: name for name, path in TEXTS.items()} | {f"codes.{end}": name for name, end in CODES.items()}

    panel = forms.ChoiceField(choices=[*LABELS.items()], required=False)
    code_completed = forms.CharField(required=False, max_length=100, label="Code for completed work")
    code_screened_out = forms.CharField(
        required=False, max_length=100, label="Code for people who fail the quiz", help_text="Empty: they get none."
    )
    code_left_early = forms.CharField(
        required=False, max_length=100, label="Code for people who stop early",
        help_text="Empty: the code for people who fail the quiz.",
    )  # fmt: skip
    code_failed = forms.CharField(
        required=False, max_length=100, label="Code for people who are excluded",
        help_text="Empty: the code for completed work. Exclusion is not rejection.",
    )  # fmt: skip
    panel_worker = forms.CharField(
        required=False, max_length=60, label="Parameter with the person's id",
        help_text="Only for another panel: the parameter's name in its links, such as “id” in ?id=…",
    )  # fmt: skip
    panel_redirect = forms.CharField(
        required=False, max_length=500, label="Link back to the panel",
        help_text="https, with {code} where the code goes. Empty: the panel's own, or people copy the code.",
    )  # fmt: skip

    @classmethod
    def missing(cls, cleaned: Mapping[str, Any]) -> dict[str, str]:
        panel = PRESETS[cleaned.get("panel") or "other"]
        panel = replace(panel, redirect=cleaned.get("panel_redirect") or panel.redirect)
        needed = ["worker"] * (not panel.worker) + ["codes.completed"] * panel.needs_code
        empty = [path for path in needed if not cleaned.get(cls.field_of[path], "").strip()]
        return {cls.field_of[path]: f"{capfirst(MISSING[path])}." for path in empty}

    @staticmethod
    def initial_of(settings: Settings) -> dict[str, Any]:
        codes = settings.get("codes", {})
        return {
            "panel": settings.get("preset", "other"),
            **{name: settings.get(setting, "") for name, setting in TEXTS.items()},
            **{name: codes.get(outcome, "") for name, outcome in CODES.items()},
        }

    @staticmethod
    def settings_of(cleaned: Mapping[str, Any], before: Settings) -> dict[str, Any]:
        texts = {name: cleaned[name].strip() for name in (*CODES, *TEXTS) if cleaned[name].strip()}
        codes = {outcome: texts[name] for name, outcome in CODES.items() if name in texts}
        asked = {setting: texts[name] for name, setting in TEXTS.items() if name in texts}
        preset = cleaned["panel"] or "other"
        if preset != before.get("preset", "other"):
            return {"preset": preset, "codes": codes, **asked}
        kept = {name: value for name, value in before.items() if name not in ("preset", "codes", *TEXTS.values())}
        codes_before = {name: code for name, code in before.get("codes", {}).items() if name not in CODES.values()}
        return {**kept, "preset": preset, "codes": {**codes_before, **codes}, **asked}
