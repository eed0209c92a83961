"""The team sees consent, instructions, practice and quiz as participants do, and nothing of it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Campaign, Participation, PracticeAnswer
from annotation.task_types import type_of
from annotation.task_types.lessons import lessons_of
from tests.annotation.describing import in_library, make_description, make_own_campaign
from tests.make import make_campaign
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Names", practice=2, quiz_pass=2, is_running=False)


def at(campaign: Campaign, step: str = "") -> str:
    return f"/campaigns/{campaign.pk}/preview/{step}"


def steps(page: str) -> list[str]:
    nav = page.partition('<nav class="preview"')[2].partition("</nav>")[0]
    return [part.partition("<")[0] for part in nav.split('">')[1:]]


def nothing_is_stored() -> bool:
    return not Participation.objects.exists() and not PracticeAnswer.objects.exists()


def test_each_page_leads_to_the_next_and_the_last_to_a_task(researcher: Client, campaign: Campaign):
    page = shown(researcher.get(at(campaign)))
    assert "Before you begin" in page
    assert steps(page)[1:] == [
        "Consent", "Instructions", "Practice 1", "Practice 2", "Quiz", "First task", "Back to the campaign",
    ]  # fmt: skip
    assert "Preview: nothing is stored" in page

    assert researcher.post(at(campaign))["Location"] == at(campaign, "instructions/")
    assert researcher.post(at(campaign, "instructions/"))["Location"] == at(campaign, "practice/0/")
    right = {name: str(question.right) for name, question in _quiz(campaign)}
    passed = shown(researcher.post(at(campaign, "quiz/"), right))
    assert f'href="/campaigns/{campaign.pk}/try/0/">Start tasks' in passed
    assert "Preview: nothing is stored" in shown(researcher.get(f"/campaigns/{campaign.pk}/try/0/"))
    assert nothing_is_stored()


def _quiz(campaign: Campaign) -> list[tuple[str, Any]]:
    questions = lessons_of(type_of(campaign), campaign.lessons).quiz
    return [(f"question_{number}", question) for number, question in enumerate(questions)]


def test_a_practice_answer_gets_its_feedback_and_is_forgotten(researcher: Client, campaign: Campaign):
    known = lessons_of(type_of(campaign), campaign.lessons).practice[0].gold.accepted[0]["phrases"]
    right = researcher.post(at(campaign, "practice/0/"), {"phrase_1": _words(known)})
    wrong = researcher.post(at(campaign, "practice/0/"), {"phrase_1": "seven tall gardeners"})

    assert "Well done" in shown(right)
    assert f'href="{at(campaign, "practice/1/")}">Next' in shown(right)
    assert "Compare with ours" in shown(wrong)
    assert f"{at(campaign, 'practice/0/')}?again=1" in shown(wrong)
    assert nothing_is_stored()


def _words(phrases: Any) -> str:
    return str(phrases[0] if isinstance(phrases, list) else phrases)


def test_an_empty_practice_answer_is_asked_for_again(researcher: Client, campaign: Campaign):
    answer = researcher.post(at(campaign, "practice/0/"), {})

    assert answer.status_code == 422
    assert researcher.post(at(campaign, "practice/0/checks/"), {}).json()["saved"] is False


def test_where_all_practice_must_be_right_the_preview_says_so(researcher: Client, campaign: Campaign):
    Campaign.objects.update(practice_must_be_right=True)

    page = shown(researcher.post(at(campaign, "practice/1/"), {"phrase_1": "seven tall gardeners"}))

    assert "Before you go on, this question has to be answered" in page


def test_a_failed_quiz_can_be_tried_again_and_an_open_question_is_named(researcher: Client, campaign: Campaign):
    wrong = {name: str((question.right + 1) % len(question.choices)) for name, question in _quiz(campaign)}
    failed = shown(researcher.post(at(campaign, "quiz/"), wrong))
    open_ = researcher.post(at(campaign, "quiz/"), {})

    assert "0 of" in failed
    assert f'href="{at(campaign, "quiz/")}">Try again' in failed
    assert open_.status_code == 422
    assert "Choose one answer for each question." in shown(open_)


def test_the_button_by_which_people_leave_leads_back_to_the_campaign(researcher: Client, campaign: Campaign):
    answer = researcher.post(at(campaign, "leave/"), follow=True)

    assert "A participant who does not agree leaves here, and nothing about them is kept." in shown(answer)


@pytest.mark.parametrize("step", ["practice/99/", "practice/99/checks/", "quiz/"])
def test_a_step_that_a_campaign_does_not_have_is_not_found(researcher: Client, step: str):
    campaign = make_campaign("Plain")

    answer = researcher.post(at(campaign, step), {})

    assert answer.status_code == 404


def test_an_own_task_is_previewed_with_its_own_form(researcher: Client, tmp_path: Path):
    row = make_description(in_library("pairwise_preference"))
    campaign = make_own_campaign(row, tmp_path, practice=1, quiz_pass=1)

    page = shown(researcher.get(at(campaign, "practice/0/")))
    feedback = shown(researcher.post(at(campaign, "practice/0/"), {"a.better": "second", "a.why": "Shorter."}))

    assert "Which answer is better?" in page
    assert "Compare with ours" in feedback
    assert "Only one of the answers says how long" in feedback
    assert "What you read" in feedback
    assert "Right answer" not in feedback  # the sentence above has said it
    assert ".”." not in feedback
