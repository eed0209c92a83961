"""What other people said of the pieces of answers in a follow-up: of one task, and of a whole campaign in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Campaign, CampaignStatus, FollowUp, FollowUpItem, Task
from annotation.quality.confirming import (
    CategoryRow,
    PieceOutcome,
    Tally,
    Threshold,
    VotedPiece,
    VoteQuestion,
    by_category,
)
from annotation.releasing.votes import ChosenVotes, TalliesByPiece, VoteCondition
from annotation.selectors.counted_answers import counted_answers
from annotation.selectors.follow_up_votes import votes_in_campaign, voting_parts
from annotation.selectors.progress import simulated_in
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.follow_ups import Confirmation, FollowUpKind, GatheredPiece, gathered

MOST_READ = 1000  # tasks whose pieces a page counts: about a second
NO_VOTES: Tally = {}


def follow_up_of(voting: Campaign) -> FollowUp | None:
    """Return the follow-up whose items this campaign asks about; None if it asks about no answers."""
    return FollowUp.objects.select_related("parent__sample", "sample").filter(sample=voting.sample_id).first()


def voting_campaigns(parent: Campaign) -> list[Campaign]:
    """Return the campaigns that ask about this one's answers, drafts and rehearsals aside, the first made first."""
    rows = Campaign.objects.filter(sample__follow_up__parent=parent).exclude(status=CampaignStatus.DRAFT)
    return [own for own in rows.select_related("sample__follow_up").order_by("pk") if not own.is_rehearsal]


def questions_of(voting: Campaign, kind: FollowUpKind) -> list[VoteQuestion]:
    """Return what the campaign asks about each piece."""
    return [_question(use, kind.headings) for use in voting_parts(voting)]


def _question(use: Any, headings: Mapping[str, str]) -> VoteQuestion:
    options = {own.id: own.label for own in getattr(use, "options", ())}
    return VoteQuestion(use.name, headings.get(use.name) or use.ask, options)


@dataclass(frozen=True)
class Confirmable:
    """A campaign whose people confirm pieces: what a recipe can keep by their votes."""

    voting: Campaign
    confirmation: Confirmation
    threshold: Threshold


def confirmable() -> list[Confirmable]:
    """Return the campaigns by whose votes a release can keep only what people confirm, by name."""
    asked = Campaign.objects.filter(sample__follow_up__parent__isnull=False).exclude(status=CampaignStatus.DRAFT)
    rows = asked.select_related("sample__follow_up__parent").order_by("name")
    return [own for voting in rows if not voting.is_rehearsal and (own := _confirmable(voting))]


def _confirmable(voting: Campaign) -> Confirmable | None:
    row = voting.sample.follow_up
    kind = type_of(row.parent).follow_ups.get(row.kind) if row.parent else None
    if kind is None or kind.confirmation is None:
        return None
    return Confirmable(voting, kind.confirmation, Threshold.two_thirds(voting.redundancy))


# ---- One task ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PieceInReview:
    """A piece of the answers to a task, with what people answered to each question, in words."""

    words: str
    cells: tuple[tuple[str, str], ...]  # heading and votes
    is_asked: bool


@dataclass(frozen=True)
class VotesOnTask:
    """What one campaign's people said of the pieces of a task."""

    voting: Campaign
    headings: tuple[str, ...]
    pieces: tuple[PieceInReview, ...]
    simulated: int  # participants of that campaign who are simulated


def votes_on_task(task: Task, answers: Iterable[CleanedAnswer]) -> list[VotesOnTask]:
    """Return the votes on the pieces of these answers, by each campaign that asks about them."""
    answers = [*answers]
    return [own for voting in voting_campaigns(task.campaign) if (own := _votes_on_task(voting, task, answers))]


def _votes_on_task(voting: Campaign, task: Task, answers: Sequence[CleanedAnswer]) -> VotesOnTask | None:
    kind = type_of(task.campaign).follow_ups.get(voting.sample.follow_up.kind)
    if kind is None:
        return None
    units = FollowUpItem.objects.filter(member__sample=voting.sample_id, source=task).values_list("units", flat=True)
    asked = {unit for own in units for unit in own}
    tallies = votes_in_campaign(voting, simulated=True, sources=[task.pk])
    by_unit = tallies.get(task_key(task.member.key, task.variant), {})
    words = {piece.unit: piece.words for piece in gathered(kind, enumerated(answers))}
    questions = questions_of(voting, kind)
    pieces = tuple(
        PieceInReview(
            words.get(unit) or unit,
            tuple((own.heading, own.in_words(by_unit.get(unit, NO_VOTES))) for own in questions),
            unit in asked,
        )
        for unit in sorted(asked | words.keys())
    )
    return VotesOnTask(voting, tuple(own.heading for own in questions), pieces, simulated_in(voting))


def enumerated(answers: Iterable[CleanedAnswer]) -> list[tuple[str, CleanedAnswer]]:
    """Return answers as `gathered` takes them, where it does not matter who gave them."""
    return [(str(number), answer) for number, answer in enumerate(answers)]


# ---- A whole campaign -------------------------------------------------------------------------------


@dataclass(frozen=True)
class VotedCampaign:
    """The pieces of a campaign's answers with the votes of another, as many as were read."""

    voting: Campaign
    parent: Campaign
    kind: FollowUpKind
    questions: Sequence[VoteQuestion]
    threshold: Threshold
    pieces: Sequence[VotedPiece]
    titles: Mapping[str, str]  # of the items, by the key of the task
    read: int | None  # tasks that were read; None: all

    @property
    def confirmation(self) -> Confirmation | None:
        return self.kind.confirmation

    @property
    def rows(self) -> list[CategoryRow]:
        return by_category(self.pieces, type_of(self.parent).release.categories) if self.confirmation else []

    @property
    def chosen(self) -> ChosenVotes:
        return chosen_votes(self.voting, self.kind)


def chosen_votes(voting: Campaign, kind: FollowUpKind) -> ChosenVotes:
    """Return what a recipe says that keeps only what two of three confirm."""
    own = kind.confirmation
    least = Threshold.two_thirds(voting.redundancy).least
    return ChosenVotes(voting.name, (VoteCondition(own.question, own.answer, least),) if own else ())


def votes_in_figures(voting: Campaign, row: FollowUp, *, most: int | None = MOST_READ) -> VotedCampaign | None:
    """Return the pieces of all answers that count now, with the votes on them; None where the parent is gone.

    Answers of simulated participants are counted if the follow-up asks about them, and all votes.
    """
    parent = row.parent
    kind = type_of(parent).follow_ups.get(row.kind) if parent else None
    if parent is None or kind is None:
        return None
    is_part = most is not None and parent.tasks_made > most
    read = counted_answers(parent, simulated=row.simulated, most=most if is_part else None)
    by_item = [
        (key, item, gathered(kind, ((answer.worker, cleaned) for answer, cleaned in pairs)))
        for key, item, pairs in read
    ]
    tasks = _tasks(parent, [item["key"] for _, item, _ in by_item]) if is_part else None
    tallies = votes_in_campaign(voting, simulated=True, sources=tasks)
    threshold, facet = Threshold.two_thirds(voting.redundancy), type_of(parent).release
    pieces = [
        _voted(key, facet.category_and_size({**item})[0], piece, tallies.get(key, {}), kind.confirmation, threshold)
        for key, item, own in by_item
        for piece in own
    ]
    titles = {key: facet.title(item) for key, item, _ in by_item}
    questions = questions_of(voting, kind)
    return VotedCampaign(voting, parent, kind, questions, threshold, pieces, titles, len(by_item) if is_part else None)


def _tasks(campaign: Campaign, items: Sequence[str]) -> list[int]:
    return [*Task.objects.filter(campaign=campaign, member__key__in=items).values_list("pk", flat=True)]


def _voted(
    key: str,
    category: str,
    piece: GatheredPiece,
    by_unit: TalliesByPiece,
    confirmation: Confirmation | None,
    threshold: Threshold,
) -> VotedPiece:
    tally, outcome = by_unit.get(piece.unit, NO_VOTES), PieceOutcome.OPEN
    if confirmation:
        votes = {answer: n for (question, answer), n in tally.items() if question == confirmation.question}
        confirming = votes.pop(confirmation.answer, 0)
        outcome = threshold.outcome(confirming, sum(votes.values()))
    return VotedPiece(key, category, piece.unit, piece.words or piece.unit, piece.support, outcome, tally)
