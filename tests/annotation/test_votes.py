"""Votes on the phrases of a campaign: the table before and after them, the pages, and a release in one press."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Campaign, Release, Task
from annotation.quality.confirming import PieceCount, PieceOutcome, Threshold, VoteQuestion
from annotation.selectors import piece_votes
from annotation.selectors.piece_votes import VotedCampaign
from annotation.selectors.release_answers import recipe_for
from annotation.services import campaigns, doubts, excluding
from annotation.services.leaving import withdraw
from tests.annotation.answered import answered_campaign
from tests.annotation.following_up import follow_up, person_in, say, written_campaign
from tests.annotation.releasing import freeze
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_participation, make_sample_of, make_user
from tests.pages import shown

# (phrase, instance) → what people call true of all; None: “I cannot tell”
VOTES: dict[tuple[str, str], list[str | None]] = {
    ("botanists", "one"): ["yes", "yes", "no"],
    ("friends", "one"): ["no", "no", "yes"],
    ("botanists", "two"): ["no", "no", "no"],
    ("gardeners", "two"): ["yes", None],
    ("cities", "three"): ["yes", "yes", "yes"],
    ("botanists", "three"): ["yes", "no"],
}


@pytest.fixture
def parent() -> Campaign:
    """Two instances about persons and one about locations. “botanists” is written in three ways, and of each type."""
    kinds = {"one": "person", "two": "person", "three": "location"}
    items = [
        make_frozen(article_id=name, group=name, title=name, entity_type=kind, context=f"Ida Lind met Karl Moe {name}.")
        for name, kind in kinds.items()
    ]
    campaign = answered_campaign(
        {"ann": ["The botanists"], "bob": ["botanists", "friends"], "cleo": ["BOTANISTS"]},
        {"ann": ["botanists"], "bob": ["gardeners"]},
        {"ann": ["The cities"], "bob": ["botanists"]},
        sample=make_sample_of("Three instances", *items),
    )
    Task.objects.filter(campaign=campaign).update(answers=3, free=0)
    return campaign


@pytest.fixture
def voting(parent: Campaign) -> Campaign:
    draft = follow_up(parent, "judge").campaign
    assert draft is not None
    campaign = campaigns.start(draft.pk, by=None)
    for task in campaign.tasks.all():
        columns = task.member.value["columns"]
        for number, vote in enumerate(VOTES[columns["answer"].lower(), columns["title"]]):
            answer = {"is_true": vote, "is_enough": "yes", "is_natural": "no"} if vote else {"skip": True}
            say(task, f"judge {number}", answer)
    return campaign


@pytest.fixture
def ben() -> Client:
    client = Client()
    client.force_login(make_user())
    return client


def figures(voting: Campaign) -> VotedCampaign:
    row = piece_votes.follow_up_of(voting)
    assert row is not None
    voted = piece_votes.votes_in_figures(voting, row)
    assert voted is not None
    return voted


def outcomes(voting: Campaign) -> dict[tuple[str, str], str]:
    voted = figures(voting)
    titles = dict(Task.objects.filter(campaign=voted.parent).values_list("member__key", "member__value__title"))
    return {(piece.unit, titles[piece.item]): piece.outcome for piece in voted.pieces}


# ---- Counting ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "yes", "no", "outcome"),
    [
        (3, 2, 1, "confirmed"),
        (3, 1, 2, "refused"),
        (3, 1, 1, "open"),
        (3, 0, 1, "open"),
        (3, 0, 0, "open"),
        (5, 4, 1, "confirmed"),
        (5, 3, 2, "refused"),
        (5, 3, 1, "open"),
        (1, 0, 1, "refused"),
        (2, 1, 0, "open"),
        (3, 2, 3, "confirmed"),  # more people were asked because they disagreed; the recipe keeps it, too
    ],
)
def test_two_of_three_confirm_a_piece_and_what_may_still_be_confirmed_is_not_refused(
    asked: int, yes: int, no: int, outcome: str
):
    assert Threshold.two_thirds(asked).outcome(yes, no) == outcome


def test_votes_are_said_in_words():
    is_true = VoteQuestion("is_true", "True of all", {"yes": "Yes", "no": "No"})
    quality = VoteQuestion("quality", "How good?", {})

    assert is_true.in_words({("is_true", "yes"): 2, ("is_true", "no"): 1, ("is_enough", "yes"): 3}) == "2 of 3"
    assert is_true.in_words({("is_true", "no"): 1}) == "0 of 1"
    assert is_true.in_words({}) == ""
    assert quality.in_words({("quality", "4"): 2, ("quality", "5"): 1}) == "4 × 2, 5 × 1"


@pytest.mark.django_db
def test_phrases_are_counted_by_type_before_and_after_the_votes(voting: Campaign):
    rows = {row.category: row for row in figures(voting).rows}

    assert [*rows] == ["all", "person", "location"]
    assert rows["all"].before == PieceCount(items=3, total=8, unique=4)
    assert rows["all"].confirmed == PieceCount(2, 4, 2)
    assert rows["all"].refused == PieceCount(2, 2, 2)
    assert rows["all"].open == PieceCount(2, 2, 2)
    assert (rows["all"].share, rows["all"].unique_share) == (4 / 8, 2 / 4)
    assert rows["person"].before == PieceCount(2, 6, 3)
    assert rows["person"].confirmed == PieceCount(1, 3, 1)
    assert rows["person"].refused == PieceCount(2, 2, 2)
    assert rows["person"].open == PieceCount(1, 1, 1)
    assert rows["location"].before == PieceCount(1, 2, 2)
    assert rows["location"].confirmed == PieceCount(1, 1, 1)
    assert rows["location"].refused == PieceCount(0, 0, 0)
    assert rows["location"].open == PieceCount(1, 1, 1)


@pytest.mark.django_db
def test_a_phrase_has_an_outcome_for_each_instance(voting: Campaign):
    assert outcomes(voting) == {
        ("botanists", "one"): PieceOutcome.CONFIRMED,
        ("friends", "one"): PieceOutcome.REFUSED,
        ("botanists", "two"): PieceOutcome.REFUSED,
        ("gardeners", "two"): PieceOutcome.OPEN,
        ("cities", "three"): PieceOutcome.CONFIRMED,
        ("botanists", "three"): PieceOutcome.OPEN,
    }


@pytest.mark.django_db
def test_votes_of_judges_who_are_excluded_or_withdraw_do_not_count(voting: Campaign):
    excluding.exclude(person_in(voting, "judge 0").pk, reason="copied", by=None)
    assert outcomes(voting)["botanists", "one"] == PieceOutcome.OPEN
    assert outcomes(voting)["friends", "one"] == PieceOutcome.OPEN
    assert outcomes(voting)["cities", "three"] == PieceOutcome.CONFIRMED

    withdraw(make_participation(voting, "judge 1").secret)
    assert outcomes(voting)["cities", "three"] == PieceOutcome.OPEN


@pytest.mark.django_db
def test_phrases_of_people_who_no_longer_count_are_not_counted(parent: Campaign, voting: Campaign):
    excluding.exclude(person_in(parent, "bob").pk, reason="copied", by=None)

    (row, *_) = figures(voting).rows

    assert row.before == PieceCount(items=3, total=4, unique=2)


@pytest.mark.django_db
def test_a_page_counts_some_of_the_answers_to_many_tasks_and_says_so(
    voting: Campaign, ben: Client, monkeypatch: pytest.MonkeyPatch
):
    from annotation.selectors import release_answers

    monkeypatch.setattr(release_answers, "PAGE", 2)
    monkeypatch.setattr(piece_votes, "MOST_READ", 2)
    whole = outcomes(voting)
    row = piece_votes.follow_up_of(voting)
    assert row is not None
    part = piece_votes.votes_in_figures(voting, row, most=2)
    assert part is not None

    assert len({piece.item for piece in part.pieces}) == 2
    assert {piece.outcome for piece in part.pieces} <= {*whole.values()}
    assert [piece for piece in figures(voting).pieces if piece.item in part.titles] == part.pieces
    assert "Counted over 2 of 3 tasks" in words(ben.get(reverse("campaign-votes", args=[voting.pk])))


# ---- Pages ------------------------------------------------------------------------------------------


def words(response: Any) -> str:
    return " ".join(strip_tags(shown(response)).split())


@pytest.mark.django_db
def test_the_votes_page_shows_the_table_and_every_phrase(voting: Campaign, ben: Client):
    page = words(ben.get(reverse("campaign-votes", args=[voting.pk])))

    assert "Phrases before and after the votes" in page
    assert "Called true by 2 of 3" in page
    assert "Person 2 6 (3) 3 (1) 50% (33%) 2 (2) 1 (1)" in page
    assert "Friends Ida Lind, Karl Moe 1 1 of 3 3 of 3 0 of 3 Not called true" in page
    assert "Gardeners Ida Lind, Karl Moe 1 1 of 1 1 of 1 0 of 1 Too few votes" in page
    assert "Agreement on the questions" in page


@pytest.mark.django_db
def test_phrases_can_be_listed_by_outcome(voting: Campaign, ben: Client):
    page = words(ben.get(reverse("campaign-votes", args=[voting.pk]), {"outcome": "open"}))

    assert "Gardeners" in page
    assert "Friends" not in page


@pytest.mark.django_db
def test_the_table_and_the_phrases_can_be_downloaded(voting: Campaign, ben: Client):
    types = rows_of_file(ben, voting, "types")
    pieces = rows_of_file(ben, voting, "pieces")

    assert [row["type"] for row in types] == ["all", "person", "location"]
    person = types[1]
    assert (person["all_total"], person["all_unique"], person["confirmed_total"]) == ("6", "3", "3")
    assert (person["share_of_total"], person["share_of_unique"]) == ("0.5", "0.3333")
    assert {(row["piece"], row["type"], row["result"], row["is_true"]) for row in pieces} == {
        ("Botanists", "person", "confirmed", "2 of 3"),
        ("Friends", "person", "refused", "1 of 3"),
        ("Botanists", "person", "refused", "0 of 3"),
        ("Gardeners", "person", "open", "1 of 1"),
        ("Cities", "location", "confirmed", "3 of 3"),
        ("Botanists", "location", "open", "1 of 2"),
    }


def rows_of_file(client: Client, voting: Campaign, what: str) -> list[dict[str, str]]:
    text = client.get(reverse("votes-file", args=[voting.pk, what])).content.decode("utf-8-sig")
    return [*csv.DictReader(io.StringIO(text))]


@pytest.mark.django_db
def test_the_review_of_a_task_shows_what_others_said_of_its_phrases(parent: Campaign, voting: Campaign, ben: Client):
    task = Task.objects.get(campaign=parent, member__value__title="one")
    while doubts.catch_up(parent, most=10):
        pass

    page = words(ben.get(reverse("admin:review-queue", args=[parent.pk]), {"task": task.pk}))

    assert "Judged in Judged Given True of all Says enough Natural" in page
    assert "2 of 3 3 of 3 0 of 3" in page
    assert "Friends 1 of 3 3 of 3 0 of 3" in page


@pytest.mark.django_db
def test_a_phrase_that_came_after_the_follow_up_is_said_not_to_be_asked_about(parent: Campaign, voting: Campaign):
    from annotation.task_types import type_of

    task = Task.objects.get(campaign=parent, member__value__title="two")
    type_ = type_of(parent)
    late = type_.cleaning.clean(task.question, {"phrases": ["The scholars"], "impossible": False, "reason": ""})

    (votes,) = piece_votes.votes_on_task(task, [late])

    asked = {piece.words: piece.is_asked for piece in votes.pieces}
    assert asked == {"botanists": True, "gardeners": True, "Scholars": False}


@pytest.mark.django_db
def test_both_campaigns_lead_to_the_votes(parent: Campaign, voting: Campaign, ben: Client):
    link = f'href="{reverse("campaign-votes", args=[voting.pk])}"'

    assert link in shown(ben.get(reverse("campaign", args=[parent.pk])))
    assert link in shown(ben.get(reverse("campaign", args=[voting.pk])))


@pytest.mark.django_db
def test_a_campaign_that_asks_about_no_answers_has_no_votes_page(parent: Campaign, ben: Client):
    assert ben.get(reverse("campaign-votes", args=[parent.pk])).status_code == 404
    assert ben.get(reverse("votes-file", args=[parent.pk, "types"])).status_code == 404


@pytest.mark.django_db
def test_ratings_of_texts_are_listed_without_a_table_of_outcomes(ben: Client):
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."})
    draft = follow_up(campaign, "rate-text").campaign
    assert draft is not None
    rating = campaigns.start(draft.pk, by=None)
    for task in rating.tasks.all():
        say(task, "cleo", {"quality": {"rating": {"item": 4}}})

    page = words(ben.get(reverse("campaign-votes", args=[rating.pk])))

    assert "It rained." in page
    assert "before and after the votes" not in page


# ---- A release in one press -------------------------------------------------------------------------


FORM = {"cleaning": "tesa", "least_assignments": "1", "least_answered": "1", "use_reviews": "on"}


@pytest.mark.django_db
def test_one_press_fills_the_recipe_and_keeps_the_rest_of_the_form(parent: Campaign, voting: Campaign, ben: Client):
    page = words(ben.get(reverse("release-new")))
    assert "Only phrases that 2 of 3 call true" in page

    response = ben.get(reverse("release-new"), FORM | {"only": str(voting.pk)}, follow=True)

    form = response.context["form"]
    assert form.recipe().votes.to_json() == {
        "campaign": "Judged",
        "keep": [{"question": "is_true", "answer": "yes", "least": 2}],
    }
    assert form.recipe().campaigns == ("Phrases",)
    assert form.recipe().least_assignments == 1
    assert "4 pieces that too few people confirmed" in words(response)


@pytest.mark.django_db
def test_a_release_made_from_the_page_has_the_votes_of_its_preview(parent: Campaign, voting: Campaign, ben: Client):
    preview = ben.get(reverse("release-new"), FORM | {"only": str(voting.pk)}, follow=True)
    sent = dict(preview.context["hidden"])

    ben.post(reverse("release-new"), {**sent, "name": "True phrases", "licence": "", "description": ""})

    release = Release.objects.get()
    assert release.recipe["votes"] == {
        "campaign": "Judged",
        "keep": [{"question": "is_true", "answer": "yes", "least": 2}],
    }


@pytest.mark.django_db
def test_an_item_of_a_release_shows_the_votes_on_its_phrases(parent: Campaign, voting: Campaign, ben: Client):
    votes = {"campaign": "Judged", "keep": [{"question": "is_true", "answer": "yes", "least": 2}]}
    release = freeze(recipe_for(["Phrases"], least_assignments=1, least_answered=1, votes=votes))
    item = next(own for own in release.items.all() if own.value["title"] == "one")

    page = words(ben.get(reverse("release-item", args=[release.pk, item.position])))

    assert "botanists True of all: 2 of 3 · Says enough: 3 of 3 · Natural: 0 of 3" in page


@pytest.mark.django_db
def test_the_link_of_the_votes_page_starts_from_the_usual_recipe(parent: Campaign, voting: Campaign, ben: Client):
    response = ben.get(reverse("release-new"), {"only": str(voting.pk)}, follow=True)

    recipe = response.context["form"].recipe()
    assert (recipe.cleaning, recipe.least_assignments, recipe.least_answered) == ("tesa", 5, 2)
    assert (recipe.use_reviews, recipe.simulated, recipe.campaigns) == (True, False, ("Phrases",))


@pytest.mark.django_db
def test_there_is_nothing_to_press_for_votes_that_confirm_nothing(parent: Campaign, ben: Client):
    draft = follow_up(parent, "rate", "Rated").campaign
    assert draft is not None
    rating = campaigns.start(draft.pk, by=None)

    assert "call true" not in words(ben.get(reverse("release-new")))
    assert ben.get(reverse("release-new"), {"only": str(rating.pk)}).status_code == 404
