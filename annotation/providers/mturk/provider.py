"""HITs of a marketplace that speaks the MTurk protocol: by default our own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, ClassVar, Literal, cast
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from annotation.providers.base import (
    Arrival,
    Bonus,
    Completion,
    Door,
    Outcome,
    Posting,
    Preview,
    Refused,
    Settings,
    Standing,
    Submission,
)
from annotation.providers.mturk.client import Client
from annotation.providers.mturk.settings import DEMANDS, LIMITS, MTurkSettings, mturk_settings
from annotation.providers.mturk.worker_site import Guest

State = Literal["submitted", "approved", "rejected"]
NOBODY = "ASSIGNMENT_ID_NOT_AVAILABLE"
ENTITY, WORKER, KEY = (re.compile(rule) for rule in (r"[A-Z0-9]{1,64}", r"A[A-Z0-9]{1,63}", r"[\w-]{1,32}"))
REFERENCE = re.compile(r"\((bonus-[\w-]{1,58})\)$")  # ends the reason of our bonuses
PAST = datetime(2020, 1, 1, tzinfo=UTC)
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>'
)
# Not a campaign's. `sites` are the origins of worker sites that may frame our pages; the first is our own.
INSTALLATION = ("sites", "endpoint", "keys", "sandbox_keys", "allow_aws")


class MTurk:
    name: ClassVar[str] = "mturk"
    label: ClassVar[str] = "Marketplace (MTurk)"
    tells: ClassVar[str] = "HITs on this installation's own marketplace"
    came: ClassVar[str] = "from the marketplace"
    ask: ClassVar[tuple[str, str]] = ("marketplace", "Publish HITs")
    settings_form: ClassVar[str] = "annotation.providers.mturk.forms.MTurkForm"
    takes_own_people: ClassVar[bool] = False
    pays: ClassVar[bool] = True
    kept_details: ClassVar[tuple[str, ...]] = ("hit",)
    currency: ClassVar[str] = "USD"
    most_places: ClassVar[int] = 9
    worker_provider: ClassVar[str] = "mturk"

    def check(self, settings: Settings) -> None:
        mturk_settings(settings)

    def door(self, settings: Settings) -> Door | None:
        return Door("the marketplace", added=("assignmentId", "hitId", "workerId", "turkSubmitTo"))

    def arrival(self, settings: Settings, query: Mapping[str, str]) -> Arrival | Preview | None:
        assignment = query.get("assignmentId", "")
        if assignment in ("", NOBODY):
            return Preview()
        hit, worker, submit_to = (query.get(name, "") for name in ("hitId", "workerId", "turkSubmitTo"))
        is_whole = ENTITY.fullmatch(assignment) and ENTITY.fullmatch(hit) and WORKER.fullmatch(worker)
        if not is_whole or not KEY.fullmatch(query.get("posting", "")) or not _is_allowed(settings, submit_to):
            return None
        details = {"assignment": assignment, "hit": hit, "posting": query["posting"], "submit_to": submit_to}
        return Arrival(worker, details)

    def participant_id(self, external_id: str) -> str:
        return external_id

    def completion(self, settings: Settings, outcome: Outcome, arrival: Arrival | None = None) -> Completion:
        if arrival is None or not arrival.details.get("submit_to"):
            return Completion("none", site="the marketplace")
        details = arrival.details
        url = f"{details['submit_to'].rstrip('/')}/mturk/externalSubmit"
        sent = {"assignmentId": details["assignment"], "receipt": details["posting"], "outcome": outcome.value}
        return Completion("post_form", url=url, site="the marketplace", fields=sent)

    # ---- Our pages in its frame

    def frame_ancestors(self, settings: Settings) -> tuple[str, ...]:
        return ("'self'", *settings.get("sites", ())[1:])

    def form_targets(self, settings: Settings) -> tuple[str, ...]:
        return tuple(settings.get("sites", ())[1:])

    def acceptance(self, arrival: Arrival) -> tuple[str, str]:
        return arrival.details["posting"], arrival.details["assignment"]

    # ---- Prices and times

    def fee(self, settings: Settings, cents: int, *, places: int = 1) -> int:
        return max(1, (cents * (40 if places > self.most_places else 20) + 50) // 100)

    def lifetime_s(self, settings: Settings) -> int:
        return _campaigns(settings).lifetime_hours * 3600

    def approves_at_once(self, settings: Settings) -> bool:
        return _campaigns(settings).approve == "stored"

    # ---- Calls

    def connect(self, settings: Settings, installation: Settings) -> Client:
        keys = installation["sandbox_keys" if _campaigns(settings).rehearsal else "keys"]
        return Client(installation["endpoint"], *keys, allow_aws=installation["allow_aws"])

    def account(self, settings: Settings, installation: Settings) -> str:
        return str(installation["sandbox_keys" if _campaigns(settings).rehearsal else "keys"][0])

    def publish(self, client: Client, settings: Settings, posting: Posting, *, token: str) -> str:
        asked = _campaigns(settings)
        question = QUESTION.format(url=escape(posting.url), height=asked.frame_height)
        try:
            made = client.call(
                "create_hit_with_hit_type",
                HITTypeId=self.hit_type(client, asked, posting),
                MaxAssignments=posting.places,
                LifetimeInSeconds=asked.lifetime_hours * 3600,
                Question=question,
                RequesterAnnotation=posting.key,
                UniqueRequestToken=token,
            )
        except Refused as refused:
            if refused.reason.lower().endswith("hitalreadyexists"):
                return self._made_before(client, refused, posting.key)
            raise
        return str(made["HIT"]["HITId"])

    def _made_before(self, client: Client, refused: Refused, key: str) -> str:
        """Return the HIT that the message of a repeated call names, if it is really ours."""
        for word in re.findall(r"[A-Z0-9]{20,64}", str(refused)):
            if client.call("get_hit", HITId=word)["HIT"].get("RequesterAnnotation") == key:
                return str(word)
        raise refused

    def hit_type(self, client: Client, asked: MTurkSettings, posting: Posting) -> str:
        """Return the HIT type of a campaign. The same values always give the same one."""
        name = f"type {posting.campaign} {posting.reward} {posting.seconds}"
        if name not in client.known:
            out = {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"}
            kept_out = {"QualificationTypeId": self._exclusion(client, posting.campaign), **out}
            made = client.call(
                "create_hit_type",
                Title=asked.title,
                Description=asked.description,
                Keywords=asked.keywords,
                Reward=f"{posting.reward:.2f}",
                AssignmentDurationInSeconds=posting.seconds,
                AutoApprovalDelayInSeconds=asked.approval_days * 86400,
                QualificationRequirements=[*asked.requirements(), kept_out],
            )
            client.known[name] = str(made["HITTypeId"])
        return client.known[name]

    def _exclusion(self, client: Client, campaign: str) -> str:
        """Return the id of the qualification that people have who get no further HIT of a campaign."""
        name = f"No further tasks in {campaign}"
        if name not in client.known:
            description = (
                "People with this qualification are offered no further HITs of one campaign. It is no rejection."
            )
            owned = {"MustBeRequestable": False, "MustBeOwnedByCaller": True, "Query": name}
            types = [type_ for type_ in client.pages("list_qualification_types", "QualificationTypes", **owned)
                     if type_["Name"] == name]  # fmt: skip
            made = types[0] if types else client.call(
                "create_qualification_type", Name=name, Description=description, QualificationTypeStatus="Active"
            )["QualificationType"]  # fmt: skip
            client.known[name] = str(made["QualificationTypeId"])
        return client.known[name]

    def find(self, client: Client, key: str) -> str:
        rows = client.pages("list_hits", "HITs")
        return next((str(hit["HITId"]) for hit in rows if hit.get("RequesterAnnotation") == key), "")

    def postings(self, client: Client) -> Iterator[tuple[str, str, bool]]:
        for hit in client.pages("list_hits", "HITs"):
            is_open = hit["HITStatus"] == "Assignable" and hit["Expiration"] > datetime.now(UTC)
            yield hit["HITId"], hit.get("RequesterAnnotation", ""), is_open

    def standing(self, client: Client, posting_id: str) -> Standing:
        hit = client.call("get_hit", HITId=posting_id)["HIT"]
        is_open = hit["HITStatus"] == "Assignable" and hit["Expiration"] > datetime.now(UTC)
        free, pending = hit["NumberOfAssignmentsAvailable"], hit["NumberOfAssignmentsPending"]
        return Standing(hit["MaxAssignments"], is_open, free, pending)

    def close(self, client: Client, posting_id: str) -> None:
        self._set_expiry(client, posting_id, PAST)

    def reopen(self, client: Client, posting_id: str, until: datetime) -> None:
        self._set_expiry(client, posting_id, until)

    def _set_expiry(self, client: Client, posting_id: str, moment: datetime) -> None:
        try:
            client.call("update_expiration_for_hit", HITId=posting_id, ExpireAt=moment)
        except Refused as refused:
            if "already been processed" not in str(refused):  # the same expiry twice is an error there
                raise

    def collect(self, client: Client, posting_id: str) -> Iterator[Submission]:
        for row in client.pages("list_assignments_for_hit", "Assignments", HITId=posting_id):
            yield Submission(
                id=row["AssignmentId"],
                external_id=row["WorkerId"],
                state=cast("State", row["AssignmentStatus"].lower()),
                submitted_at=row.get("SubmitTime"),
                approve_by=row.get("AutoApprovalTime"),
                feedback=row.get("RequesterFeedback", ""),
            )

    def state_of(self, client: Client, submission_id: str) -> Literal["submitted", "approved", "rejected", ""]:
        try:
            row = client.call("get_assignment", AssignmentId=submission_id)["Assignment"]
        except Refused as refused:
            if refused.reason.endswith("AssignmentDoesNotExist"):
                return ""
            raise
        return cast("State", row["AssignmentStatus"].lower())

    def approve(self, client: Client, submission_id: str) -> None:
        self._decide(client, "approved", "approve_assignment", AssignmentId=submission_id)

    def reject(self, client: Client, submission_id: str, *, reason: str) -> None:
        self._decide(client, "rejected", "reject_assignment", AssignmentId=submission_id, RequesterFeedback=reason)

    def overturn(self, client: Client, submission_id: str, *, reason: str) -> None:
        parameters = {"AssignmentId": submission_id, "RequesterFeedback": reason, "OverrideRejection": True}
        self._decide(client, "approved", "approve_assignment", **parameters)

    def _decide(self, client: Client, wanted: str, operation: str, **parameters: Any) -> None:
        """Make a decision. One that was made before is refused by the protocol, and is as good."""
        try:
            client.call(operation, **parameters)
        except Refused:
            if self.state_of(client, parameters["AssignmentId"]) != wanted:
                raise

    def bonus(self, client: Client, submission: Submission, amount: Decimal, *, reason: str, token: str) -> None:
        try:
            client.call(
                "send_bonus",
                WorkerId=submission.external_id,
                AssignmentId=submission.id,
                BonusAmount=f"{amount:.2f}",
                Reason=f"{reason} ({token})",
                UniqueRequestToken=token,
            )
        except Refused as refused:
            if not refused.reason.lower().endswith(("duplicatecall", "alreadyexists")):
                raise

    def was_paid(self, client: Client, submission_id: str, token: str) -> bool:
        rows = client.pages("list_bonus_payments", "BonusPayments", AssignmentId=submission_id)
        return any(row["Reason"].endswith(f"({token})") for row in rows)

    def bonuses(self, client: Client, posting_id: str) -> Iterator[Bonus]:
        for row in client.pages("list_bonus_payments", "BonusPayments", HITId=posting_id):
            cents, reason = int(Decimal(row["BonusAmount"]) * 100), row.get("Reason", "")
            if ours := REFERENCE.search(reason):
                name = ours[1]
            else:
                text = f"{row['AssignmentId']} {row['GrantTime'].isoformat()} {cents} {reason}"
                name = f"bonus-there-{sha256(text.encode()).hexdigest()[:40]}"
            yield Bonus(name, row["AssignmentId"], cents, reason)

    def keep_out(self, client: Client, campaign: str, external_id: str) -> None:
        client.call(
            "associate_qualification_with_worker",
            QualificationTypeId=self._exclusion(client, campaign),
            WorkerId=external_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def block(self, client: Client, external_id: str, *, reason: str) -> None:
        client.call("create_worker_block", WorkerId=external_id, Reason=reason)

    def unblock(self, client: Client, external_id: str) -> None:
        client.call("delete_worker_block", WorkerId=external_id)

    # ---- Rehearsals

    def rehearsal_settings(self, settings: Settings) -> dict[str, Any]:
        same = {name: value for name, value in settings.items() if name not in DEMANDS}
        return {**same, "lifetime_hours": LIMITS["lifetime_hours"][1], "rehearsal": True}  # the clock is moved far

    def approval_s(self, settings: Settings) -> int:
        return _campaigns(settings).approval_days * 86400

    def pass_time(self, client: Client, seconds: int) -> None:
        ahead = client.sandbox("Configure")["ClockOffsetSeconds"]
        client.sandbox("Configure", ClockOffsetSeconds=ahead + seconds)

    def add_money(self, client: Client, cents: int) -> None:
        client.sandbox("Deposit", Cents=cents)

    def invite(self, client: Client, site: str, posting_id: str, number: int) -> list[Guest]:
        group = client.call("get_hit", HITId=posting_id)["HIT"]["HITGroupId"]
        invented = client.sandbox("InventWorkers", Count=number)["Workers"]
        return [Guest(site, worker["Secret"], group) for worker in invented]

    def balance_cents(self, client: Client) -> int:
        return int(Decimal(client.call("get_account_balance")["AvailableBalance"]) * 100)


def _campaigns(settings: Settings) -> MTurkSettings:
    return mturk_settings({name: value for name, value in settings.items() if name not in INSTALLATION})


def _is_allowed(settings: Settings, address: str) -> bool:
    """Say whether an answer may be submitted there: only to a site that the installation names."""
    try:
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        return False
    return origin in settings.get("sites", ()) and len(address) <= 500 and not re.search(r"[\s\\?#]", address)


MTURK = MTurk()
