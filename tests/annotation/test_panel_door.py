"""How people come in from a panel, and how it gets them back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import Assignment, Campaign, Participation, Task, Worker
from annotation.providers.base import Outcome
from annotation.services import campaigns, finishing, joining
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import AuditEntry
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db

CODES = {"completed": "DONE1", "screened_out": "OUT1", "no_consent": "NO1"}
PROLIFIC = {"preset": "prolific", "codes": CODES}
BACK = "https://app.prolific.com/submissions/complete?cc="


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def make_panel_campaign(name: str = "Panel", **fields: Any) -> Campaign:
    return make_campaign(name, **{"provider": "panel", "provider_settings": PROLIFIC} | fields)


def arrive(browser: Client, campaign: Campaign, worker: str = "w1", session: str = "s1") -> Any:
    query = {"PROLIFIC_PID": worker, "STUDY_ID": "study", "SESSION_ID": session}
    return browser.get(f"/task/panel/{campaign.slug}/", query)


def arrive_ready(browser: Client, campaign: Campaign, worker: str = "w1") -> Participation:
    arrive(browser, campaign, worker)
    person = Participation.objects.get(campaign=campaign, worker__external_id=f"prolific:{worker}")
    joining.consent(person.secret, signals=True)
    joining.read_instructions(person.secret)
    return person


def page(browser: Client, person: Participation) -> str:
    return shown(browser.get(f"/task/{person.secret}/"))


def answer(browser: Client, person: Participation, phrase: str = "botanists") -> str:
    browser.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    return shown(browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": phrase}))


def test_the_same_person_of_a_panel_always_has_the_same_place(browser: Client):
    campaign = make_panel_campaign()

    first, second, other = (
        arrive(browser, campaign),
        arrive(browser, campaign, session="s2"),
        arrive(browser, campaign, "w2"),
    )

    assert first.status_code == 302
    assert first.headers["Location"] == second.headers["Location"] != other.headers["Location"]
    person = Participation.objects.get(worker__external_id="prolific:w1")
    assert person.worker.provider == "panel"
    assert person.arrival == {"panel": "prolific", "study": "study", "session": "s2"}


def test_a_preview_tells_what_the_work_is_and_stores_nothing(browser: Client):
    campaign = make_panel_campaign(reward=Decimal("0.20"))

    for query in ({}, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}):
        text = browser.get(f"/task/panel/{campaign.slug}/", query).content.decode()
        assert "This is a preview" in text
        assert "$0.20 for each answer" in text

    assert not Worker.objects.exists()


def test_a_damaged_address_and_a_campaign_without_a_panel_are_told_kindly(browser: Client):
    campaign = make_panel_campaign()

    damaged = arrive(browser, campaign, "<b>")

    assert damaged.status_code == 422
    assert "does not say who you are" in damaged.content.decode()
    assert arrive(browser, make_campaign("Ours")).status_code == 404
    assert browser.get("/task/panel/nothing/").status_code == 404


def test_whoever_arrives_too_early_or_too_late_is_told_so(browser: Client):
    early = make_panel_campaign("Early", is_running=False)
    late = make_panel_campaign("Late")
    arrive(browser, late, "old")
    campaigns.close(late.pk, by=None)

    assert "has not begun" in arrive(browser, early).content.decode()
    assert "is closed" in arrive(browser, late).content.decode()
    assert arrive(browser, late, "old").status_code == 302, "whoever was in comes back in"


def test_whoever_has_done_all_tasks_goes_back_with_the_code_and_this_is_marked_once(browser: Client):
    campaign = make_panel_campaign(size=1)
    person = arrive_ready(browser, campaign)

    text = answer(browser, person)

    assert f'href="{BACK}DONE1"' in text
    assert ">DONE1</code>" in text
    person.refresh_from_db()
    marked = (person.completion, person.finished_at)
    assert marked[0] == "completed"
    campaigns.close(campaign.pk, by=None)
    assert "DONE1" in page(browser, person)
    person.refresh_from_db()
    assert (person.completion, person.finished_at) == marked


def test_the_first_word_on_how_a_visit_ended_stands(browser: Client):
    person = arrive_ready(browser, make_panel_campaign())
    in_another_tab = Participation.objects.get(pk=person.pk)
    finishing.conclude(person, Outcome.SCREENED_OUT)

    completion = finishing.conclude(in_another_tab, Outcome.COMPLETED)

    assert completion
    assert completion.code == "OUT1"
    person.refresh_from_db()
    assert person.completion == "screened_out"


def test_one_may_finish_after_an_answer_and_the_task_in_hand_goes_back(browser: Client):
    person = arrive_ready(browser, make_panel_campaign())
    assert "Stop here" not in page(browser, person)
    assert browser.post(f"/task/{person.secret}/finish/").status_code == 409

    assert "Stop here" in answer(browser, person)
    browser.post(f"/task/{person.secret}/finish/")

    assert "You’re finished" in page(browser, person)
    assert sorted(Task.objects.values_list("free", flat=True)) == [2, 3, 3]
    assert not Assignment.objects.filter(status="taken").exists()


def test_an_answer_that_was_under_way_when_its_author_finished_is_kept_as_late(browser: Client):
    person = arrive_ready(browser, make_panel_campaign())
    answer(browser, person)
    turn = Assignment.objects.get(participation=person, status="taken")
    browser.post(f"/task/{person.secret}/finish/")

    text = browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": "gardeners"}).content.decode()

    assert "Your last answer came too late to count. It is kept" in text
    assert "You’re finished" in text
    turn.refresh_from_db()
    assert (turn.status, turn.annotation.answer["phrases"]) == ("late", ["gardeners"])


def test_where_a_number_is_asked_for_all_of_it_is_completed_without_a_second_way_out(browser: Client):
    person = arrive_ready(browser, make_panel_campaign(per_person=2))
    answer(browser, person)

    text = answer(browser, person)

    assert f"{BACK}DONE1" in text
    assert "Stop here" not in text
    assert "Stop here" not in page(browser, person)


def test_whoever_stops_after_a_part_is_told_what_it_means_and_gets_another_code(browser: Client):
    campaign = make_panel_campaign(per_person=3)
    arrive(browser, campaign)
    assert "the code for a visit that ended early" in page(browser, Participation.objects.get())
    person = arrive_ready(browser, campaign)

    assert "Stop here" in answer(browser, person)
    finish_page = browser.get(f"/task/{person.secret}/finish/").content.decode()
    assert "This campaign asks for 3 answers, and you have given 1" in finish_page
    browser.post(f"/task/{person.secret}/finish/")

    text = page(browser, person)
    assert "You’re finished" in text
    assert f"{BACK}OUT1" in text
    assert "DONE1" not in text
    person.refresh_from_db()
    assert person.completion == "left_early"


def test_without_a_code_for_a_part_people_are_asked_to_return_their_place(browser: Client):
    codes = {"completed": "DONE1"}
    campaign = make_panel_campaign(per_person=3, provider_settings={"preset": "prolific", "codes": codes})
    arrive(browser, campaign)
    assert "There is no code for part of the work" in page(browser, Participation.objects.get())
    person = arrive_ready(browser, campaign)
    answer(browser, person)

    browser.post(f"/task/{person.secret}/finish/")

    assert "return your place" in page(browser, person)


def test_a_pause_lets_people_of_a_panel_go_with_what_they_have(browser: Client):
    campaign = make_panel_campaign(per_person=2)
    person = arrive_ready(browser, campaign)
    answer(browser, person)
    browser.post(f"/task/{person.secret}/back/{Assignment.objects.get(status='taken').pk}/")
    Campaign.objects.update(status="paused")

    assert "Stop here" in page(browser, person)
    assert browser.post(f"/task/{person.secret}/finish/").status_code == 302
    assert f"{BACK}DONE1" in page(browser, person)


def promise_on(text: str) -> str:
    return text.split('name="promise" value="')[1].split('"')[0]


def test_who_is_told_while_waiting_that_they_are_done_is_done_even_if_a_task_comes_back(browser: Client):
    campaign = make_panel_campaign(size=2, redundancy=1, per_person=2)
    first, other = arrive_ready(browser, campaign), arrive_ready(browser, campaign, "w2")
    page(browser, other)
    text = answer(browser, first)
    assert "what you have done is complete" in text

    browser.post(f"/task/{other.secret}/back/{Assignment.objects.get(status='taken').pk}/")
    browser.post(f"/task/{first.secret}/finish/", {"promise": promise_on(text)})

    assert f"{BACK}DONE1" in page(browser, first)
    assert list(Task.objects.filter(answers=0).values_list("free", flat=True)) == [1]


def test_a_promise_holds_for_whom_and_for_what_it_was_made(browser: Client):
    campaign = make_panel_campaign(size=4, per_person=4)
    first, other = arrive_ready(browser, campaign), arrive_ready(browser, campaign, "w2")
    answer(browser, first)
    Campaign.objects.update(status="paused")
    promise = promise_on(browser.get(f"/task/{first.secret}/finish/").content.decode())
    Campaign.objects.update(status="running")
    answer(browser, first)
    answer(browser, other)

    for person in (first, other):
        browser.post(f"/task/{person.secret}/finish/", {"promise": promise})
        assert f"{BACK}OUT1" in page(browser, person)


@pytest.mark.parametrize("status", ["running", "paused", "closed"])
def test_finishing_is_completing_when_no_task_is_left_or_the_campaign_does_not_run(browser: Client, status: str):
    campaign = make_panel_campaign(size=2, redundancy=1, per_person=2)
    first, other = arrive_ready(browser, campaign), arrive_ready(browser, campaign, "w2")
    page(browser, other)
    answer(browser, first)
    if status == "running":
        answer(browser, other)
    Campaign.objects.update(status=status)

    browser.post(f"/task/{first.secret}/finish/")

    first.refresh_from_db()
    assert first.completion == "completed"


def test_whoever_holds_a_task_of_a_closed_campaign_may_finish_as_completed(browser: Client):
    campaign = make_panel_campaign(per_person=3)
    person = arrive_ready(browser, campaign)
    answer(browser, person)
    campaigns.close(campaign.pk, by=None)

    finish_page = browser.get(f"/task/{person.secret}/finish/").content.decode()
    browser.post(f"/task/{person.secret}/finish/")

    assert "the code for a complete visit" in finish_page
    assert f"{BACK}DONE1" in page(browser, person)


def test_whoever_finds_no_task_left_is_screened_out_and_whoever_is_excluded_is_paid(browser: Client):
    campaign = make_panel_campaign(size=1, redundancy=1)
    first, second = arrive_ready(browser, campaign), arrive_ready(browser, campaign, "w2")
    answer(browser, first)

    assert f"{BACK}OUT1" in page(browser, second)
    third = arrive_ready(browser, make_panel_campaign("Another"), "w3")
    Participation.objects.filter(pk=third.pk).update(excluded_at=now())
    assert f"{BACK}DONE1" in page(browser, third)
    third.refresh_from_db()
    assert third.completion == "failed"


@pytest.mark.parametrize("is_closed", [False, True])
def test_who_comes_when_nothing_is_left_goes_back_as_screened_out_and_is_not_stored(browser: Client, is_closed: bool):
    campaign = make_panel_campaign(size=1, redundancy=1)
    answer(browser, arrive_ready(browser, campaign))
    if is_closed:
        campaigns.close(campaign.pk, by=None)

    answered = arrive(browser, campaign, "late")

    assert "Nothing left to do" in answered.content.decode()
    assert f"{BACK}OUT1" in answered.content.decode()
    assert not Worker.objects.filter(external_id="prolific:late").exists()
    back = browser.get(arrive(browser, campaign).headers["Location"]).content.decode()
    assert f"{BACK}DONE1" in back, "whoever was in comes back in"


def test_who_is_in_but_has_not_begun_is_told_at_once_that_nothing_is_left_and_it_is_not_marked(browser: Client):
    campaign = make_panel_campaign(size=1, redundancy=1, practice=1, quiz_pass=1)
    arrive(browser, campaign)
    person = Participation.objects.get()
    make_answer(make_participation(campaign, "other"))

    for step in ("consent", "instructions", ""):
        text = page(browser, person)
        assert "Other people have answered everything already" in text
        assert f"{BACK}OUT1" in text
        if step:
            browser.post(f"/task/{person.secret}/{step}/")
    person.refresh_from_db()
    assert person.finished_at is None
    campaigns.close(campaign.pk, by=None)
    assert "This campaign is closed" in page(browser, person)
    campaigns.resume(campaign.pk, by=None)
    campaigns.extend(campaign.pk, people=1, by=None)
    assert "Practice" in page(browser, person), "once there is a task again, it goes on"


def test_whoever_does_not_agree_goes_back_and_not_even_their_visit_is_kept(browser: Client):
    campaign = make_panel_campaign()
    arrive(browser, campaign)
    person = Participation.objects.get()
    assert "not even that you were here" in page(browser, person)

    text = browser.post(f"/task/{person.secret}/leave/").content.decode()

    assert f"{BACK}NO1" in text
    assert "Nothing about you is stored" in text
    assert not Participation.objects.exists()
    assert not Worker.objects.exists()
    assert not AuditEntry.objects.filter(action="withdraw").exists()


def test_people_of_our_own_get_no_code(browser: Client):
    person = make_participation(make_campaign(size=1))

    text = answer(browser, person)

    assert "All done" in text
    assert "completion" not in text
    person.refresh_from_db()
    assert person.finished_at is None
    assert finishing.conclude(person, Outcome.COMPLETED) is None


def test_a_campaign_with_wrong_settings_cannot_be_made():
    with pytest.raises(InvalidInput, match=r"provider_settings\.codes\.completed"):
        make_panel_campaign(provider_settings={"preset": "prolific"})
    with pytest.raises(InvalidInput, match=r"qualifications\.min_answers"):
        make_campaign("Other", qualifications={"min_answers": "many"})


# ---- Qualifications


def test_whoever_does_not_qualify_is_told_why_and_sent_back_and_not_stored(browser: Client):
    first = make_panel_campaign("First")
    person = arrive_ready(browser, first)
    answer(browser, person)
    sample = {"took_part_in": [first.pk], "min_answers": 1}
    second = make_panel_campaign("Second", qualifications=sample)
    third = make_panel_campaign("Third", qualifications={"not_in": [first.pk]})

    refused = arrive(browser, second, "stranger")

    assert refused.status_code == 403
    assert "at least 1 answer" in refused.content.decode()
    assert f"{BACK}OUT1" in refused.content.decode()
    assert not Worker.objects.filter(external_id="prolific:stranger").exists()
    assert arrive(browser, second).status_code == 302
    assert "same texts" in arrive(browser, third).content.decode()
