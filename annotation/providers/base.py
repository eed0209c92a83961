"""What a provider of people is: how people arrive from it, and how they go back.

Every provider is a `CrowdProvider`. What only some of them can do (frame our pages, publish and pay, rehearse) is a
protocol of its own below; callers ask with `isinstance` before they use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from kernel.errors import InvalidInput, TesaError, Unavailable

Settings = Mapping[str, Any]  # campaign.provider_settings


def wrong_setting(name: str, problem: str) -> InvalidInput:
    return InvalidInput(problem, field=f"provider_settings.{name}")


class Outcome(StrEnum):
    """How a person's visit ended."""

    COMPLETED = "completed"
    SCREENED_OUT = "screened_out"  # not the right person for this work, or no work left for them
    EXCLUDED = "failed"  # the team gives them no further task
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
    tells: ClassVar[str]  # below the label: what choosing it means, in a few words
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


# ---- What marketplaces can do. Calls that spend money carry a token, stored before the call: with the same token, a
# repeated call changes nothing.


class Refused(TesaError):
    """The platform understood a call and did not carry it out; repeating it would not help."""

    code = "refused"
    status = 409

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason  # the platform's own code
        super().__init__(message)


class NotSent(Unavailable):
    """The platform did not carry a call out (too many calls, no connection); it can be sent again at any time."""


class Doubtful(Unavailable):
    """Nobody knows whether the platform carried a call out: it must be asked."""


@dataclass(frozen=True)
class PostingTerms:
    """The work as a platform offers it to its people."""

    title: str
    description: str
    url: str  # where people arrive
    reward: Decimal  # for one visit, in the campaign's currency
    places: int
    seconds: int  # for one visit
    key: str = ""  # our name for it, by which it is found again
    campaign: str = ""  # our name for the group it belongs to
    grants: tuple[str, ...] = ()  # our keys of what people must hold to be offered it


@dataclass(frozen=True)
class Submission:
    """One visit as the platform lists it."""

    id: str
    external_id: str  # as in Arrival
    state: Literal["submitted", "approved", "rejected"]
    submitted_at: datetime | None = None
    approve_by: datetime | None = None  # when the platform approves it by itself
    feedback: str = ""


@dataclass(frozen=True)
class Bonus:
    """A bonus as the platform lists it."""

    name: str  # our token, or for one that is not ours a name that stays the same
    submission_id: str
    cents: int
    reason: str


@dataclass(frozen=True)
class Listing:
    """A posting as the platform sees it now."""

    places: int
    is_open: bool  # still lets people in
    available: int  # places that nobody has accepted
    pending: int  # people at work on it


@dataclass(frozen=True)
class PostingThere:
    """A posting as the platform lists it among all of the account."""

    id: str
    key: str  # ours, if we made it
    is_open: bool  # still lets people in
    reward_cents: int  # for one visit
    places: int
    unused: int  # places whose money comes back unless somebody submits work


class Market(Protocol):
    """The account of an installation at a marketplace, connected for one campaign. Only jobs hold one."""

    def publish(self, posting: PostingTerms, *, token: str) -> str:
        """Offer the work to the platform's people; return the posting's id there."""

    def find(self, key: str) -> str:
        """Return the id of the posting with our key, or "" if there is none. Reads all postings: slow."""

    def postings(self) -> Iterable[PostingThere]:
        """Yield every posting of the account."""

    def listing(self, posting_id: str) -> Listing: ...

    def close(self, posting_id: str) -> None:
        """Let nobody new in. A posting that is already closed stays so."""

    def reopen(self, posting_id: str, until: datetime) -> None:
        """Let people in again. Repeating it has no effect."""

    def collect(self, posting_id: str) -> Iterable[Submission]:
        """Return the visits that the platform knows, each once."""

    def state_of(self, submission_id: str) -> Literal["submitted", "approved", "rejected", ""]:
        """Return what became of a visit; "" if the platform has none of that id."""

    def approve(self, submission_id: str) -> None:
        """Accept a visit, which pays it. A visit that is already approved stays so."""

    def reject(self, submission_id: str, *, reason: str) -> None:
        """Refuse to pay a visit; the person reads the reason."""

    def overturn(self, submission_id: str, *, reason: str) -> None:
        """Approve a visit that was rejected."""

    def bonus(self, submission: Submission, amount: Decimal, *, reason: str, token: str) -> None:
        """Pay a person more than their visit's reward."""

    def was_paid(self, submission_id: str, token: str) -> bool:
        """Say whether the bonus with this token has been paid."""

    def bonuses(self, posting_id: str) -> Iterable[Bonus]:
        """Return every bonus that was paid for a posting's visits."""

    def keep_out(self, campaign: str, external_id: str) -> None:
        """Offer this person no further posting of the campaign. It is no rejection. Repeating it has no effect."""

    def let_in(self, campaign: str, external_id: str) -> None:
        """Offer this person the campaign's postings again. Somebody who is not kept out stays so."""

    def grant(self, key: str, external_id: str) -> None:
        """Let the platform know that this person holds the grant with our key. Repeating it has no effect."""

    def ungrant(self, key: str, external_id: str) -> None:
        """Let the platform know that they do not. Somebody who does not hold it stays so."""

    def block(self, external_id: str, *, reason: str) -> None:
        """Offer this person no work of the account at all. Repeating it replaces the reason."""

    def unblock(self, external_id: str) -> None:
        """Lift a block. Somebody who is not blocked stays so."""

    def balance_cents(self) -> int: ...


@runtime_checkable
class Marketplace(CrowdProvider, Protocol):
    """A provider whose people accept one task at a time on its own site and answer it in a frame of its pages.

    Its fees come on top of the reward, and it lets `most_places` people do one posting before they rise.
    """

    currency: ClassVar[str]
    most_places: ClassVar[int]
    worker_provider: ClassVar[str]

    def connect(self, settings: Settings, installation: Settings) -> Market:
        """Connect with the installation's keys; raise InvalidInput if its address is refused."""

    def account(self, settings: Settings, installation: Settings) -> str:
        """Return the name of the account that `connect` uses. It is no secret."""

    def acceptance(self, arrival: Arrival) -> tuple[str, str]:
        """Return our key of the posting that somebody accepted, and the platform's name for the acceptance."""

    def fee(self, settings: Settings, cents: int, *, places: int = 1) -> int:
        """Return the platform's fee on a reward or bonus, in cents."""

    def lifetime_s(self, settings: Settings) -> int:
        """Return for how many seconds a posting is offered."""

    def approves_at_once(self, settings: Settings) -> bool:
        """Say whether stored answers are approved without waiting for a review."""


class Guest(Protocol):
    """A simulated person at the platform's own pages."""

    def accept(self) -> str:
        """Accept the next piece of work; return the path of its frame, or "" if none is left for this person."""

    def submit(self, page: Any) -> bool:
        """Hand over what was accepted last, by the form on the frame's page; False if there is none."""

    def give_back(self) -> None:
        """Return everything that is accepted and not handed over."""

    def close(self) -> None: ...


class Sandbox(Market, Protocol):
    """An account with play money, a clock that can be moved, and simulated people alone."""

    def pass_time(self, seconds: int) -> None:
        """Move the clock forward."""

    def add_money(self, cents: int) -> None: ...

    def invite(self, site: str, posting_id: str, number: int) -> Sequence[Guest]:
        """Invent people who do work like this posting at the worker site of this address."""


@runtime_checkable
class Rehearses(Marketplace, Protocol):
    """A marketplace on which a campaign's copy can be tried out."""

    def rehearsal_settings(self, settings: Settings) -> dict[str, Any]:
        """Return the settings of a campaign's copy in the sandbox, which makes no demands on people."""

    def approval_s(self, settings: Settings) -> int:
        """Return after how many seconds the platform approves work by itself."""

    def sandbox(self, settings: Settings, installation: Settings) -> Sandbox:
        """Connect to the sandbox that the settings of a copy name."""
