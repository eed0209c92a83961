"""Who may discover, preview and accept a HIT."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marketplace.countries import name_of
from marketplace.errors import parameter

APPROVAL_RATE, APPROVED, LOCALE, ADULT = (
    "000000000000000000L0", "00000000000000000040", "00000000000000000071", "00000000000000000060",
)  # fmt: skip
MASTERS, SANDBOX_MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
SYSTEM = {
    APPROVAL_RATE: "Approval rate (%)",
    APPROVED: "Approved HITs",
    LOCALE: "Location",
    ADULT: "Adult content",
    MASTERS: "Masters",
    SANDBOX_MASTERS: "Masters (sandbox)",
}
FEW = 100  # submissions until which the approval rate reads 100
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt, "LessThanOrEqualTo": operator.le, "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge, "EqualTo": operator.eq, "NotEqualTo": operator.ne,
}  # fmt: skip
ACCEPT, PREVIEW, DISCOVER = "Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"
Requirement = Mapping[str, Any]


@dataclass(frozen=True)
class Holdings:
    """The qualifications of a worker: values by type (None = held without a score), and where they live."""

    values: Mapping[str, int | None]
    country: str = ""
    subdivision: str = ""


def approval_rate(submitted: int, approved: int, rejected: int) -> int:
    """Return the share of reviewed assignments that were approved, in per cent; 100 until 100 were submitted."""
    reviewed = approved + rejected
    return 100 if submitted < FEW or not reviewed else approved * 100 // reviewed


def is_met(requirement: Requirement, holdings: Holdings) -> bool:
    comparator, type_id = str(requirement["Comparator"]), str(requirement["QualificationTypeId"])
    if type_id == LOCALE:
        return _is_at(requirement, holdings)
    holds, value = type_id in holdings.values, holdings.values.get(type_id)
    if comparator in ("Exists", "DoesNotExist"):
        return holds == (comparator == "Exists")
    wanted = requirement.get("IntegerValues") or []
    if comparator in ("In", "NotIn"):
        return (value is not None and value in wanted) == (comparator == "In")
    if value is None:  # as with NotIn, a worker without a score differs from every score
        return comparator == "NotEqualTo"
    return COMPARE[comparator](value, wanted[0])


def _is_at(requirement: Requirement, holdings: Holdings) -> bool:
    comparator = str(requirement["Comparator"])
    if comparator in ("Exists", "DoesNotExist"):
        return bool(holdings.country) == (comparator == "Exists")
    is_there = any(
        holdings.country == place["Country"] and place.get("Subdivision") in (None, holdings.subdivision)
        for place in requirement.get("LocaleValues") or []
    )
    return is_there == (comparator in ("EqualTo", "In"))


def may(action: str, requirements: Sequence[Requirement], holdings: Holdings) -> bool:
    """Return whether a worker may do this: every requirement that guards the action is met."""
    guards = {ACCEPT: {ACCEPT, PREVIEW, DISCOVER}, PREVIEW: {PREVIEW, DISCOVER}, DISCOVER: {DISCOVER}}[action]
    return all(is_met(requirement, holdings) for requirement in requirements if guarded(requirement) in guards)


def guarded(requirement: Requirement) -> str:
    """Return what a requirement guards; the old RequiredToPreview guards preview and accept."""
    return str(requirement.get("ActionsGuarded") or (PREVIEW if requirement.get("RequiredToPreview") else ACCEPT))


def check_requirements(requirements: Sequence[Requirement]) -> None:
    """Raise unless each comparator comes with the values it needs."""
    for requirement in requirements:
        comparator, is_locale = requirement["Comparator"], requirement["QualificationTypeId"] == LOCALE
        numbers, places = requirement.get("IntegerValues") or [], requirement.get("LocaleValues") or []
        needed, other = (places, numbers) if is_locale else (numbers, places)
        if other:
            raise parameter(
                f"{requirement['QualificationTypeId']} takes {'LocaleValues' if is_locale else 'IntegerValues'} only."
            )
        if comparator in ("Exists", "DoesNotExist"):
            if needed:
                raise parameter(f"The comparator {comparator} takes no values.")
        elif comparator in ("In", "NotIn"):
            if not needed:
                raise parameter(f"The comparator {comparator} needs at least one value.")
        elif len(needed) != 1 or (is_locale and comparator not in ("EqualTo", "NotEqualTo")):
            raise parameter(f"The comparator {comparator} needs exactly one value that it can compare.")


def words(requirement: Requirement, name: str) -> str:
    """Return a requirement as a worker reads it."""
    comparator = str(requirement["Comparator"])
    if comparator == "Exists":
        return f"Only for people with the qualification “{name}”"
    if comparator == "DoesNotExist":
        return f"Only for people without the qualification “{name}”"
    places = [
        name_of(place["Country"]) + (f" ({part})" if (part := place.get("Subdivision")) else "")
        for place in requirement.get("LocaleValues") or []
    ]
    values = ", ".join(places or map(str, requirement.get("IntegerValues") or []))
    signs = {
        "LessThan": "is less than", "LessThanOrEqualTo": "is at most", "GreaterThan": "is greater than",
        "GreaterThanOrEqualTo": "is at least", "EqualTo": "is", "NotEqualTo": "is not", "In": "is one of",
        "NotIn": "is none of",
    }  # fmt: skip
    return f"{name} {signs[comparator]} {values}"
