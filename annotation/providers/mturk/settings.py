"""What a campaign says about its HITs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from annotation.providers.base import wrong_setting

APPROVAL_RATE, APPROVED_COUNT = "000000000000000000L0", "00000000000000000040"
LOCALE, ADULT = "00000000000000000071", "00000000000000000060"
LIMITS = {
    "lifetime_hours": (1, 24 * 365),
    "approval_days": (0, 30),
    "frame_height": (0, 4000),
    "approval_rate": (0, 100),
    "approved_count": (0, 1_000_000),
}
DEMANDS = ("approval_rate", "approved_count", "countries", "adults_only")  # on people, which simulated ones do not meet
LONGEST = {"title": 128, "description": 2000, "keywords": 1000, "countries": 120}


@dataclass(frozen=True)
class MTurkSettings:
    title: str = ""
    description: str = ""
    keywords: str = ""
    lifetime_hours: int = 24 * 7
    approval_days: int = 3  # then the marketplace approves by itself
    frame_height: int = 0  # pixels; 0 = as high as the window
    approval_rate: int = 0  # least percentage of approved work; 0 = anybody
    approved_count: int = 0  # least number of approved HITs
    countries: str = ""  # two letters each, with commas
    adults_only: bool = False
    approve: str = "stored"  # or "reviewed"
    rehearsal: bool = False  # in the sandbox, where simulated people work

    def requirements(self) -> list[dict[str, Any]]:
        """Return the qualification requirements as the protocol writes them."""
        requirements: list[dict[str, Any]] = []
        for type_, least in ((APPROVAL_RATE, self.approval_rate), (APPROVED_COUNT, self.approved_count)):
            if least:
                requirements.append(_requirement(type_, "GreaterThanOrEqualTo", IntegerValues=[least]))
        if self.countries:
            locales = [{"Country": country} for country in countries_in(self.countries)]
            requirements.append(_requirement(LOCALE, "In", LocaleValues=locales))
        if self.adults_only:
            requirements.append(_requirement(ADULT, "EqualTo", IntegerValues=[1]))
        return requirements


def _requirement(type_: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": type_, "Comparator": comparator, "ActionsGuarded": "Accept", **values}


def countries_in(text: str) -> list[str]:
    return [part.strip().upper() for part in text.split(",") if part.strip()]


def mturk_settings(values: Mapping[str, Any]) -> MTurkSettings:
    """Return the settings; raise InvalidInput that names the first bad one."""
    kinds = {field.name: type(field.default) for field in fields(MTurkSettings)}
    for name, value in values.items():
        if name not in kinds:
            raise wrong_setting(name, f"is unknown; the settings are {', '.join(kinds)}")
        if type(value) is not kinds[name]:
            raise wrong_setting(name, f"must be a {'text' if kinds[name] is str else kinds[name].__name__}")
    settings = MTurkSettings(**values)
    for name, most in LONGEST.items():
        if len(getattr(settings, name)) > most:
            raise wrong_setting(name, f"must have at most {most:,} characters")
    for name in ("title", "description"):
        if not getattr(settings, name).strip():
            raise wrong_setting(name, f"give a {name} that workers see in the list of HITs")
    for name, (low, high) in LIMITS.items():
        if not low <= getattr(settings, name) <= high:
            raise wrong_setting(name, f"must be between {low:,} and {high:,}")
    if settings.approve not in ("stored", "reviewed"):
        raise wrong_setting("approve", "must be stored or reviewed")
    if not all(re.fullmatch("[A-Z]{2}", country) for country in countries_in(settings.countries)):
        raise wrong_setting("countries", "give two letters for each country, with commas between them, as in US, GB")
    return settings
