"""What a provider of people is: how somebody arrives from it, and how it is told that they are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol

Settings = Mapping[str, Any]  # campaign.provider_settings


class Outcome(StrEnum):
    """How a person's visit ended."""

    COMPLETED = "completed"
    SCREENED_OUT = "screened_out"  # not the right person for this work, or no work left for them
    FAILED = "failed"  # the team gives them no further task
    LEFT_EARLY = "left_early"  # stopped before what the campaign asks for was done
    NO_CONSENT = "no_consent"  # did not agree, or withdrew before answering


@dataclass(frozen=True)
class Arrival:
    """Somebody who comes in: who they are there (the same person always has the same id), and what was sent along."""

    external_id: str
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Preview:
    """Somebody who only looks: nothing is stored."""


@dataclass(frozen=True)
class Completion:
    """What a person takes back: an address to go to, a code to paste, or nothing."""

    kind: Literal["redirect", "code", "none"]
    code: str = ""
    url: str = ""
    site: str = ""  # what the provider is called on the page


@dataclass(frozen=True)
class Door:
    """What a researcher enters at the provider: what follows "?" in the address, and the codes by outcome."""

    site: str
    query: str = ""
    added: tuple[str, ...] = ()  # parameters that the site puts there by itself
    is_sample: bool = False  # what the site fills in is not known: the placeholders only show where
    codes: Mapping[str, str] = field(default_factory=dict)


class CrowdProvider(Protocol):
    """A place people come from. Holds no state; every method may be repeated."""

    name: ClassVar[str]

    def check(self, settings: Settings) -> None:
        """Raise InvalidInput that names the field when a campaign cannot work with these settings."""

    def door(self, settings: Settings) -> Door | None:
        """Return what the provider has to be told; None for people of our own."""

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        """Return who came with this address; None when it says neither who they are nor that they only look."""

    def participant_id(self, external_id: str) -> str:
        """Return the id by which the provider itself knows this person."""

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        """Return what somebody takes back; `arrival` is None when nothing is known of them any more."""
