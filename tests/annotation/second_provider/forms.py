from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from annotation.providers.base import Settings
from annotation.providers.forms import ProviderForm


class MarketForm(ProviderForm):
    title = "The marketplace"
    field_of = {"stall": "market_stall"}

    market_stall = forms.CharField(required=False, label="Stall")

    @staticmethod
    def initial_of(settings: Settings) -> dict[str, Any]:
        return {"market_stall": settings.get("stall", "")}

    @staticmethod
    def settings_of(cleaned: Mapping[str, Any], before: Settings) -> dict[str, Any]:
        return {"stall": cleaned["market_stall"]}
