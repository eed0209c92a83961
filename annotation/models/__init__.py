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
from annotation.models.payments import LateChoice, LateDecision, Payment, PaymentDetail
from annotation.models.people import Invite, Participation, Worker, WorkerVerdict, simulated
from annotation.models.releases import Release, ReleaseDiscard, ReleaseExport, ReleaseItem, RetiredVersion
from annotation.models.reviews import AgreementReport, AppendOnly, Review, ReviewItem, ReviewState, Verdict

__all__ = [
    "AgreementReport",
    "Annotation",
    "AnnotationVersion",
    "AppendOnly",
    "Assignment",
    "AssignmentStatus",
    "Campaign",
    "CampaignStatus",
    "Instructions",
    "Invite",
    "LateChoice",
    "LateDecision",
    "Participation",
    "Payment",
    "PaymentDetail",
    "PracticeAnswer",
    "ProblemReport",
    "Release",
    "ReleaseDiscard",
    "ReleaseExport",
    "ReleaseItem",
    "RetiredVersion",
    "Review",
    "ReviewItem",
    "ReviewState",
    "Task",
    "Verdict",
    "Worker",
    "WorkerVerdict",
    "new_secret",
    "simulated",
]
