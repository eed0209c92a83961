"""Practice with feedback, the quiz, my answers and reports, over HTTP."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from annotation.models import Annotation, Assignment, Participation, PracticeAnswer, ProblemReport
from annotation.services import campaigns
from annotation.task_types.aggregation.lessons import QUIZ
from kernel.clock import now
from kernel.roles import Role
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def page(browser: Client, person: Participation) -> str:
    return shown(browser.get(f"/task/{person.secret}/"))


def answer(browser: Client, person: Participation, phrase: str) -> int:
    page(browser, person)
    turn = Assignment.objects.get(participation=person, status="taken")
    browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": phrase})
    return turn.pk


def practise(browser: Client, person: Participation, number: int, phrase: str) -> str:
    where = f"/task/{person.secret}/practice/{number}/"
    return shown(browser.post(where, {"phrase_1": phrase}, follow=True))


def test_practice_shows_the_real_page_and_says_what_it_thinks_of_the_answer(browser: Client):
    person = make_participation(make_campaign(practice=2))

    assert "Practice 1 of 2" in page(browser, person)
    assert "Marie Curie" in page(browser, person)
    hit = practise(browser, person, 0, "the two physicists")
    assert "Well done" in hit
    assert "pioneers of radioactivity" in hit
    assert "Practice 2 of 2" in page(browser, person)
    blocked = practise(browser, person, 1, "they")
    assert "That would not be accepted" in blocked
    assert "points at them" in blocked

    assert "Task 1" in page(browser, person)
    assert not Annotation.objects.exists()


def test_a_practice_question_can_be_tried_again_and_counts_once(browser: Client):
    person = make_participation(make_campaign(practice=2))
    blocked = practise(browser, person, 0, "they")
    assert f'href="/task/{person.secret}/practice/0/?again=1"' in blocked

    again = browser.get(f"/task/{person.secret}/practice/0/?again=1").content.decode()
    empty = browser.post(f"/task/{person.secret}/practice/0/", {"phrase_1": " "}).content.decode()
    hit = practise(browser, person, 0, "the two physicists")

    assert "Practice 1 of 2" in again
    assert "Practice 1 of 2" in empty  # the question that was sent, not the next one
    assert "again=1" not in hit
    assert "Practice 2 of 2" in page(browser, person)
    assert browser.get(f"/task/{person.secret}/practice/1/?again=1").status_code == 200
    assert browser.get(f"/task/{person.secret}/practice/2/?again=1").status_code == 404


def test_a_practice_answer_we_did_not_think_of_is_not_called_wrong(browser: Client):
    person = make_participation(make_campaign(practice=1))

    text = practise(browser, person, 0, "radiation researchers")

    assert "may still be good" in text


def test_an_empty_practice_answer_is_asked_again_and_a_repeated_one_counts_once(browser: Client):
    person = make_participation(make_campaign(practice=2))

    assert browser.post(f"/task/{person.secret}/practice/0/", {"phrase_1": " "}).status_code == 422
    assert "Practice 1 of 2" in page(browser, person)
    for _ in range(2):
        browser.post(f"/task/{person.secret}/practice/0/", {"impossible": "on"})
    assert "Practice 2 of 2" in page(browser, person)
    assert browser.post(f"/task/{person.secret}/practice/2/", {"phrase_1": "x"}).status_code == 404
    assert "You found no phrase" in browser.get(f"/task/{person.secret}/practice/0/").content.decode()
    assert browser.get(f"/task/{person.secret}/practice/1/").status_code == 302
    checks = browser.post(f"/task/{person.secret}/practice/1/checks/", {"phrase_1": "they"}).json()
    assert not checks["saved"]
    assert checks["findings"][0]["level"] == "block"


def choices(right: int) -> dict[str, str]:
    """Return the form with so many right answers."""
    chosen = [
        question.right if number < right else (question.right + 1) % len(question.choices)
        for number, question in enumerate(QUIZ)
    ]
    return {f"question_{number}": str(choice) for number, choice in enumerate(chosen)}


def quiz(browser: Client, person: Participation, right: int, number: int) -> str:
    form = choices(right) | {"try": str(number)}
    return shown(browser.post(f"/task/{person.secret}/quiz/", form, follow=True))


def test_the_quiz_explains_and_lets_try_once_more(browser: Client):
    person = make_participation(make_campaign(quiz_pass=4))
    assert "4 of 5 right answers are needed; you have 2 tries" in page(browser, person)

    first = quiz(browser, person, 3, 0)
    assert "3 of 5 right" in first
    assert f'Look at the <a href="/task/{person.secret}/instructions/" target="_blank">instructions</a> again' in first
    assert QUIZ[0].explanation in first
    assert QUIZ[4].explanation not in first  # the right answers are not told before the last try
    assert "this is your last try" in page(browser, person)
    second = quiz(browser, person, 4, 1)
    assert "That is enough to begin" in second
    assert QUIZ[4].explanation in second

    assert "Task 1" in page(browser, person)


def test_a_double_click_on_the_quiz_is_one_try_and_an_unfinished_one_is_none(browser: Client):
    person = make_participation(make_campaign(quiz_pass=4))

    half = browser.post(f"/task/{person.secret}/quiz/", {"question_0": "1", "try": "0"})
    assert half.status_code == 422
    assert "Nothing has been counted" in half.content.decode()
    quiz(browser, person, 0, 0)
    assert "Try again" in quiz(browser, person, 0, 0)

    person.refresh_from_db()
    assert person.quiz_tries == 1


def test_who_fails_twice_is_screened_out_kindly(browser: Client):
    person = make_participation(make_campaign(quiz_pass=5))
    quiz(browser, person, 0, 0)

    assert "Thank you for trying" in quiz(browser, person, 4, 1)

    assert "Thank you for trying" in page(browser, person)
    assert not Assignment.objects.exists()
    assert "Thank you for trying" in browser.get(f"/task/{person.secret}/quiz/").content.decode()


def test_a_panel_gets_back_who_was_screened_out(browser: Client):
    codes = {"completed": "DONE1", "screened_out": "OUT1"}
    settings = {"preset": "prolific", "codes": codes}
    campaign = make_campaign(quiz_pass=5, provider="panel", provider_settings=settings)
    browser.get(f"/task/panel/{campaign.slug}/", {"PROLIFIC_PID": "w1"})
    person = Participation.objects.get()
    browser.post(f"/task/{person.secret}/consent/")
    browser.post(f"/task/{person.secret}/instructions/")
    quiz(browser, person, 0, 0)

    assert "cc=OUT1" in quiz(browser, person, 0, 1)

    assert "cc=OUT1" in page(browser, person)
    person.refresh_from_db()
    assert person.completion == "screened_out"


def test_my_answers_are_listed_with_what_they_earned_and_can_be_corrected(browser: Client):
    person = make_participation(make_campaign(reward=Decimal("0.10")))
    turn = answer(browser, person, "botanists <b>")

    mine = browser.get(f"/task/{person.secret}/mine/").content.decode()
    assert "botanists &lt;b&gt;" in mine
    assert "$0.10" in mine
    url = f"/task/{person.secret}/mine/{turn}/"
    assert 'value="botanists &lt;b&gt;"' in browser.get(url).content.decode()
    assert browser.post(url, {"phrase_1": "they"}).status_code == 422
    assert "Your correction is stored." not in mine
    corrected = browser.post(url, {"phrase_1": "plant researchers"}, follow=True)

    assert corrected.redirect_chain == [(f"/task/{person.secret}/mine/?corrected", 302)]
    assert "Your correction is stored." in corrected.content.decode()
    assert "plant researchers" in browser.get(f"/task/{person.secret}/mine/").content.decode()


def test_a_reviewed_answer_and_one_of_a_closed_campaign_stay_as_they_are(browser: Client):
    campaign = make_campaign()
    person = make_participation(campaign)
    turn, other = answer(browser, person, "botanists"), answer(browser, person, "researchers")
    Annotation.objects.filter(assignment=turn).update(reviewed_at=now())

    refused = browser.get(f"/task/{person.secret}/mine/{turn}/")
    assert refused.status_code == 409
    assert "has been reviewed" in refused.content.decode()
    campaigns.close(campaign.pk, by=None)
    assert browser.post(f"/task/{person.secret}/mine/{other}/", {"phrase_1": "x"}).status_code == 409
    assert "Correct it" not in browser.get(f"/task/{person.secret}/mine/").content.decode()


def test_nobody_sees_or_changes_anothers_answers(browser: Client):
    campaign = make_campaign()
    cleo, dan = make_participation(campaign, "cleo"), make_participation(campaign, "dan")
    turn = answer(browser, cleo, "botanists")

    assert "botanists" not in browser.get(f"/task/{dan.secret}/mine/").content.decode()
    for path in ("mine", "report"):
        assert browser.post(f"/task/{dan.secret}/{path}/{turn}/", {"phrase_1": "x"}).status_code == 404
    assert Annotation.objects.get().answer["phrases"] == ["botanists"]


def test_a_long_list_has_pages(browser: Client):
    person = make_participation(make_campaign(size=21))
    for number in range(21):
        answer(browser, person, f"phrase number {chr(97 + number)}")

    assert "Page 1 of 2" in browser.get(f"/task/{person.secret}/mine/").content.decode()
    assert "phrase number a" in browser.get(f"/task/{person.secret}/mine/?page=2").content.decode()


def test_a_problem_is_reported_once(browser: Client):
    person = make_participation(make_campaign())
    assert "Report a problem with this text" in page(browser, person)
    url = f"/task/{person.secret}/report/{Assignment.objects.get().pk}/"

    asked = browser.get(url).content.decode()
    assert "What is wrong?" in asked
    assert Assignment.objects.get().task.html in asked  # the text itself, to quote from
    assert "Your report is saved" in browser.post(url, {"text": "wrong <person>"}).content.decode()
    browser.post(url, {"text": "wrong <person>"})

    assert ProblemReport.objects.get().text == "wrong <person>"


def test_feedback_has_a_page_of_its_own_that_sends_nothing_again(browser: Client):
    person = make_participation(make_campaign(practice=1, quiz_pass=1))
    sent = browser.post(f"/task/{person.secret}/practice/0/", {"impossible": "on"})
    assert sent.status_code == 302

    for _ in range(2):
        feedback = browser.get(sent.headers["Location"]).content.decode()
        assert "You found no phrase for" in feedback
        assert "are discussed" not in feedback
    sent = browser.post(f"/task/{person.secret}/quiz/", choices(1) | {"try": "0"})

    assert "1 of " in browser.get(sent.headers["Location"]).content.decode()
    person.refresh_from_db()
    assert (person.practised, person.quiz_tries) == (1, 1)


def test_nobody_learns_the_right_answers_before_a_try_is_counted(browser: Client):
    person = make_participation(make_campaign(practice=1, quiz_pass=1))
    browser.post(f"/task/{person.secret}/practice/0/", {"impossible": "on"})

    for query in ({}, {"question_0": "1"}, {"try": "0"}):
        answer = browser.get(f"/task/{person.secret}/quiz/", query)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/task/{person.secret}/")


def test_a_practice_answer_is_kept_in_a_row_and_goes_with_its_author(browser: Client):
    person = make_participation(make_campaign(practice=1))
    browser.post(f"/task/{person.secret}/practice/0/", {"phrase_1": "the poets", "signals": "{}"})
    browser.post(f"/task/{person.secret}/practice/0/", {"phrase_1": "the " + "old " * 50 + "physicists"})

    kept = PracticeAnswer.objects.get()
    assert kept.form == {"phrase_1": "the " + "old " * 50 + "physicists"}
    browser.post(f"/task/{person.secret}/leave/")
    assert not PracticeAnswer.objects.exists()


@pytest.mark.parametrize("practice", [0, 1])
def test_a_try_that_is_not_counted_gets_no_explanation(browser: Client, practice: int):
    person = make_participation(make_campaign(practice=practice, quiz_pass=4))

    feedback = quiz(browser, person, 4, 7)
    if practice:  # the quiz has not begun
        feedback += quiz(browser, person, 4, 0)

    assert "right</h1>" not in feedback
    assert QUIZ[0].explanation not in feedback
    person.refresh_from_db()
    assert person.quiz_tries == 0


def test_other_answers_sent_to_a_counted_try_are_not_judged(browser: Client):
    person = make_participation(make_campaign(quiz_pass=4))
    quiz(browser, person, 1, 0)

    feedback = quiz(browser, person, 3, 0)

    assert "1 of 5 right" in feedback
    person.refresh_from_db()
    assert (person.quiz_tries, person.quiz_score) == (1, 1)


def test_the_second_try_s_explanation_takes_the_place_of_the_first_s(browser: Client):
    person = make_participation(make_campaign(quiz_pass=4))
    first = browser.post(f"/task/{person.secret}/quiz/", choices(1) | {"try": "0"}).headers["Location"]
    assert "1 of 5 right" in browser.get(first).content.decode()
    quiz(browser, person, 4, 1)

    assert "4 of 5 right" in browser.get(first).content.decode()


@pytest.mark.parametrize("name", ["question_0", "try"])
def test_a_number_of_5000_digits_is_no_choice_and_no_try(browser: Client, name: str):
    person = make_participation(make_campaign(quiz_pass=4))

    answer = browser.post(f"/task/{person.secret}/quiz/", choices(4) | {"try": "0", name: "1" * 5000})

    assert answer.status_code in (302, 422)
    person.refresh_from_db()
    assert person.quiz_tries == 0


def test_an_empty_report_is_refused_kindly(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)

    answer = browser.post(f"/task/{person.secret}/report/{Assignment.objects.get().pk}/", {"text": " \n"})

    assert answer.status_code == 422
    assert "Say in a few words what is wrong" in answer.content.decode()
    assert not ProblemReport.objects.exists()


def test_people_with_an_account_find_the_way_home_and_others_are_not_sent_to_a_sign_in(browser: Client):
    person = make_participation(make_campaign())
    mine = f"/task/{person.secret}/mine/"
    assert ">My tasks<" not in browser.get(mine).content.decode()

    person.worker.user = make_user("cleo", Role.ANNOTATOR)
    person.worker.save()

    assert '<a href="/">My tasks</a>' in browser.get(mine).content.decode()
