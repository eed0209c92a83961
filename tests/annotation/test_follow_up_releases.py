"""What a release makes of follow-ups: votes beside its pieces, and items whose answers no longer count."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Annotation, Campaign, FollowUp, Release, Task
from annotation.releasing.recipe import Recipe
from annotation.selectors import releases as selectors
from annotation.selectors.release_answers import recipe_for
from annotation.services import campaigns, excluding, releases
from annotation.services.leaving import withdraw
from kernel.errors import InvalidInput
from tests.annotation.answered import answered_campaign
from tests.annotation.following_up import MARKING, follow_up, person_in, say, three_stages, written_campaign
from tests.annotation.releasing import freeze, reasons
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
ALL: dict[str, Any] = {"least_assignments": 1, "least_answered": 1}


def judged_phrases(votes: dict[str, list[str]]) -> tuple[Campaign, Campaign]:
    """Return a campaign with the phrases “botanists” and “friends”, and what people call true of them."""
    campaign = answered_campaign({"ann": ["The botanists"], "bob": ["botanists", "friends"]})
    Task.objects.update(answers=2)
    voting = opened(follow_up(campaign, "judge"))
    for task in voting.tasks.all():
        phrase = task.member.value["columns"]["answer"].lower()
        for number, vote in enumerate(votes.get(phrase, [])):
            say(task, f"judge {number}", {"is_true": vote, "is_enough": "yes", "is_natural": "no"})
    return campaign, voting


def opened(row: FollowUp) -> Campaign:
    assert row.campaign is not None
    return campaigns.start(row.campaign.pk, by=None)


def recipe(campaign: Campaign, voting: Campaign | None = None, *keep: tuple[str, str, int]) -> Recipe:
    conditions = [{"question": question, "answer": answer, "least": least} for question, answer, least in keep]
    votes = {"campaign": voting.name, "keep": conditions} if voting else None
    return recipe_for([campaign.name], **ALL, votes=votes)


def row_of(release: Release) -> dict[str, Any]:
    return dict(release.items.get().value)


TWO_OF_THREE = {"botanists": ["yes", "yes", "no"], "friends": ["yes", "no", "no"]}


def test_only_phrases_that_two_of_three_call_true_stay():
    campaign, voting = judged_phrases(TWO_OF_THREE)

    release = freeze(recipe(campaign, voting, ("is_true", "yes", 2)))

    assert [own["phrase"] for own in row_of(release)["aggregations"]] == ["botanists"]
    assert reasons(release) == [("votes", "1 vote for “yes” in is_true, fewer than 2.")]
    assert [discard.answer for discard in selectors.discards(release)] == ["Friends"]
    assert release.statistics["discarded"]["votes"] == 1


def test_votes_stand_beside_the_pieces_as_a_weight():
    campaign, voting = judged_phrases(TWO_OF_THREE)

    row = row_of(freeze(recipe(campaign, voting)))

    assert [own["phrase"] for own in row["aggregations"]] == ["botanists", "friends"]
    is_true = {(own["piece"], own["answer"]): own["votes"] for own in row["votes"] if own["question"] == "is_true"}
    assert is_true == {("botanists", "yes"): 2, ("botanists", "no"): 1, ("friends", "yes"): 1, ("friends", "no"): 2}


def test_a_release_that_does_not_ask_for_votes_stays_as_it_was():
    campaign = answered_campaign({"ann": ["The botanists"], "bob": ["botanists", "friends"]})
    before = freeze(recipe(campaign))
    Task.objects.update(answers=2)
    follow_up(campaign, "judge")

    after = freeze(recipe(campaign))

    assert after.content_hash == before.content_hash
    assert "votes" not in row_of(after)
    assert "votes" not in json.dumps([after.recipe, after.statistics])


def test_recipe_and_files_say_which_votes_count(tmp_path: Any):
    campaign, voting = judged_phrases(TWO_OF_THREE)
    release = freeze(recipe(campaign, voting, ("is_true", "yes", 2)))

    call_command("export_release", str(release.name), format="huggingface", out=tmp_path / "folder")

    card = (tmp_path / "folder" / "README.md").read_text()
    datasheet = (tmp_path / "folder" / "DATASHEET.md").read_text()
    assert "`votes`: how people answered about a piece in a follow-up" in card
    for document in (card, datasheet):
        assert "Judged: only pieces with at least 2 votes for “yes” in is_true." in document
    assert Recipe.from_json(release.recipe).to_json() == release.recipe


def test_marks_that_nobody_confirms_are_left_out_of_answers_and_consensus():
    both = [{"start": 0, "end": 2, "label": "person"}, {"start": 3, "end": 9, "label": "place"}]
    campaign = written_campaign({"ann": both, "bob": both}, text=MARKING)
    voting = opened(follow_up(campaign, "confirm-names"))
    for task in voting.tasks.all():
        say(task, "cleo", {"is_right": "yes" if task.member.value["columns"]["start"] else "no"})

    release = freeze(recipe(campaign, voting, ("is_right", "yes", 1)))

    assert [own["label"] for own in row_of(release)["consensus"]["names"]["spans"]] == ["place"]
    assert [discard.answer for discard in selectors.discards(release)] == ["0-2 # person"]


def test_the_best_text_can_be_kept_alone():
    campaign = written_campaign({"ann": "It rained.", "bob": "Rain."})
    voting = opened(follow_up(campaign, "choose-text"))
    say(voting.tasks.get(), "cleo", {"best": {"answer_1": 1, "answer_2": 2}})

    release = freeze(recipe(campaign, voting, ("best", "best", 1)))

    assert [own["text"] for own in row_of(release)["consensus"]["text"]] == ["It rained."]


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        (("is_kind", "yes", 2), "does not ask “is_kind”; it asks is_true, is_enough, is_natural"),
        (("is_true", "Yes", 2), "“Yes” is no answer to “is_true”; its answers are yes, no"),
    ],
)
def test_a_condition_that_nobody_could_meet_is_refused(condition: tuple[str, str, int], why: str):
    campaign, voting = judged_phrases({})

    with pytest.raises(InvalidInput, match=why):
        freeze(recipe(campaign, voting, condition))


def test_votes_of_a_campaign_about_other_answers_are_refused():
    campaign, _ = judged_phrases({})
    other = make_campaign("Other")

    with pytest.raises(InvalidInput, match="“Other” does not ask about answers in the campaigns of this release"):
        freeze(recipe(campaign, other))


def test_the_command_takes_votes_and_conditions():
    judged_phrases(TWO_OF_THREE)
    options = {"campaign": ["Phrases"], "least_assignments": 1, "least_answered": 1, "votes": "Judged"}

    call_command("freeze_release", "Words", keep=["is_true=yes,2"], **options)

    assert [own["phrase"] for own in row_of(Release.objects.get())["aggregations"]] == ["botanists"]
    with pytest.raises(CommandError, match="write QUESTION=ANSWER"):
        call_command("freeze_release", "Words", keep=["is_true"], **options)


# ---- Changes after the follow-up began ----------------------------------------------------------------


def voted() -> tuple[Campaign, Campaign]:
    """Return texts by ann and bob (the same), by bob and by cleo, and the votes of dan on each."""
    campaign = written_campaign({"ann": "It rained.", "bob": "it rained"}, {"bob": "Rain."}, {"cleo": "Wet."})
    voting = opened(follow_up(campaign, "rate-text"))
    for task in voting.tasks.all():
        say(task, "dan", {"quality": {"rating": {"item": 4}}})
    return campaign, voting


def released_texts(voting: Campaign) -> list[str]:
    release = freeze(recipe(voting), "Votes")
    return sorted(item.value["columns"]["answer"] for item in release.items.all())


def test_of_an_author_who_is_excluded_only_what_nobody_else_gave_is_left_out():
    campaign, voting = voted()
    excluding.exclude(person_in(campaign, "bob").pk, reason="copied", by=None)

    assert released_texts(voting) == ["It rained.", "Wet."]
    assert reasons(Release.objects.get()) == [("sources", "Nobody else gave it: its author was excluded.")]
    assert voting.tasks.count() == 3
    assert Annotation.objects.filter(assignment__campaign=voting).count() == 3


def test_of_an_author_who_withdraws_only_what_nobody_else_gave_is_left_out():
    campaign, voting = voted()
    withdraw(make_participation(campaign, "cleo").secret)

    assert released_texts(voting) == ["It rained.", "Rain."]
    assert reasons(Release.objects.get()) == [("sources", "Nobody else gave it: its author withdrew.")]


def test_an_answer_that_its_author_changed_is_left_out_until_they_give_it_again():
    _, voting = voted()
    answer = Annotation.objects.get(answer={"text": "Wet."})
    answer.answer = {"text": "Soaked."}
    answer.save()

    assert released_texts(voting) == ["It rained.", "Rain."]
    assert reasons(Release.objects.get()) == [
        ("sources", "Nobody else gave it: its author has changed the answer, or it no longer counts.")
    ]
    answer.answer = {"text": "wet"}
    answer.save()
    assert released_texts(voting) == ["It rained.", "Rain.", "Wet."]


def test_a_third_stage_leaves_out_what_rests_on_a_first_answer_that_no_longer_counts():
    first, _, row = three_stages()
    rated = opened(row)
    for task in rated.tasks.all():
        say(task, "dan", {"quality": {"rating": {"item": 4}}})
    excluding.exclude(person_in(first, "bob").pk, reason="copied", by=None)

    release = freeze(recipe(rated), "Votes")

    assert [item.value["columns"]["answer"] for item in release.items.all()] == ["It rained."]
    assert reasons(release) == [("sources", "Nobody else gave it: its author was excluded.")]


def test_an_exclusion_while_a_release_is_made_stops_it():
    campaign, voting = voted()
    release = releases.create_release(releases.ReleasePlan("Votes", recipe(voting)), by=None)

    def report(done: int, *_: object) -> None:
        if done:
            excluding.exclude(person_in(campaign, "bob").pk, reason="copied", by=None)

    with pytest.raises(Exception, match="changed in the meantime"):
        releases.freeze_release(release, by=None, report=report)


# ---- The page and the API -----------------------------------------------------------------------------


@pytest.fixture
def ben() -> Client:
    client = Client()
    client.force_login(make_user())
    return client


def words(response: Any) -> str:
    return " ".join(strip_tags(shown(response)).split())


def test_the_page_of_a_new_release_offers_votes_where_there_is_a_follow_up(ben: Client):
    answered_campaign({"ann": ["The botanists"]}, name="Alone")
    assert "Votes of a follow-up" not in words(ben.get(reverse("release-new")))
    judged_phrases(TWO_OF_THREE)
    chosen = str(Campaign.objects.get(name="Phrases").pk)
    query = {"campaigns": chosen, **ALL, "cleaning": "tesa", "votes": "Judged", "keep": "is_true=yes,2"}

    page = words(ben.get(reverse("release-new"), query))

    assert "Votes of a follow-up" in page
    assert "1 piece that too few people confirmed" in page


@pytest.mark.parametrize(
    ("keep", "why"),
    [
        ("is_true", "write QUESTION=ANSWER"),
        ("is_true=maybe", "its answers are yes, no"),
        ("is_true=yes,many", "least must be a whole number"),
    ],
)
def test_the_page_says_what_is_wrong_with_a_condition(ben: Client, keep: str, why: str):
    campaign, _ = judged_phrases(TWO_OF_THREE)
    query = {"campaigns": str(campaign.pk), **ALL, "cleaning": "tesa", "votes": "Judged", "keep": keep}

    assert why in words(ben.get(reverse("release-new"), query))


def test_the_api_takes_votes_and_refuses_wrong_ones_with_409(ben: Client):
    campaign, _ = judged_phrases(TWO_OF_THREE)
    votes = {"campaign": "Judged", "keep": [{"question": "is_true", "answer": "yes", "least": 2}]}
    body = {"name": "Words", "campaigns": [campaign.pk], **ALL}

    made = ben.post(reverse("api-releases"), body | {"votes": votes}, content_type="application/json")
    wrong: list[dict[str, Any]] = [{"campaign": "Other"}, {"keep": []}, {"campaign": "Judged", "keep": "all"}]
    refused = [
        ben.post(reverse("api-releases"), body | {"votes": own}, content_type="application/json") for own in wrong
    ]

    assert made.status_code == 202
    assert Release.objects.get().recipe["votes"] == votes
    assert [response.status_code for response in refused] == [409, 409, 409]
