"""What a provider of people is: how people arrive from it, and how they go back.

Every provider is a `CrowdProvider`. What only some of them can do (frame our pages, publish work, approve it, pay a
bonus …) is a protocol of its own below; callers ask with `isinstance` before they use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

Settings = Mapping[str, Any]  # campaign.provider_settings


class Outcome(StrEnum):
    """How a person's visit ended."""

    COMPLETED = "completed"
    SCREENED_OUT = "screened_out"  # not the right person for this work, or no work left for them
    FAILED = "failed"  # the team gives them no further task
    LEFT_EARLY = "left_early"  # stopped before giving all the answers that the campaign asks for
    NO_CONSENT = "no_consent"  # did not agree, or withdrew before answering


@dataclass(frozen=True)
class Arrival:
    """Somebody whom a provider sent: their id there, which never changes, and what the address said beside it."""

    external_id: str
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Preview:
    """Somebody who only looks: nothing is stored."""


@dataclass(frozen=True)
class Completion:
    """How a person goes back: by a link, by a form to post, with a code to paste, or with nothing."""

    kind: Literal["redirect", "post_form", "code", "none"]
    code: str = ""
    url: str = ""  # of the link, or the form's action
    site: str = ""  # what the provider is called on the page
    fields: Mapping[str, str] = field(default_factory=dict)  # the form's hidden fields


@dataclass(frozen=True)
class Door:
    """What a researcher enters at the provider: what follows "?" in the address, and the codes by outcome."""

    site: str
    query: str = ""
    added: tuple[str, ...] = ()  # parameters that the site adds by itself
    is_sample: bool = False  # the site's placeholders are unknown: the ones in `query` only show where they go
    codes: Mapping[str, str] = field(default_factory=dict)


class CrowdProvider(Protocol):
    """A place people come from. Holds no state; every method may be repeated."""

    name: ClassVar[str]  # also of its folders: annotation/providers/<name>/, templates/annotation/providers/<name>/
    label: ClassVar[str]  # in the campaign form, under "Who answers"
    came: ClassVar[str]  # how its people came in, after a date
    ask: ClassVar[tuple[str, str]]  # on a campaign's page: the id of the part about asking people, and a link's text
    settings_form: ClassVar[str]  # dotted path of a `ProviderForm`; "" = there is nothing to set
    takes_own_people: ClassVar[bool]  # who have an account here or a link of ours; otherwise the provider sends people
    pays: ClassVar[bool]  # people are paid through the provider, not by the team
    kept_details: ClassVar[tuple[str, ...]]  # names in `Arrival.details` that say nothing about a person

    def check(self, settings: Settings) -> None:
        """Raise InvalidInput that names the field if a campaign cannot work with these settings."""

    def door(self, settings: Settings) -> Door | None:
        """Return what a researcher enters at the provider; None if it takes our own people."""

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        """Identify the visitor by the query of their address; None if it is malformed."""

    def participant_id(self, external_id: str) -> str:
        """Return the id by which the provider itself knows this person."""

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        """Return how somebody goes back; `arrival` is None once they withdrew and their id is erased."""


@runtime_checkable
class Embeds(Protocol):
    """A provider that shows our pages in a frame, or takes people back by a form. Others can do neither.

    Both return origins such as https://site.example, which go into the security headers of its campaigns' pages.
    """

    def frame_ancestors(self, settings: Settings) -> tuple[str, ...]: ...

    def form_targets(self, settings: Settings) -> tuple[str, ...]: ...


# ---- What paid platforms can do. The caller hands in a client of the platform, so that tests hand in a stand-in.
# Calls that spend money carry a token, stored before the call: with the same token, a repeated call changes nothing.


@dataclass(frozen=True)
class Posting:
    """The work as a platform offers it to its people."""

    title: str
    description: str
    url: str  # where people arrive
    reward: Decimal  # for one visit, in the campaign's currency
    places: int
    seconds: int  # for one visit


@dataclass(frozen=True)
class Submission:
    """One visit as the platform lists it."""

    id: str
    external_id: str  # as in Arrival
    state: Literal["submitted", "approved", "rejected"]


@runtime_checkable
class Publishes(Protocol):
    def publish(self, client: Any, settings: Settings, posting: Posting, *, token: str) -> str:
        """Offer the work to the platform's people; return the posting's id there."""


@runtime_checkable
class Collects(Protocol):
    def collect(self, client: Any, posting_id: str) -> Iterable[Submission]:
        """Return the visits that the platform knows, each once."""


@runtime_checkable
class Approves(Protocol):
    def approve(self, client: Any, submission_id: str) -> None:
        """Accept a visit, which pays it. A visit that is already approved stays so."""


@runtime_checkable
class Rejects(Protocol):
    def reject(self, client: Any, submission_id: str, *, reason: str) -> None:
        """Refuse to pay a visit; the person reads the reason."""


@runtime_checkable
class PaysBonus(Protocol):
    def bonus(self, client: Any, submission: Submission, amount: Decimal, *, reason: str, token: str) -> None:
        """Pay a person more than their visit's reward."""


@runtime_checkable
class Closes(Protocol):
    def close(self, client: Any, posting_id: str) -> None:
        """Let nobody new in. A posting that is already closed stays so."""
