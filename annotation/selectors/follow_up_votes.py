"""What follow-ups mean for a release: the votes on its pieces, and items whose answers no longer count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Campaign, FollowUp, FollowUpAuthor, FollowUpItem, Task
from annotation.releasing.recipe import Recipe
from annotation.releasing.votes import FIELD, RANKED, ChosenVotes, JudgedPieces, TalliesByPiece, VoteCondition, votes_in
from annotation.selectors.counted_answers import counted_answers
from annotation.selectors.follow_ups import earlier_stages
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from kernel.errors import InvalidInput

WITHDREW, EXCLUDED = "its author withdrew", "its author was excluded"
SIMULATED = "its author is a simulated participant, whom the recipe leaves out"
CHANGED = "its author has changed the answer, or it no longer counts"
DELETED = "The campaign that it was made of is gone."


# ---- Votes ------------------------------------------------------------------------------------------


def check_votes(campaigns: Sequence[Campaign], chosen: ChosenVotes) -> FollowUp:
    """Return the follow-up whose votes a recipe names; raise InvalidInput unless it asks about these campaigns."""
    voting = Campaign.objects.filter(name=chosen.campaign).first()
    if voting is None:
        raise InvalidInput(f"there is no campaign “{chosen.campaign}”", field=FIELD)
    row = FollowUp.objects.filter(sample=voting.sample_id, parent__in=campaigns).first()
    if row is None:
        why = f"“{chosen.campaign}” does not ask about answers in the campaigns of this release"
        raise InvalidInput(f"{why}: name one of their follow-ups", field=FIELD)
    for own in chosen.keep:
        _check_condition(voting, own)
    return row


def _check_condition(voting: Campaign, condition: VoteCondition) -> None:
    from annotation.parts import PARTS  # they load pydantic, which few requests need

    uses = {use.name: use for use in voting_parts(voting)}
    use = uses.get(condition.question.partition(".")[0])
    if use is None:
        why = f"“{voting}” does not ask “{condition.question}”; it asks {', '.join(uses)}"
        raise InvalidInput(why, field=f"{FIELD}.keep")
    values = RANKED if use.kind == "ranking" else PARTS[use.kind].values(use)
    if values and condition.answer not in values:
        why = f"“{condition.answer}” is no answer to “{condition.question}”; its answers are {', '.join(values)}"
        raise InvalidInput(why, field=f"{FIELD}.keep")


def voting_parts(voting: Campaign) -> Sequence[Any]:
    """Return the questions that a follow-up asks."""
    return getattr(type_of(voting), "uses", ())


def judged(recipe: Recipe, campaigns: Sequence[Campaign]) -> JudgedPieces | None:
    """Return the votes that a recipe asks for; None if it asks for none."""
    if recipe.votes is None:
        return None
    row = check_votes(campaigns, recipe.votes)
    voting = Campaign.objects.select_related("sample").get(name=recipe.votes.campaign)
    kind = type_of(recipe).follow_ups[row.kind]
    tallies = votes_in_campaign(voting, simulated=recipe.simulated, use_reviews=recipe.use_reviews)
    return JudgedPieces(recipe.votes, kind, tallies)


def votes_in_campaign(
    voting: Campaign, *, simulated: bool, use_reviews: bool = True, sources: Sequence[int] | None = None
) -> dict[str, TalliesByPiece]:
    """Return the votes that count, by the key of the task that was answered and the unit of the piece.

    With `sources`, only those on pieces of these tasks.
    """
    asked, only = _sources(voting, sources), None
    if sources is not None:
        about = FollowUpItem.objects.filter(member__sample=voting.sample_id, source__in=sources)
        only = Task.objects.filter(campaign=voting, member__in=about.values("member"))
    tallies: dict[str, dict[str, Counter[tuple[str, str]]]] = defaultdict(lambda: defaultdict(Counter))
    type_ = type_of(voting)
    for key, _, pairs in counted_answers(voting, simulated=simulated, use_reviews=use_reviews, only=only):
        source, units = asked.get(key, ("", []))
        for _, cleaned in pairs:
            for unit, question, answer in votes_in(type_, cleaned, units):
                tallies[source][unit][question, answer] += 1
    return {key: dict(by_unit) for key, by_unit in tallies.items()}


def _sources(campaign: Campaign, tasks: Sequence[int] | None = None) -> dict[str, tuple[str, list[str]]]:
    """Return, by the key of a follow-up's item, the key of the task that was answered and the pieces of its answers."""
    rows = FollowUpItem.objects.filter(member__sample=campaign.sample_id)
    rows = rows if tasks is None else rows.filter(source__in=tasks)
    named = rows.values_list("member__key", "source__member__key", "source__variant", "units")
    return {key: (task_key(source, variant), units) for key, source, variant, units in named if source}


# ---- Items whose answers no longer count ------------------------------------------------------------


def gone_items(campaigns: Sequence[Campaign], *, simulated: bool) -> dict[str, str]:
    """Return why an item is left out, by its key: nobody whose answer counts gave what it asks about."""
    gone: dict[str, str] = {}
    for campaign in campaigns:
        gone |= _gone_of(campaign, simulated=simulated)
    return gone


def _gone_of(campaign: Campaign, *, simulated: bool) -> dict[str, str]:
    row = FollowUp.objects.select_related("parent__sample").filter(sample=campaign.sample_id).first()
    if row is None:
        return {}
    asked = _sources(campaign)
    members = FollowUpItem.objects.filter(member__sample=campaign.sample_id).values_list("member__key", "member")
    if row.parent is None:
        return {key: DELETED for key, _ in members}
    gone_before = _gone_of(row.parent, simulated=simulated)
    kind = type_of(row.parent).follow_ups[row.kind]
    answered = counted_answers(row.parent, simulated=simulated)
    alive = {key: {piece.unit for _, own in pairs for piece in kind.pieces(own)} for key, _, pairs in answered}
    lost = {}
    for key, member in members:
        source, units = asked.get(key, ("", []))
        if why := gone_before.get(source.partition(":")[0], ""):
            lost[key] = (member, why)
        elif not set(units) <= alive.get(source, set()):
            lost[key] = (member, "")
    authors = _authors([member for member, why in lost.values() if not why], row.parent)
    return {key: why or _why(authors.get(member, [])) for key, (member, why) in lost.items()}


def _authors(members: Sequence[int], parent: Campaign) -> Mapping[int, list[Any]]:
    rows = FollowUpAuthor.objects.filter(member__in=members, participation__campaign=parent)
    by_member: dict[int, list[Any]] = defaultdict(list)
    for author in rows.select_related("participation__worker"):
        by_member[author.member_id].append(author.participation)
    return by_member


def _why(people: Sequence[Any]) -> str:
    """Return the sentence that says what became of those who gave a piece."""
    reasons = {_reason(person) for person in people} or {CHANGED}
    return f"Nobody else gave it: {'; '.join(sorted(reasons))}."


def _reason(person: Any) -> str:
    if person.withdrawn_at:
        return WITHDREW
    if person.excluded_at:
        return EXCLUDED
    return SIMULATED if person.worker.is_simulated else CHANGED


def read_for(recipe: Recipe, campaigns: Sequence[Campaign]) -> list[Campaign]:
    """Return all campaigns that a release reads: its own, the stages before them, and the one whose votes count."""
    before = [stage for campaign in campaigns for stage in earlier_stages(campaign)]
    voting = [*Campaign.objects.filter(name=recipe.votes.campaign)] if recipe.votes else []
    return [*campaigns, *before, *voting]
