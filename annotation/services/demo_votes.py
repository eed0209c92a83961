"""The demo's follow-up: invented people judge the finished campaign's phrases, and a release keeps the true ones."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property

from annotation.models import Assignment, Campaign, FollowUpItem, Release
from annotation.selectors import piece_votes
from annotation.selectors.release_answers import recipe_for
from annotation.services import campaigns, follow_ups, releases
from annotation.services.demo import (
    CONTACT,
    FINISHED,
    SEED,
    WHILE_MADE_S,
    DemoCrew,
    Past,
    Report,
    live,
    set_time_limit,
)
from annotation.services.follow_ups import FollowUpOrder
from annotation.services.people_checks import look_at_people
from annotation.simulation.invented_people import Habit, InventedPerson, crowd
from annotation.task_types import type_of
from corpus.frozen import FrozenInstance
from kernel import clock
from kernel.models import User

JUDGED = "Demo phrases judged (finished)"
RELEASE = "Demo release (phrases called true)"
KIND, JUDGES, SECONDS = "judge", 5, 14
WAITED = timedelta(hours=3)  # from the end of the campaign to its follow-up
ABOUT = (
    "Phrases of the demo that at least two of three simulated judges call true of all entities. "
    "Nobody real wrote or judged any of it."
)


def seed_votes(*, by: User | None, report: Report) -> int:
    """Make the follow-up of the finished campaign, and again if it was interrupted. Return the number of answers."""
    parent = Campaign.objects.get(name=FINISHED, is_demo=True)
    report(0, None, JUDGED)
    order = FollowUpOrder(JUDGED, KIND, reward=Decimal("0.05"), estimated_s=SECONDS, contact=CONTACT, simulated=True)
    begin = (parent.closed_at or clock.now()) + WAITED
    row = follow_ups.open_follow_up(parent, order, by=by)
    if row.campaign and row.campaign.closed_at and row.campaign.time_limit_s != WHILE_MADE_S:
        return 0
    if row.campaign and row.campaign.started_at:
        campaigns.delete_campaign(row.campaign.pk, by=by, even_answers=True)
        row.refresh_from_db()
    with clock.at(begin):
        draft = follow_ups.make_follow_up(row, by=by, report=lambda *_: None)
        campaign = campaigns.start(draft.pk, by=by)
    limit = campaign.time_limit_s
    set_time_limit(campaign, WHILE_MADE_S)
    answers = live(campaign, Past(JUDGED, days=1, answers=None), _judges(parent, campaign), by=by)
    look_at_people(campaign)
    set_time_limit(campaign, limit)
    return answers


def seed_release_of_votes(*, by: User | None, report: Report) -> Release:
    """Freeze what two of three call true; a release that was interrupted is frozen again."""
    release = Release.objects.filter(name=RELEASE, is_demo=True).first()
    if release is None:
        voting, parent = (Campaign.objects.get(name=name, is_demo=True) for name in (JUDGED, FINISHED))
        chosen = piece_votes.chosen_votes(voting, follow_ups.kind_of(parent, KIND))
        recipe = recipe_for([FINISHED], simulated=True, votes=chosen.to_json())
        release = releases.create_release(releases.ReleasePlan(RELEASE, recipe, ABOUT, "CC0-1.0", is_demo=True), by=by)
    return release if release.frozen_at else releases.freeze_release(release, by=by, report=report)


def _judges(parent: Campaign, campaign: Campaign) -> DemoCrew:
    people = [
        replace(person, habit=Habit.CAREFUL, skill=max(person.skill, 0.85), seconds=SECONDS * (0.7 + 0.1 * number))
        for number, person in enumerate(crowd(JUDGES, SEED + 1))
    ]
    return DemoCrew("invented judge", people, _Judging(parent, campaign).invent)


@dataclass(frozen=True)
class _Judging:
    """What invented people answer about the phrases of `parent`, as the kind of follow-up says."""

    parent: Campaign
    campaign: Campaign

    @cached_property
    def asked(self) -> Mapping[int, tuple[FrozenInstance, str]]:
        """The instance and the phrase that each task asks about."""
        rows = FollowUpItem.objects.filter(member__sample=self.campaign.sample_id).select_related("source__member")
        read = type_of(self.parent).read
        by_member = {own.member_id: (read(own.source.member.value), own.units[0]) for own in rows if own.source}
        tasks = self.campaign.tasks.values_list("pk", "member")
        return {task: by_member[member] for task, member in tasks}

    def invent(self, turn: Assignment, person: InventedPerson, rng: random.Random) -> tuple[dict[str, str], int]:
        instance, phrase = self.asked[turn.task_id]
        answer = follow_ups.kind_of(self.parent, KIND).invent(instance, phrase, person, rng)
        return type_of(self.campaign).form(turn.task.question, answer or {}), len(instance.context)
