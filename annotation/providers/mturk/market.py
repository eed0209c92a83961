"""An account at a marketplace that speaks the MTurk protocol, connected for one campaign."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Literal, cast
from xml.sax.saxutils import escape

from annotation.providers.base import Bonus, Listing, PostingTerms, PostingThere, Refused, Submission
from annotation.providers.mturk.client import Client
from annotation.providers.mturk.settings import MTurkSettings
from annotation.providers.mturk.worker_site import MTurkGuest

State = Literal["submitted", "approved", "rejected"]
REFERENCE = re.compile(r"\((bonus-[\w-]{1,58})\)$")  # ends the reason of our bonuses
PAST = datetime(2020, 1, 1, tzinfo=UTC)
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>'
)


@dataclass
class MTurkMarket:
    client: Client
    asked: MTurkSettings  # what the campaign asks for

    def publish(self, posting: PostingTerms, *, token: str) -> str:
        asked = self.asked
        question = QUESTION.format(url=escape(posting.url), height=asked.frame_height)
        try:
            made = self.client.call(
                "create_hit_with_hit_type",
                HITTypeId=self.hit_type(posting),
                MaxAssignments=posting.places,
                LifetimeInSeconds=asked.lifetime_hours * 3600,
                Question=question,
                RequesterAnnotation=posting.key,
                UniqueRequestToken=token,
            )
        except Refused as refused:
            if refused.reason.lower().endswith("hitalreadyexists"):
                return self._made_before(refused, posting.key)
            raise
        return str(made["HIT"]["HITId"])

    def _made_before(self, refused: Refused, key: str) -> str:
        """Return the HIT that the message of a repeated call names, if it is really ours."""
        for word in re.findall(r"[A-Z0-9]{20,64}", str(refused)):
            if self.client.call("get_hit", HITId=word)["HIT"].get("RequesterAnnotation") == key:
                return str(word)
        raise refused

    def hit_type(self, posting: PostingTerms) -> str:
        """Return the HIT type of a campaign. The same values always give the same one."""
        asked, name = self.asked, f"type {posting.campaign} {posting.reward} {posting.seconds}"
        if name not in self.client.known:
            out = {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"}
            kept_out = {"QualificationTypeId": self._exclusion(posting.campaign), **out}
            held = {"Comparator": "Exists", "ActionsGuarded": "DiscoverPreviewAndAccept"}
            granted = [{"QualificationTypeId": self._grant_type(key), **held} for key in posting.grants]
            made = self.client.call(
                "create_hit_type",
                Title=asked.title,
                Description=asked.description,
                Keywords=asked.keywords,
                Reward=f"{posting.reward:.2f}",
                AssignmentDurationInSeconds=posting.seconds,
                AutoApprovalDelayInSeconds=asked.approval_days * 86400,
                QualificationRequirements=[*asked.requirements(), kept_out, *granted],
            )
            self.client.known[name] = str(made["HITTypeId"])
        return self.client.known[name]

    def _exclusion(self, campaign: str) -> str:
        """Return the id of the qualification that people have who get no further HIT of a campaign."""
        about = "People with this qualification are offered no further HITs of one campaign. It is no rejection."
        return self._own_type(f"No further tasks in {campaign}", about)

    def _grant_type(self, key: str) -> str:
        """Return the id of the qualification that people have who hold a grant."""
        return self._own_type(f"Grant {key}", "People whom the requester has chosen for some of their HITs.")

    def _own_type(self, name: str, about: str) -> str:
        """Return the id of our qualification type of this name, made if there is none."""
        if name not in self.client.known:
            owned = {"MustBeRequestable": False, "MustBeOwnedByCaller": True, "Query": name}
            types = [type_ for type_ in self.client.pages("list_qualification_types", "QualificationTypes", **owned)
                     if type_["Name"] == name]  # fmt: skip
            made = types[0] if types else self.client.call(
                "create_qualification_type", Name=name, Description=about, QualificationTypeStatus="Active"
            )["QualificationType"]  # fmt: skip
            self.client.known[name] = str(made["QualificationTypeId"])
        return self.client.known[name]

    def find(self, key: str) -> str:
        rows = self.client.pages("list_hits", "HITs")
        return next((str(hit["HITId"]) for hit in rows if hit.get("RequesterAnnotation") == key), "")

    def postings(self) -> Iterator[PostingThere]:
        for hit in self.client.pages("list_hits", "HITs"):
            is_assignable = hit["HITStatus"] == "Assignable"  # an expired HIT locks the money of people at work alone
            free = hit["NumberOfAssignmentsAvailable"] if is_assignable else 0
            yield PostingThere(
                id=hit["HITId"],
                key=hit.get("RequesterAnnotation", ""),
                is_open=is_assignable and hit["Expiration"] > datetime.now(UTC),
                reward_cents=int(Decimal(hit["Reward"]) * 100),
                places=hit["MaxAssignments"],
                unused=free + hit["NumberOfAssignmentsPending"],
            )

    def listing(self, posting_id: str) -> Listing:
        hit = self.client.call("get_hit", HITId=posting_id)["HIT"]
        is_open = hit["HITStatus"] == "Assignable" and hit["Expiration"] > datetime.now(UTC)
        free, pending = hit["NumberOfAssignmentsAvailable"], hit["NumberOfAssignmentsPending"]
        return Listing(hit["MaxAssignments"], is_open, free, pending)

    def close(self, posting_id: str) -> None:
        self._set_expiry(posting_id, PAST)

    def reopen(self, posting_id: str, until: datetime) -> None:
        self._set_expiry(posting_id, until)

    def _set_expiry(self, posting_id: str, moment: datetime) -> None:
        try:
            self.client.call("update_expiration_for_hit", HITId=posting_id, ExpireAt=moment)
        except Refused as refused:
            if "already been processed" not in str(refused):  # the same expiry twice is an error there
                raise

    def collect(self, posting_id: str) -> Iterator[Submission]:
        for row in self.client.pages("list_assignments_for_hit", "Assignments", HITId=posting_id):
            yield Submission(
                id=row["AssignmentId"],
                external_id=row["WorkerId"],
                state=cast("State", row["AssignmentStatus"].lower()),
                submitted_at=row.get("SubmitTime"),
                approve_by=row.get("AutoApprovalTime"),
                feedback=row.get("RequesterFeedback", ""),
            )

    def state_of(self, submission_id: str) -> Literal["submitted", "approved", "rejected", ""]:
        try:
            row = self.client.call("get_assignment", AssignmentId=submission_id)["Assignment"]
        except Refused as refused:
            if refused.reason.endswith("AssignmentDoesNotExist"):
                return ""
            raise
        return cast("State", row["AssignmentStatus"].lower())

    def approve(self, submission_id: str) -> None:
        self._decide("approved", "approve_assignment", AssignmentId=submission_id)

    def reject(self, submission_id: str, *, reason: str) -> None:
        self._decide("rejected", "reject_assignment", AssignmentId=submission_id, RequesterFeedback=reason)

    def overturn(self, submission_id: str, *, reason: str) -> None:
        parameters = {"AssignmentId": submission_id, "RequesterFeedback": reason, "OverrideRejection": True}
        self._decide("approved", "approve_assignment", **parameters)

    def _decide(self, wanted: str, operation: str, **parameters: Any) -> None:
        """Make a decision. One that was made before is refused by the protocol, and is as good."""
        try:
            self.client.call(operation, **parameters)
        except Refused:
            if self.state_of(parameters["AssignmentId"]) != wanted:
                raise

    def bonus(self, submission: Submission, amount: Decimal, *, reason: str, token: str) -> None:
        try:
            self.client.call(
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

    def was_paid(self, submission_id: str, token: str) -> bool:
        rows = self.client.pages("list_bonus_payments", "BonusPayments", AssignmentId=submission_id)
        return any(row["Reason"].endswith(f"({token})") for row in rows)

    def bonuses(self, posting_id: str) -> Iterator[Bonus]:
        seen: Counter[str] = Counter()  # somebody may pay the same twice in one second
        for row in self.client.pages("list_bonus_payments", "BonusPayments", HITId=posting_id):
            cents, reason = int(Decimal(row["BonusAmount"]) * 100), row.get("Reason", "")
            if ours := REFERENCE.search(reason):
                name = ours[1]
            else:
                text = f"{row['AssignmentId']} {row['GrantTime'].isoformat()} {cents} {reason}"
                seen[text] += 1
                text += f" {seen[text]}" if seen[text] > 1 else ""
                name = f"bonus-there-{sha256(text.encode()).hexdigest()[:40]}"
            yield Bonus(name, row["AssignmentId"], cents, reason)

    def keep_out(self, campaign: str, external_id: str) -> None:
        self._associate(self._exclusion(campaign), external_id)

    def let_in(self, campaign: str, external_id: str) -> None:
        self._disassociate(self._exclusion(campaign), external_id)

    def grant(self, key: str, external_id: str) -> None:
        self._associate(self._grant_type(key), external_id)

    def ungrant(self, key: str, external_id: str) -> None:
        self._disassociate(self._grant_type(key), external_id)

    def _associate(self, type_id: str, external_id: str) -> None:
        self.client.call(
            "associate_qualification_with_worker",
            QualificationTypeId=type_id,
            WorkerId=external_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def _disassociate(self, type_id: str, external_id: str) -> None:
        name = "disassociate_qualification_from_worker"
        try:
            self.client.call(name, QualificationTypeId=type_id, WorkerId=external_id)
        except Refused as refused:
            if not refused.reason.endswith(("QualificationDoesNotExist", "InvalidQualificationState")):
                raise

    def block(self, external_id: str, *, reason: str) -> None:
        self.client.call("create_worker_block", WorkerId=external_id, Reason=reason)

    def unblock(self, external_id: str) -> None:
        self.client.call("delete_worker_block", WorkerId=external_id)

    # ---- In the sandbox

    def pass_time(self, seconds: int) -> None:
        ahead = self.client.sandbox("Configure")["ClockOffsetSeconds"]
        self.client.sandbox("Configure", ClockOffsetSeconds=ahead + seconds)

    def add_money(self, cents: int) -> None:
        self.client.sandbox("Deposit", Cents=cents)

    def invite(self, site: str, posting_id: str, number: int) -> list[MTurkGuest]:
        group = self.client.call("get_hit", HITId=posting_id)["HIT"]["HITGroupId"]
        invented = self.client.sandbox("InventWorkers", Count=number)["Workers"]
        return [MTurkGuest(site, worker["Secret"], group) for worker in invented]

    def balance_cents(self) -> int:
        return int(Decimal(self.client.call("get_account_balance")["AvailableBalance"]) * 100)
