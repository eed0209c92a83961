"""A campaign's own practice questions and quiz: changed in a draft, asked of participants, copied with the campaign."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign, Participation
from annotation.selectors import campaign_list, participants, payments
from annotation.services import campaigns, editing, joining, lessons, simulating
from annotation.services.lessons import Overtaken, Part, Place
from annotation.simulation.comparing import compare
from annotation.simulation.invented_people import crowd
from annotation.simulation.visiting import Log, Shift, work
from annotation.task_types import TASK_TYPES, type_of
from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import PracticeQuestion, QuizQuestion
from annotation.task_types.lessons import Lessons, fingerprint, lessons_of
from annotation.views import previews
from annotation.views.previews import PreviewSteps
from annotation.views.work_pages.learning import feedback_context
from corpus.items import ITEM_KINDS
from corpus.items.instances import INSTANCE
from corpus.models import SampledInstance
from kernel.errors import InvalidInput, WrongState
from kernel.models import AuditEntry
from tests.annotation.describing import in_library, make_description, make_own_campaign
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
TESA = TASK_TYPES["aggregation"]
ITEM: dict[str, Any] = {
    "entity_type": "person",
    "entities": ["Ida Lind", "Olaf Brandt"],
    "context": "Ida Lind and Olaf Brandt read their poems.",
}
POETS = PracticeQuestion(INSTANCE.from_row(ITEM), known_phrases(["poets", "writers"], "Both read their poems."))
COLOUR = QuizQuestion("Which colour do names have?", ("their own", "none"), 0, "It tells them apart.")


def make_draft(**fields: Any) -> Campaign:
    return make_campaign(is_running=False, **fields)


def stored(campaign: Campaign) -> Lessons:
    campaign.refresh_from_db()
    return lessons_of(type_of(campaign), campaign.lessons)


def place(campaign: Campaign, part: Part, number: int) -> Place:
    return Place(part, number, fingerprint(getattr(stored(campaign), part)[number]))


def make_taught(name: str = "Poems", **fields: Any) -> Campaign:
    """Return an open campaign that asks a practice question and a quiz question of its own."""
    own = Lessons((POETS,), (COLOUR,)).to_json()
    values: dict[str, Any] = {"lessons": own, "practice": 1, "quiz_pass": 1, **fields}
    return make_campaign(name, **values)


# ---- Changing them


def test_a_draft_gets_the_questions_of_its_task_type_as_its_own_once():
    draft = make_draft(practice=2)
    for _ in range(2):
        lessons.copy_lessons(draft.pk, by=None)

    assert stored(draft) == lessons_of(TESA, None)
    assert (draft.practice, AuditEntry.objects.filter(action="copy lessons").count()) == (2, 1)


def test_added_questions_come_last_and_are_asked_where_all_were_asked():
    draft, half = make_draft(practice=3), make_draft(name="Half", practice=2)
    for campaign in (draft, draft, half):  # the second time is a second click
        lessons.add_question(campaign.pk, POETS, by=None)
        lessons.add_question(campaign.pk, COLOUR, by=None)

    assert (stored(draft).practice[3:], stored(draft).quiz[-1]) == ((POETS,), COLOUR)
    assert (draft.practice, stored(half).practice[3:], half.practice) == (4, (POETS,), 2)
    assert AuditEntry.objects.filter(action="add practice question", subject_id=str(draft.pk)).count() == 1
    entry = AuditEntry.objects.get(action="add quiz question", subject_id=str(draft.pk))
    assert entry.after["question"]["text"] == COLOUR.text


def test_deleting_shrinks_what_is_asked_and_a_second_click_deletes_nothing_more():
    draft = make_draft(practice=3, quiz_pass=5)
    practice, quiz = place(draft, "practice", 0), place(draft, "quiz", 4)
    for at in (practice, quiz):
        lessons.delete_question(draft.pk, at, by=None)
        with pytest.raises(Overtaken, match="The questions have changed since this page was opened"):
            lessons.delete_question(draft.pk, at, by=None)

    assert (len(stored(draft).practice), len(stored(draft).quiz)) == (2, 4)
    assert (draft.practice, draft.quiz_pass) == (2, 4)
    entry = AuditEntry.objects.get(action="delete practice question")
    assert (entry.before["number"], entry.before["practice"], entry.after["practice"]) == (1, 3, 2)
    assert entry.before["question"]["item"]["title"] == TESA.practice[0].item.title


def test_questions_change_places_and_stay_at_the_ends():
    draft = make_draft()
    first, second, *_ = lessons_of(TESA, None).quiz

    lessons.move_question(draft.pk, place(draft, "quiz", 0), down=True, by=None)
    assert stored(draft).quiz[:2] == (second, first)
    lessons.move_question(draft.pk, place(draft, "quiz", 1), down=False, by=None)
    lessons.move_question(draft.pk, place(draft, "quiz", 0), down=False, by=None)
    assert stored(draft).quiz[:2] == (first, second)


def test_a_question_is_changed_once_and_not_where_another_one_stands_by_now():
    draft = make_draft()
    seen = place(draft, "quiz", 1)

    for _ in range(2):
        lessons.change_question(draft.pk, seen, COLOUR, by=None)
    assert stored(draft).quiz[1] == COLOUR
    with pytest.raises(Overtaken):
        lessons.change_question(draft.pk, seen, replace(COLOUR, right=1), by=None)
    assert AuditEntry.objects.filter(action="edit quiz question").count() == 1


def test_the_task_s_own_questions_come_back():
    draft = make_draft(practice=3)
    lessons.add_question(draft.pk, POETS, by=None)
    for _ in range(2):
        lessons.reset_lessons(draft.pk, by=None)

    draft.refresh_from_db()
    assert (draft.lessons, draft.practice) == (None, 3)
    entry = AuditEntry.objects.get(action="reset lessons")
    assert len(entry.before["practice"]) == 4


def test_an_open_campaign_keeps_its_questions():
    campaign = make_taught()
    for change in (
        lambda: lessons.copy_lessons(campaign.pk, by=None),
        lambda: lessons.reset_lessons(campaign.pk, by=None),
        lambda: lessons.add_question(campaign.pk, replace(COLOUR, right=1), by=None),
        lambda: lessons.delete_question(campaign.pk, place(campaign, "quiz", 0), by=None),
    ):
        with pytest.raises(WrongState, match="only while a campaign is a draft"):
            change()

    assert stored(campaign) == Lessons((POETS,), (COLOUR,))


def test_a_practice_question_about_an_item_of_the_sample_is_refused():
    draft = make_draft()
    item = TESA.read(SampledInstance.objects.filter(sample=draft.sample).first().value)

    with pytest.raises(InvalidInput, match=r"lessons: practice question 4: its item is also in the campaign's sample"):
        lessons.add_question(draft.pk, PracticeQuestion(item, known_phrases(["poets"])), by=None)
    own = Lessons((PracticeQuestion(item, known_phrases(["poets"])),)).to_json()
    with pytest.raises(InvalidInput, match=r"practice question 1: its item .*; choose another item or another sample"):
        make_draft(name="Other", sample=draft.sample, lessons=own)


@pytest.mark.parametrize(
    "changes",
    [{"title": "Another title"}, {"article_id": "elsewhere"}, {"context": "Other words of Ida Lind and Karl Moe."}],
)
def test_a_practice_question_that_says_what_an_item_of_the_sample_says_is_refused(changes: dict[str, Any]):
    draft = make_draft()
    value: Any = SampledInstance.objects.filter(sample=draft.sample).values_list("value", flat=True)[0]
    kept = {name: own for name, own in value.items() if name not in ("key", "group", "mentions")}
    if "context" in changes:  # its overlap group is the same
        kept |= {"group": value["group"], "entities": ["Ida Lind", "Karl Moe"], "backgrounds": [None, None]}
    item = INSTANCE.from_row({**kept, **changes})
    assert item.key != value["key"]

    with pytest.raises(InvalidInput, match="practice question 4: its item is also in the campaign's sample"):
        lessons.add_question(draft.pk, PracticeQuestion(item, known_phrases(["poets"])), by=None)
    with pytest.raises(InvalidInput, match="its item is also in the campaign's sample"):
        lessons.check_item(draft, item)


@pytest.mark.parametrize("name", ["sentiment", "pairwise_preference"])
def test_texts_of_the_sample_are_found_under_another_source(name: str, tmp_path: Path):
    draft = make_own_campaign(make_description(in_library(name)), tmp_path, is_running=False)
    type_ = type_of(draft)
    ours = {question.item.key for question in type_.practice}
    row: Any = (
        SampledInstance.objects.filter(sample=draft.sample).exclude(key__in=ours).values_list("value", flat=True)[0]
    )
    columns = row.get("columns", {"text": row.get("text")})
    columns = {name: f"  {own}\n" if isinstance(own, str) else own for name, own in columns.items()}
    item = ITEM_KINDS[type_.item_kind].from_row({**columns, "source": "Elsewhere"})

    with pytest.raises(InvalidInput, match="its item is also in the campaign's sample"):
        lessons.check_item(draft, item)
    lessons.check_item(draft, ITEM_KINDS[type_.item_kind].from_row({name: f"New {name}" for name in columns}))


def test_moving_and_deleting_questions_reads_no_sample():
    draft = make_draft()
    lessons.add_question(draft.pk, POETS, by=None)

    with CaptureQueriesContext(connection) as seen:
        lessons.move_question(draft.pk, place(draft, "practice", 3), down=False, by=None)
        lessons.delete_question(draft.pk, place(draft, "practice", 2), by=None)

    assert not [query for query in seen.captured_queries if "corpus_sampledinstance" in query["sql"]]


def test_a_question_that_is_there_already_is_refused_with_its_number():
    draft = make_draft()
    first = stored(draft).quiz[0]

    with pytest.raises(InvalidInput, match="lessons: quiz question 2: it is the same as question 1"):
        lessons.change_question(draft.pk, place(draft, "quiz", 1), first, by=None)
    with pytest.raises(InvalidInput, match="lessons: practice question 2: it is the same as question 1"):
        make_draft(name="Twice", lessons=Lessons((POETS, POETS)).to_json())


def test_a_campaign_is_made_with_lessons_that_can_be_asked():
    with pytest.raises(InvalidInput, match="lessons: quiz question 1, right: must be the number of a choice"):
        make_draft(lessons=Lessons((), (replace(COLOUR, right=5),)).to_json())
    with pytest.raises(InvalidInput, match="practice: must be between 0 and 1, the number of questions"):
        make_draft(name="Two", lessons=Lessons((POETS,), (COLOUR,)).to_json(), practice=2)


def test_the_sample_is_not_compared_again_when_settings_are_edited():
    draft = make_draft()
    lessons.add_question(draft.pk, POETS, by=None)

    with CaptureQueriesContext(connection) as queries:
        editing.change_campaign(draft.pk, {"contact": "Cleo"}, by=None)

    looked_at = f'FROM "{SampledInstance._meta.db_table}"'
    assert not [query["sql"] for query in queries if looked_at in query["sql"]]


def test_settings_that_are_edited_leave_the_lessons_and_a_plan_takes_them_along():
    draft = make_draft(lessons=Lessons((POETS,), (COLOUR,)).to_json(), practice=1)
    plan = editing.plan_of(draft)

    editing.edit_campaign(draft.pk, replace(plan, lessons=None, contact="Ben"), by=None)
    assert (stored(draft), draft.contact) == (Lessons((POETS,), (COLOUR,)), "Ben")
    copy = campaigns.create_campaign(replace(plan, name="Copy", practice_must_be_right=True), by=None)
    assert (stored(copy), copy.practice_must_be_right) == (stored(draft), True)


# ---- Participants


def page(person: Participation) -> str:
    return shown(Client().get(f"/task/{person.secret}/"))


def practise(person: Participation, phrase: str) -> str:
    where = f"/task/{person.secret}/practice/0/"
    return shown(Client().post(where, {"phrase_1": phrase}, follow=True))


def test_several_questions_that_must_be_right_are_announced_as_several():
    own = Lessons((POETS, replace(POETS, gold=known_phrases(["artists"]))), (COLOUR,)).to_json()
    person = make_participation(make_taught(lessons=own, practice=2, practice_must_be_right=True), is_ready=False)

    announced = "2 practice questions, not paid: you must answer each of them correctly before the first task"
    assert announced in " ".join(page(person).split())


def test_an_answer_is_judged_as_it_is_stored(tmp_path: Path):
    row = make_description(in_library("sentiment"))
    campaign = make_own_campaign(row, tmp_path, practice=1, practice_must_be_right=True)
    type_, person = type_of(campaign), make_participation(campaign)
    lesson = type_.practice[0]
    form = type_.form(type_.question(lesson.item), lesson.gold.accepted[0])

    joining.practise(person.secret, 0, {name: f"{text[:1]}\0{text[1:]}" for name, text in form.items()})

    person.refresh_from_db()
    assert (person.practised, person.practice_answers.get().form) == (1, form)  # no database stores NUL


def test_participants_meet_the_questions_of_their_campaign():
    person = make_participation(make_taught())

    assert "Practice 1 of 1" in page(person)
    assert "read their poems" in page(person)
    assert "Both read their poems." in practise(person, "the poets")
    assert COLOUR.text in page(person)
    answer = Client().post(f"/task/{person.secret}/quiz/", {"question_0": "0", "try": "0"}, follow=True)
    assert "1 of 1 right" in shown(answer)
    assert "Task 1" in page(person)


def test_where_all_practice_must_be_right_a_wrong_answer_is_tried_again():
    person = make_participation(make_taught(practice_must_be_right=True), is_ready=False)
    announced = "1 practice question, not paid: you must answer it correctly before the first task, and may try as"
    assert announced in " ".join(page(person).split())
    person = make_participation(make_taught("Again", practice_must_be_right=True))

    for wrong in ("people who read", "they"):
        feedback = practise(person, wrong)
        assert "has to be answered with one of the answers above" in feedback
        assert 'class="btn primary" href="' + f'/task/{person.secret}/practice/0/?again=1">Try again' in feedback
        assert "Both read their poems." in feedback
        assert "Practice 1 of 1" in page(person)
    reloaded = shown(Client().get(f"/task/{person.secret}/practice/0/"))
    assert "has to be answered" in reloaded
    assert Client().get(f"/task/{person.secret}/practice/1/").status_code == 302
    assert Client().post(f"/task/{person.secret}/practice/1/", {"phrase_1": "poets"}).status_code == 404

    right = practise(person, "the two poets")
    assert "Well done" in right
    assert "has to be answered" not in right
    assert COLOUR.text in page(person)


def test_a_right_answer_counts_once_and_going_back_takes_nothing_away():
    person = make_participation(make_taught(practice_must_be_right=True))
    for _ in range(2):  # a double click
        practise(person, "poets")

    went_back = practise(person, "people")  # from the browser's history
    person.refresh_from_db()
    assert person.practised == 1
    assert "has to be answered" not in went_back
    assert "Continue" in went_back
    assert COLOUR.text in page(person)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["", "sentiment", "post_editing"])
def test_a_simulated_crowd_gets_through_lessons_that_must_be_right(live_server, tmp_path, name):
    fields: dict[str, Any] = {"redundancy": 2, "quiz_pass": 1, "practice_must_be_right": True}
    if name:
        draft = make_own_campaign(make_description(in_library(name)), tmp_path, is_running=False, **fields)
        own = Lessons(lessons_of(type_of(draft), None).practice, (COLOUR,))
        plan = replace(editing.plan_of(draft), name="Taught", lessons=own.to_json(), practice=len(own.practice))
        campaign = campaigns.create_campaign(plan, by=None)
        assert list(campaigns.make_tasks(campaign))
        campaigns.start(campaign.pk, by=None)
        campaign.refresh_from_db()
    else:
        campaign = make_taught(size=2, **fields)
    places, type_ = simulating.places(campaign, people=2, seed=3), type_of(campaign)
    log, shift = Log(), Shift(live_server.url, seed=3, lessons=lessons_of(type_, campaign.lessons))

    for person, at in zip(crowd(2, 3), places, strict=True):
        quiet = replace(person.steady(), skill=1.0, double_submit=0.0, draft=0.0)
        work([(quiet, f"/task/{at.secret}/")], shift, type_, log)

    assert compare(log.events, simulating.stored_of(places), type_) == []
    rows = Participation.objects.values_list("practised", "quiz_tries", "answered")
    assert {*rows} == {(campaign.practice, 1, campaign.tasks_made)}


# ---- What pages read


def test_lists_of_people_and_campaigns_do_not_read_the_questions_of_a_campaign():
    campaign = make_taught()
    make_participation(campaign)

    rows = [*participants.participations(campaign), *payments.people_to_pay(campaign)]
    campaigns_listed = [*campaign_list.matching(campaign_list.CampaignFilters(), make_user("ada"))]
    assert rows
    for row in (*(person.campaign for person in rows), *campaigns_listed):
        assert "lessons" in row.get_deferred_fields()


def test_an_answer_is_judged_once_for_its_feedback(monkeypatch: pytest.MonkeyPatch):
    campaign = make_taught(practice_must_be_right=True)
    judged: list[Any] = []
    judge = type(TESA).judge

    def counted_judge(*arguments: Any) -> Any:
        judged.append(arguments)
        return judge(*arguments)

    monkeypatch.setattr(type(TESA), "judge", counted_judge)

    context = feedback_context(campaign, TESA, POETS, 0, {"phrase_1": "artists"}, is_next=True)

    assert (context["must_try_again"], len(judged)) == (True, 1)


def test_the_steps_of_a_preview_are_listed_once(monkeypatch: pytest.MonkeyPatch):
    campaign = make_taught()
    read: list[Any] = []

    def counted_lessons_of(*arguments: Any) -> Lessons:
        read.append(arguments)
        return lessons_of(*arguments)

    monkeypatch.setattr(previews, "lessons_of", counted_lessons_of)
    steps = PreviewSteps(campaign, f"/campaigns/{campaign.pk}/preview/")

    assert [step.label for step in steps] == [step.label for step in steps]
    assert (steps.home, len(read)) == (steps.instructions, 1)
