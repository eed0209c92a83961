"""What pages show of follow-ups."""

from __future__ import annotations

from django import template

from annotation.models import Campaign, Release, ReleaseItem
from annotation.quality.confirming import NO, YES, PieceCount, VoteQuestion
from annotation.releasing.votes import tallies_in
from annotation.task_types.base import TaskType
from kernel.templatetags.tesa import count

register = template.Library()


@register.simple_tag
def piece_count(number: PieceCount) -> str:
    """Return the total, and unique pieces in brackets."""
    return f"{count(number.total)} ({count(number.unique)})"


@register.filter
def percent(share: float) -> str:
    """0.714 → 71%."""
    return f"{share:.0%}"


@register.simple_tag
def votes_in_item(item: ReleaseItem, type_: TaskType) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each piece that has votes in a row of a release, with each question and its votes in words."""
    headings = {name: heading for kind in type_.follow_ups.values() for name, heading in kind.headings.items()}
    rows = []
    for piece, tally in tallies_in(item.value).items():
        answers: dict[str, set[str]] = {}
        for question, answer in tally:
            answers.setdefault(question, set()).add(answer)
        asked = [
            VoteQuestion(name, headings.get(name, name), {YES: YES, NO: NO} if own <= {YES, NO} else {})
            for name, own in answers.items()
        ]
        order = [*headings, *answers]
        asked.sort(key=lambda own: order.index(own.name))
        rows.append((piece, [(own.heading, own.in_words(tally)) for own in asked]))
    return rows


@register.simple_tag
def voting_campaign(release: Release) -> Campaign | None:
    """Return the campaign whose votes a release holds, if it is still there."""
    votes = release.recipe.get("votes")
    return Campaign.objects.filter(name=votes["campaign"]).first() if votes else None
