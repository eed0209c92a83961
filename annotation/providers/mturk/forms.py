"""What the campaign form asks about HITs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django import forms

from annotation.providers.base import Settings
from annotation.providers.forms import NeededText, ProviderForm
from annotation.providers.mturk.settings import LIMITS, LONGEST, MTurkSettings

UNASKED = ("rehearsal",)
DEFAULTS = {name: value for name, value in asdict(MTurkSettings()).items() if name not in UNASKED}
PREFIX = "mturk_"


def number(name: str, label: str, help_text: str = "") -> forms.IntegerField:
    low, high = LIMITS[name]
    return forms.IntegerField(
        required=False, min_value=low, max_value=high, initial=DEFAULTS[name], label=label, help_text=help_text
    )


def text(name: str, label: str, help_text: str = "") -> forms.CharField:
    return forms.CharField(required=False, max_length=LONGEST[name], label=label, help_text=help_text)


def needed(name: str, label: str, help_text: str = "") -> NeededText:
    problem = f"Enter a {name}. Workers see it in the list of HITs."
    return NeededText(max_length=LONGEST[name], label=label, help_text=help_text, problem=problem)


class MTurkForm(ProviderForm):
    title = "The HITs"
    shown = 3
    field_of = {name: PREFIX + name for name in DEFAULTS}

    mturk_title = needed("title", "Title of the HITs", "Workers see it in the list.")
    mturk_description = needed("description", "Description", "Workers see it below the title.")
    mturk_approve = forms.ChoiceField(
        required=False, label="Approve and pay",
        choices=[("stored", "As soon as an answer is stored"), ("reviewed", "After a review")],
        help_text="By default, people are paid before anyone has reviewed their answer.",
    )  # fmt: skip
    mturk_keywords = text("keywords", "Keywords", "With commas between them.")
    mturk_lifetime_hours = number("lifetime_hours", "Offered for", "Hours.")
    mturk_approval_days = number("approval_days", "Approved automatically after", "Days.")
    mturk_frame_height = number("frame_height", "Height of the frame", "Pixels. 0: as high as the window.")
    mturk_approval_rate = number("approval_rate", "Least approval rate", "Percent. 0: anybody.")
    mturk_approved_count = number("approved_count", "Least approved HITs", "0: anybody.")
    mturk_countries = text("countries", "Countries", "Two letters each, as in US, GB. Empty: all.")
    mturk_adults_only = forms.BooleanField(required=False, label="Only workers who accept adult content")

    @staticmethod
    def initial_of(settings: Settings) -> dict[str, Any]:
        return {PREFIX + name: settings.get(name, value) for name, value in DEFAULTS.items()}

    @staticmethod
    def settings_of(cleaned: Mapping[str, Any], before: Settings) -> dict[str, Any]:
        entered = {name: cleaned.get(PREFIX + name) for name in DEFAULTS}
        filled = {name: value for name, value in entered.items() if value not in (None, "", DEFAULTS[name])}
        return {**{name: before[name] for name in UNASKED if name in before}, **filled}
