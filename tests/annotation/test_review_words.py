"""What the review says about an answer follows what was decided, in words and not in names of rules."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Campaign, Review
from annotation.releasing.showing import reason
from annotation.services import doubts, reviewing
from annotation.services.reviewing import Opinion
from kernel.models import User
from tests.annotation.answered import answered_campaign
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db

LIST = "Ida Lind and Karl Moe"


def page_after(client: Client, campaign: Campaign, *verdicts: str) -> str:
    """Return the page of the only task, once this person has said all of this of its first answer."""
    row = Annotation.objects.order_by("pk")[0]
    doubts.score_tasks(campaign, [row.assignment.task_id])
    for verdict in verdicts:
        client.post(reverse("admin:review-decide", args=[campaign.pk, row.pk]), {"verdict": verdict})
    return shown(client.get(f"/admin/review/{campaign.pk}/?task={row.assignment.task_id}"))


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ([], "Lists the entities. Cleaning leaves this out."),
        (["flag"], "Lists the entities. Cleaning leaves this out."),
        (["accept"], "Lists the entities. It was accepted, so it stays."),
        (["exclude"], "Lists the entities.</span>"),
        (["nothing_fits"], "Lists the entities.</span>"),
    ],
)
def test_a_rule_says_what_becomes_of_the_answer_as_decided(
    client: Client, ben: User, verdicts: list[str], sentence: str
):
    campaign = answered_campaign({"ann": [LIST]})

    text = page_after(client, campaign, *verdicts)

    assert sentence in text
    assert ("answer__phrase--out" in text) is ("accept" not in verdicts)


def test_an_accepted_repetition_is_still_left_out(client: Client, ben: User):
    campaign = answered_campaign({"ann": ["botanists"]})
    Annotation.objects.update(answer={"phrases": ["botanists", "the botanists"], "reason": ""})

    assert "The same as the other answer. Cleaning leaves this out." in page_after(client, campaign, "accept")


@pytest.mark.parametrize("verdicts", [[], ["nothing_fits"]])
def test_a_correction_starts_with_the_phrase_even_if_a_rule_discards_it(client: Client, ben: User, verdicts: list[str]):
    campaign = answered_campaign({"ann": [LIST]})

    assert f'name="phrase_1" value="{LIST}"' in " ".join(page_after(client, campaign, *verdicts).split())


def test_a_flag_after_a_decision_says_that_the_decision_counts_no_more(client: Client, ben: User):
    campaign = answered_campaign({"ann": ["botanists"]})
    url = reverse("admin:review-decide", args=[campaign.pk, Annotation.objects.get().pk])

    client.post(url, {"verdict": "accept"})
    first = shown(client.post(url, {"verdict": "flag"}, headers={"HX-Request": "true"}))
    second = shown(client.post(url, {"verdict": "flag"}, headers={"HX-Request": "true"}))

    assert "Answer 1: flagged for a second opinion, and no longer accepted" in first
    assert "Answer 1: flagged for a second opinion</div>" in second
    shown(client.post(f"/admin/review/{campaign.pk}/undo/"))
    shown(client.post(f"/admin/review/{campaign.pk}/undo/"))
    assert Annotation.objects.get().verdict == "accept"


def test_details_tell_rules_and_warnings_in_sentences(client: Client, ben: User):
    campaign = make_campaign(size=1, redundancy=1)
    person = make_participation(campaign, "ann")
    make_answer(person, "the people", confirmed="phrase_1:type")

    text = page_after(client, campaign)

    assert "Cleaning rule: Discarded: nothing but the generic type" in text
    assert "Submitted after this warning: This would fit almost anything; can you be more specific?" in text
    assert "only_the_type" not in text
    assert "phrase_1:type" not in text
    assert Review.objects.count() == 0


def test_the_comparison_of_rules_gives_reasons_not_names(client: Client, ben: User):
    campaign = answered_campaign({"ann": ["all of them"]})
    reviewing.decide(Annotation.objects.get().pk, Opinion("accept"), by=ben)

    text = shown(client.get(f"/admin/review/{campaign.pk}/cleaning/"))

    assert "Points at them without saying what they are." in text


def test_a_page_gives_the_rule_s_sentence_for_what_a_release_left_out():
    assert reason("answers", "only_the_type: Names only the generic type.") == "Names only the generic type."
    assert reason("reviews", "Excluded by a reviewer: vague") == "Excluded by a reviewer: vague"
