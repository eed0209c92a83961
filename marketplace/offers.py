"""How HITs are offered on the worker site: what is shown of a group, and how its requirements are met."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from marketplace import qualifying

SORTS = {"newest": "Newest", "reward": "Highest reward", "most": "Most HITs"}


@dataclass(frozen=True)
class Need:
    """One requirement as a worker reads it; `request` is the type they can ask for, perhaps by its test."""

    words: str
    is_met: bool
    request: str = ""
    has_test: bool = False


def needs(
    requirements: Sequence[qualifying.Requirement],
    holdings: qualifying.Holdings,
    names: Mapping[str, str],
    tested: Container[str] = (),
) -> list[Need]:
    """Return each requirement with whether it is met; `names` are of types that can be asked for, `tested` by a test.

    A requester who hides HITs from people with a qualification needs no word: everybody who sees the group meets it.
    """
    shown_needs = []
    for requirement in requirements:
        if requirement["Comparator"] == "DoesNotExist" and qualifying.guarded(requirement) == qualifying.DISCOVER:
            continue
        type_id = str(requirement["QualificationTypeId"])
        name = qualifying.SYSTEM.get(type_id) or names.get(type_id) or "A qualification that was deleted"
        is_met = qualifying.is_met(requirement, holdings)
        has_test = type_id in tested
        can_ask = type_id in names and (has_test or type_id not in holdings.values) and not is_met
        shown_needs.append(Need(qualifying.words(requirement, name), is_met, type_id if can_ask else "", has_test))
    return shown_needs
