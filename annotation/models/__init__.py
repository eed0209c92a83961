"""Campaigns, the people who work in them, what they wrote, and what became of it."""

from __future__ import annotations

from annotation.models.answers import (
    Annotation,
    AnnotationVersion,
    Assignment,
    AssignmentStatus,
    PracticeAnswer,
    ProblemReport,
)
from annotation.models.campaigns import Campaign, CampaignStatus, Instructions, Task, new_secret
from annotation.models.descriptions import TaskDescription
from annotation.models.follow_ups import FollowUp, FollowUpAuthor, FollowUpItem
from annotation.models.grants import Grant, HeldGrant, is_held
from annotation.models.ledger import CANCELLED, OWED, LedgerEntry, LedgerEvent, LedgerKind, LedgerState, MarketAccount
from annotation.models.participants import (
    SIMULATED_PROVIDERS,
    Invite,
    Participation,
    TrustStop,
    Worker,
    WorkerVerdict,
    simulated,
)
from annotation.models.payments import LateChoice, LateDecision, Payment, PaymentDetail
from annotation.models.placements import (
    STORED,
    USED,
    Difference,
    MarketAction,
    MarketDecision,
    Placement,
    PlacementState,
    Posting,
    PostingState,
    Rejection,
)
from annotation.models.releases import Release, ReleaseDiscard, ReleaseExport, ReleaseItem, RetiredVersion
from annotation.models.reviews import AgreementReport, AppendOnly, Review, ReviewItem, ReviewState, Settlement, Verdict
