"""The page "Practice and quiz": questions written, changed, moved and deleted, by forms alone."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from lxml import html

from annotation.models import Campaign
from annotation.selectors.descriptions import name_of_task
from annotation.services import campaigns
from annotation.task_types import TASK_TYPES, type_of
from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import PracticeQuestion
from annotation.task_types.lessons import Lessons, lessons_of, read_lessons
from corpus.items import ITEM_KINDS
from corpus.items.instances import INSTANCE
from corpus.models import SampledInstance
from tests.annotation.describing import SMALLEST, in_library, make_description, make_own_campaign
from tests.annotation.researching import filled
from tests.annotation.test_campaign_api import Program
from tests.make import make_campaign, make_sample_of, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
TESA = TASK_TYPES["aggregation"]
ITEM = {
    "entity_type": "person",
    "title": "An evening of poems",
    "context": "Ida Lind and Olaf Brandt read their poems.",
    "name_1": "Ida Lind",
    "name_2": "Olaf Brandt",
}
POEMS_ROW: dict[str, Any] = {"entity_type": "person", "entities": ["Ida Lind", "Olaf Brandt"]}
POEMS = INSTANCE.from_row({**POEMS_ROW, "context": ITEM["context"]})
QUIZ = {"text": "Which fits?", "choices": "this\r\nthat\r\n\r\n", "right": "2", "explanation": "It does."}


@pytest.fixture
def browser() -> Client:
    client = Client()
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def draft() -> Campaign:
    return make_campaign(is_running=False, practice=3, quiz_pass=5)


def stored(campaign: Campaign) -> Lessons:
    campaign.refresh_from_db()
    return lessons_of(type_of(campaign), campaign.lessons)


def url(campaign: Campaign, page: str = "") -> str:
    return f"/campaigns/{campaign.pk}/lessons/{page}"


def fields(answer: Any, action: str) -> dict[str, str]:
    """Return what the form to this address holds, as a browser sends it."""
    page: Any = html.document_fromstring(answer.content.decode())
    form = next(form for form in page.forms if form.action == action and form.method.lower() == "post")
    return {name: value.removeprefix("\n") for name, value in form.form_values() if name != "csrfmiddlewaretoken"}


def of_question(answer: Any, campaign: Campaign, part: str, number: int) -> dict[str, str]:
    """Return the hidden fields of a question's buttons."""
    page: Any = html.document_fromstring(answer.content.decode())
    forms = [dict(form.form_values()) for form in page.forms if form.action == url(campaign, "change/")]
    return next(own for own in forms if (own.get("part"), own.get("number")) == (part, str(number)))


def test_a_draft_s_questions_are_copied_changed_and_given_back(browser, draft):
    page = shown(browser.get(url(draft)))
    assert "Edit for this campaign" in page
    assert "Marie Curie, Ernest Rutherford" in page
    assert "Add quiz question" not in page

    own = browser.post(url(draft, "change/"), {"action": "copy"}, follow=True)
    assert "Add quiz question" in shown(own)
    browser.post(url(draft, "change/"), of_question(own, draft, "quiz", 0) | {"action": "down"})
    assert [question.right for question in stored(draft).quiz][:2] == [TESA.quiz[1].right, TESA.quiz[0].right]
    delete = of_question(own, draft, "practice", 2) | {"action": "delete"}
    gone = browser.post(url(draft, "change/"), delete, follow=True)
    assert "People are now asked 2 practice questions (before: 3)." in shown(gone)
    again = browser.post(url(draft, "change/"), delete, follow=True)
    assert "The questions have changed since this page was opened, so nothing was changed." in shown(again)
    assert len(stored(draft).practice) == 2

    browser.post(url(draft, "change/"), {"action": "reset"})
    assert draft.lessons is not None
    draft.refresh_from_db()
    assert (draft.lessons, draft.practice) == (None, 3)
    assert browser.post(url(draft, "change/"), {"action": "burn"}).status_code == 404


def test_a_practice_question_is_written_in_two_steps(browser, draft):
    asked = browser.post(url(draft, "practice/"), ITEM | {"step": "item"})
    assert "An evening of poems" in shown(asked)
    answers = fields(asked, url(draft, "practice/"))

    refused = browser.post(url(draft, "practice/"), answers | {"step": "gold", "reason": "They read poems."})
    assert (refused.status_code, "Give the accepted phrases" in shown(refused)) == (422, True)
    assert "They read poems.</textarea>" in refused.content.decode()
    kept = fields(refused, url(draft, "practice/")) | {"phrases": "poets\nwriters", "step": "gold"}
    for _ in range(2):  # a double click
        saved = browser.post(url(draft, "practice/"), kept, follow=True)

    assert "The practice question is saved." in shown(saved)
    assert "Known answers: poets / writers" in shown(saved)
    assert "They read poems." in shown(saved)
    assert (len(stored(draft).practice), draft.practice) == (4, 4)
    assert stored(draft).practice[3].gold.reason == "They read poems."


def test_going_back_to_the_item_keeps_the_known_answers(browser, draft):
    asked = browser.post(url(draft, "practice/"), ITEM | {"step": "item"})
    answers = fields(asked, url(draft, "practice/")) | {"phrases": "poets", "reason": "Why?"}

    back = browser.post(url(draft, "practice/"), answers | {"step": "back"})
    item = fields(back, url(draft, "practice/"))
    assert (item["name_1"], item["title"]) == ("Ida Lind", "An evening of poems")
    forth = browser.post(url(draft, "practice/"), item | {"title": "A night of poems", "step": "item"})

    again = fields(forth, url(draft, "practice/"))
    assert (again["phrases"], again["reason"]) == ("poets", "Why?")
    assert "A night of poems" in again["item"]


def test_a_practice_question_is_changed_where_it_stands(browser, draft):
    opened = browser.get(url(draft, "practice/"), {"number": 1})
    form = fields(opened, url(draft, "practice/"))
    assert form["phrases"].startswith("Scandinavian capitals")

    browser.post(url(draft, "practice/"), form | {"phrases": "Nordic capitals", "step": "gold"})
    assert stored(draft).practice[1].gold.accepted == (
        {"phrases": ["Nordic capitals"], "impossible": False, "reason": ""},
    )
    late = browser.post(url(draft, "practice/"), form | {"phrases": "capitals", "step": "gold"})
    assert (late.status_code, "Somebody has changed this question meanwhile" in shown(late)) == (422, True)
    browser.post(url(draft, "practice/"), fields(late, url(draft, "practice/")) | {"step": "gold"})

    assert [len(question.gold.accepted) for question in stored(draft).practice] == [5, 1, 4, 1]
    assert browser.get(url(draft, "practice/"), {"number": 9}).status_code == 404


def test_an_item_is_filled_in_from_another_sample_but_not_from_the_campaign_s(browser, draft):
    poems = [
        INSTANCE.from_row({**POEMS_ROW, "context": f"Ida Lind and Olaf Brandt read {word}."}) for word in ("A", "B")
    ]
    other = make_sample_of("Other", *poems)
    own, page = draft.sample, url(draft, "practice/")

    filled_in = browser.get(page, {"sample": other.pk, "item": "2"})
    form = fields(filled_in, page)
    assert form["name_1"] == "Ida Lind"
    assert "Accepted phrases" in shown(browser.post(page, form | {"step": "item"}))
    for number in ("0", "3", "x", "9" * 5000):
        refused = browser.get(page, {"sample": other.pk, "item": number})
        assert (refused.status_code, "Enter a number from 1 to 2" in shown(refused)) == (422, True)
    assert browser.get(page, {"sample": "x", "item": "1"}).status_code == 422
    assert f'<option value="{own.pk}"' not in filled_in.content.decode()

    form = fields(browser.get(page, {"sample": own.pk, "item": "1"}), page)
    refused = browser.post(page, form | {"step": "item", "background_1": "Other words."})
    assert (refused.status_code, "people would see the answer before they are asked" in shown(refused)) == (422, True)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"context": ""}, "Write the passage."),
        ({"name_2": "Olaf"}, ""),
        ({"name_2": "Karl Moe"}, "“Karl Moe” does not occur in the passage: write the name as it stands there."),
        ({"name_2": ""}, "Write at least 2 names."),
        ({"entity_type": "<b>"}, "Choose what the names are."),
        ({"background_3": "A third poet."}, "Write the name that this background is about."),
    ],
)
def test_a_bad_item_is_refused_with_what_was_typed(browser, draft, changes, sentence):
    answer = browser.post(url(draft, "practice/"), ITEM | changes | {"step": "item"})

    assert answer.status_code == (422 if sentence else 200)
    assert sentence in shown(answer)
    assert "An evening of poems" in shown(answer)


def test_what_a_page_holds_may_be_rubbish(browser, draft):
    for item in ("", "[]", "{", '{"schema": 1}', "[" * 100_000):
        for step in ("gold", "back", "item"):
            answer = browser.post(url(draft, "practice/"), {"item": item, "known": item, "step": step, "number": "x"})
            assert answer.status_code == 422


def test_a_quiz_question_is_written_and_changed(browser, draft):
    page = url(draft, "quiz/")
    for _ in range(2):
        saved = browser.post(page, QUIZ, follow=True)
    assert "The quiz question is saved." in shown(saved)
    question = stored(draft).quiz[5]
    assert (question.text, question.choices, question.right) == ("Which fits?", ("this", "that"), 1)

    form = fields(browser.get(page, {"number": 5}), page)
    assert (form["choices"], form["right"]) == ("this\nthat", "2")
    browser.post(page, form | {"right": "1"})
    late = browser.post(page, form | {"text": "Other?"})
    assert (late.status_code, "Somebody has changed this question" in shown(late)) == (422, True)
    assert [own.right for own in stored(draft).quiz[5:]] == [0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"text": " "}, "Write the question."),
        ({"choices": "this"}, "There must be 2 to 10 choices, not 1."),
        ({"choices": "this\nthis"}, "“this” occurs twice."),
        ({"right": "3"}, "Enter the number of the right choice, from 1 to 2."),
        ({"right": "0"}, "Enter the number of the right choice"),
        ({"right": "9" * 5000}, "Enter the number of the right choice"),
        ({"text": "x" * 301}, "Must have at most 300 characters."),
        ({"explanation": "a\0b"}, "Contains NUL characters."),
    ],
)
def test_a_bad_quiz_question_is_refused_with_what_was_typed(browser, draft, changes, sentence):
    answer = browser.post(url(draft, "quiz/"), QUIZ | changes)

    assert (answer.status_code, sentence in shown(answer)) == (422, True)
    assert draft.lessons is None


def test_an_open_campaign_shows_its_questions_and_why_they_stay(browser):
    campaign = make_campaign()

    page = shown(browser.get(url(campaign)))
    assert "can be changed only while a campaign is a draft" in page
    assert "Edit for this campaign" not in page
    for address in ("practice/", "quiz/"):
        assert browser.get(url(campaign, address)).status_code == 409
        assert browser.post(url(campaign, address), QUIZ).status_code == 409
    assert browser.post(url(campaign, "change/"), {"action": "copy"}).status_code == 409


def test_an_own_task_s_practice_question_is_written_with_its_own_form(browser, tmp_path):
    row = make_description(in_library("sentiment"))
    draft = make_own_campaign(row, tmp_path, is_running=False, practice=1)
    page = url(draft, "practice/")

    asked = browser.post(page, {"text": "The soup was cold.", "step": "item"})
    assert "The soup was cold." in shown(asked)
    empty = browser.post(page, fields(asked, page) | {"step": "gold"})
    assert empty.status_code == 422
    form = fields(asked, page)
    known = type_of(draft).form({}, lessons_of(type_of(draft), None).practice[0].gold.accepted[0])
    browser.post(page, form | known | {"step": "gold", "reason": "Nobody likes cold soup."})

    question = stored(draft).practice[-1]
    assert (question.item.text, question.gold.reason) == ("The soup was cold.", "Nobody likes cold soup.")


def test_rows_are_written_column_by_column(browser, tmp_path):
    row = make_description(in_library("pairwise_preference"))
    draft = make_own_campaign(row, tmp_path, is_running=False)
    page = url(draft, "practice/")
    names = {name for name in fields(browser.get(page), page) if name.startswith("column.")}

    assert names == {f"column.{name}" for name in type_of(draft).item_texts}
    refused = browser.post(page, {sorted(names)[0]: "Words", "step": "item"})
    assert (refused.status_code, "which the task shows" in shown(refused)) == (422, True)
    asked = browser.post(page, {name: f"Words of {name}" for name in names} | {"step": "item"})
    assert asked.status_code == 200


def test_a_downloaded_file_makes_another_campaign(browser, draft, tmp_path):
    browser.post(url(draft, "quiz/"), QUIZ)
    file = browser.get(url(draft, "lessons.json"))
    assert file.headers["Content-Disposition"] == f'attachment; filename="campaign-{draft.pk}-lessons.json"'
    path = tmp_path / "lessons.json"
    path.write_bytes(file.content)
    more = {"contact": "Ben", "quiz_pass": 6, "stdout": StringIO()}

    call_command("create_campaign", "Copy", draft.sample.name, "--practice-must-be-right", lessons=path, **more)

    copy = Campaign.objects.get(name="Copy")
    assert (stored(copy), copy.practice_must_be_right) == (stored(draft), True)
    path.write_text('{"quiz": [{"text": "?"}]}')
    with pytest.raises(CommandError, match="quiz question 1, choices: must be a list"):
        call_command("create_campaign", "Other", draft.sample.name, lessons=path, **more)
    path.write_text("null")
    with pytest.raises(CommandError, match=r"--lessons: .* holds no questions: it must be a JSON object"):
        call_command("create_campaign", "Other", draft.sample.name, lessons=path, **more)
    path.write_text("{")
    with pytest.raises(CommandError, match=r"--lessons: .* is not JSON"):
        call_command("create_campaign", "Other", draft.sample.name, lessons=path, **more)
    with pytest.raises(CommandError, match=r"--lessons: .* cannot be read"):
        call_command("create_campaign", "Other", draft.sample.name, lessons=Path("/none.json"), **more)


def test_a_duplicate_takes_the_questions_along_and_edited_settings_keep_them(browser, draft):
    browser.post(url(draft, "quiz/"), QUIZ)
    page = shown(browser.get("/campaigns/new/", {"from": draft.pk}))
    assert "There are 6 questions." in page

    form = filled(draft.sample, name="Again", practice=3, quiz_pass=6, practice_must_be_right="on")
    browser.post(f"/campaigns/new/?from={draft.pk}", form)
    copy = Campaign.objects.get(name="Again")
    assert (stored(copy), copy.practice_must_be_right) == (stored(draft), True)
    for _ in campaigns.make_tasks(copy):
        pass
    browser.post(f"/campaigns/{copy.pk}/edit/", form | {"name": "Once more"})
    copy.refresh_from_db()
    assert (copy.name, stored(copy)) == ("Once more", stored(draft))


@pytest.mark.django_db(transaction=True)
def test_a_program_reads_and_writes_the_questions_of_a_draft():
    program, draft = Program(), make_campaign(is_running=False)
    address = f"/api/v1/campaigns/{draft.pk}/"
    assert program("get", address).json()["lessons"] is None
    own = Lessons(tuple(TESA.practice[:1]), tuple(TESA.quiz[:2])).to_json()

    sent = program("patch", address, {"lessons": own, "practice": 1, "practice_must_be_right": True})
    assert (sent.status_code, sent.json()["lessons"], sent.json()["practice_must_be_right"]) == (200, own, True)
    for wrong in (
        {"quiz": [{}]},
        {"practice": [{"item": {}, "gold": {}}]},
        {"what": 1},
        {"quiz": [], "practice": "x\0"},
    ):
        refused = program("patch", address, {"lessons": wrong})
        assert (refused.status_code, [*refused.json()["error"]["fields"]]) == (409, ["lessons"]), refused.json()
    assert json.loads(json.dumps(program("get", address).json()["lessons"])) == own
    assert program("patch", address, {"lessons": None}).json()["lessons"] is None
    campaigns.start(draft.pk, by=None)
    assert program("patch", address, {"lessons": own}).status_code == 409


def test_a_background_without_its_name_is_refused_where_an_item_is_edited(browser, draft):
    page = url(draft, "practice/")
    opened = browser.post(page, fields(browser.get(page, {"number": 0}), page) | {"step": "back"})

    answer = browser.post(page, fields(opened, page) | {"background_3": "A third one.", "step": "item"})

    assert (answer.status_code, "Write the name that this background is about." in shown(answer)) == (422, True)
    assert "A third one." in shown(answer)


def make_draft_with_two_answers(folder: Path) -> Campaign:
    draft = make_own_campaign(make_description(in_library("sentiment")), folder, is_running=False, practice=1)
    type_ = type_of(draft)
    known: Any = lessons_of(type_, None).to_json()["practice"]
    other = next(own["gold"]["accepted"][0] for own in known if own["gold"]["accepted"] != known[0]["gold"]["accepted"])
    item = ITEM_KINDS[type_.item_kind].from_row({"text": "The soup was warm."})
    gold = {"accepted": [known[0]["gold"]["accepted"][0], other], "reason": "Both are right."}
    value = {"practice": [{"item": item.to_json(), "gold": gold}]}
    Campaign.objects.filter(pk=draft.pk).update(lessons=read_lessons(value, type_).to_json())
    return draft


def test_editing_a_question_keeps_all_its_known_answers(browser, tmp_path):
    draft = make_draft_with_two_answers(tmp_path)
    page, before = url(draft, "practice/"), stored(draft).practice[0]
    opened = browser.get(page, {"number": 0})
    second = type_of(draft).summary({}, before.gold.accepted[1])

    assert f"Also right: {second}" in " ".join(shown(opened).split())
    for _ in range(2):  # a double click
        saved = browser.post(page, fields(opened, page) | {"step": "gold"})
        assert saved.status_code == 302
    assert stored(draft).practice == (before,)
    back = browser.post(page, fields(opened, page) | {"step": "back"})
    forth = browser.post(page, fields(back, page) | {"step": "item"})
    browser.post(page, fields(forth, page) | {"reason": "Still both.", "step": "gold"})
    assert stored(draft).practice[0].gold == replace(before.gold, reason="Still both.")


def test_other_known_answers_go_where_their_box_is_unticked(browser, tmp_path):
    draft = make_draft_with_two_answers(tmp_path)
    page, before = url(draft, "practice/"), stored(draft).practice[0]
    form = fields(browser.get(page, {"number": 0}), page)

    for rubbish in ("{", '[{"what": 1}]', "[3]", "3", "[" * 100_000):
        answer = browser.post(page, form | {"also": rubbish, "reason": rubbish[:9], "step": "gold"})
        assert answer.status_code in (302, 422)
        Campaign.objects.filter(pk=draft.pk).update(lessons=Lessons((before,)).to_json())
    browser.post(page, {name: own for name, own in form.items() if name != "also"} | {"step": "gold"})

    assert stored(draft).practice[0].gold.accepted == before.gold.accepted[:1]


def test_a_question_is_deleted_after_a_confirmation(browser, draft):
    browser.post(url(draft, "change/"), {"action": "copy"})
    page = browser.get(url(draft))
    asked = html.document_fromstring(page.content.decode()).xpath(
        "//a[@data-confirm][contains(@href, 'lessons')]/@href"
    )
    assert len(asked) == 8

    confirm = browser.get(asked[0])
    assert "Delete practice question 1?" in shown(confirm)
    assert "Marie Curie, Ernest Rutherford" in shown(confirm)
    assert len(stored(draft).practice) == 3
    form = fields(confirm, url(draft, "change/"))
    browser.post(url(draft, "change/"), form)
    assert len(stored(draft).practice) == 2
    late = browser.get(asked[0], follow=True)
    assert "The questions have changed since this page was opened" in shown(late)
    assert browser.get(url(draft, "delete/"), {"part": "x", "number": "0"}).status_code == 404


def test_a_changed_pass_mark_is_said_in_the_right_number(browser):
    draft = make_campaign(is_running=False, practice=0, quiz_pass=2)
    two = Lessons((), TESA.quiz[:2]).to_json()
    Campaign.objects.filter(pk=draft.pk).update(lessons=two)

    delete = of_question(browser.get(url(draft)), draft, "quiz", 0) | {"action": "delete"}
    page = shown(browser.post(url(draft, "change/"), delete, follow=True))

    assert "1 right answer is needed (before, the pass mark was 2)." in page


def duplicate(browser: Client, source: Campaign, task_type: str, **changes: Any) -> Any:
    form = filled(source.sample, **{"name": "Again", "task_type": task_type, "quiz_pass": "", **changes})
    return browser.post(f"/campaigns/new/?from={source.pk}", form, follow=True)


def test_a_duplicate_with_a_newer_version_of_its_task_takes_fitting_questions_along(browser, tmp_path):
    draft = make_draft_with_two_answers(tmp_path)
    number = int(name_of_task(draft).partition("@")[0].removeprefix("own-"))
    newer = make_description(in_library("sentiment").replace("name: ", "name: New ", 1), number)

    page = shown(duplicate(browser, draft, newer.key))

    copy = Campaign.objects.get(name="Again")
    assert (name_of_task(copy), copy.lessons) == (newer.key, stored(draft).to_json())
    assert "uses those of its task" not in page


def test_a_duplicate_says_that_questions_do_not_fit_its_task(browser, tmp_path):
    draft = make_draft_with_two_answers(tmp_path)
    number = int(name_of_task(draft).partition("@")[0].removeprefix("own-"))
    text = in_library("claim_check") if draft.sample.item_kind == "rows" else SMALLEST
    newer = make_description(text, number)

    page = shown(duplicate(browser, draft, newer.key, practice=0))

    assert Campaign.objects.get(name="Again").lessons is None
    assert f"The practice questions and the quiz of {draft} do not fit this task" in page


def test_a_duplicate_with_a_sample_that_holds_a_practice_item_is_refused(browser, draft):
    browser.post(url(draft, "practice/"), ITEM | {"step": "item"})
    value = SampledInstance.objects.filter(sample=draft.sample).first().value
    other = make_campaign("Other", is_running=False, size=1).sample
    SampledInstance.objects.filter(sample=other).update(value=value | {"context": ITEM["context"]})
    own = Lessons((PracticeQuestion(POEMS, known_phrases(["poets"])),)).to_json()
    Campaign.objects.filter(pk=draft.pk).update(lessons=own)

    page = browser.post(f"/campaigns/new/?from={draft.pk}", filled(other, name="Again", practice=1, quiz_pass=""))

    assert (page.status_code, "choose another item or another sample" in shown(page)) == (422, True)
