"""All answers of a task in one text: what the page of the review shows, and what becomes of a settlement."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, Campaign, Participation, ReviewItem, Settlement, Task
from annotation.selectors.settlements import settlements_of
from annotation.services import assessing, excluding, settling
from annotation.services.settling import TaskAnswer
from kernel.models import User
from tests.annotation.marked import (
    BANK,
    BANK_OF_DUN,
    FIRST,
    ILSE,
    MIRA,
    SECOND,
    TEXT,
    Mark,
    as_answer,
    make_marked_task,
)
from tests.make import make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
ARDEN_AND_MIRA = ((0, 9, "person"), (15, 20, "place"))


@pytest.fixture
def task() -> Task:
    return make_marked_task(FIRST, SECOND)


class TextOf(HTMLParser):
    """Reads the words of the element with a text to mark, and what the boxes of the form say."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self.depth, self.boxes, self.ticked = "", 0, list[str](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        if self.depth and tag in ("span", "a"):
            self.depth += 1
        if "data-canvas" in attributes and not self.words:
            self.depth = 1
        if attributes.get("name") == "a.names.taken":
            self.boxes.append(attributes["value"])
            self.ticked += [attributes["value"]] if "checked" in attributes else []

    def handle_endtag(self, tag: str) -> None:
        if self.depth and tag in ("span", "a", "div"):
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.words += data if self.depth else ""


def page(client: Client, task: Task, query: str = "") -> str:
    return client.get(f"/admin/review/{task.campaign_id}/?task={task.pk}{query}").content.decode()


def sent(*marks: Mark) -> list[str]:
    """Return marks as their boxes send them."""
    return [json.dumps(own, sort_keys=True, separators=(",", ":")) for own in as_answer(marks)]


def settle(client: Client, task: Task, *taken: Mark, **form: object) -> str:
    ids = [*Annotation.objects.filter(assignment__task=task).order_by("pk").values_list("pk", flat=True)]
    fields = {"a.names.taken": sent(*taken), "compared": ids, **form}
    return shown(client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", fields, follow=True))


def settled() -> list[dict[str, Any]]:
    answer = Settlement.objects.latest("pk").answer
    assert answer is not None
    return list(answer["names"])


def of(task: Task, number: int) -> Annotation:
    return Annotation.objects.filter(assignment__task=task).order_by("pk")[number]


# ---- The page


def test_the_text_stands_there_once_with_every_mark_of_every_answer_as_a_box(client: Client, ben: User, task: Task):
    read = TextOf(page(client, task))

    assert read.words == TEXT
    assert sorted(read.boxes) == sorted(sent(*{*FIRST, *SECOND}))
    assert sorted(read.ticked) == sorted(sent(*ARDEN_AND_MIRA))  # what both marked


def test_each_difference_says_who_marked_what_and_who_did_not(client: Client, ben: User, task: Task):
    text = shown(client.get(f"/admin/review/{task.campaign_id}/?task={task.pk}"))

    assert "2 marks agreed, 2 differences" in text
    assert "Difference 1, B: “Ilse Brand”, Person" in text
    assert "Difference 2, A: “Harbour Bank of Dun”, Company" in text
    assert "Difference 2, B: “Dun”, Place" in text
    assert "A: not marked" in text


def test_a_reviewer_who_ticked_an_answer_starts_from_its_marks(client: Client, ben: User, task: Task):
    read = TextOf(page(client, task, f"&of={of(task, 1).pk}"))

    assert sorted(read.ticked) == sorted(sent(*SECOND))


def test_a_reviewer_comes_back_to_their_own_answer(client: Client, ben: User, task: Task):
    settle(client, task, *FIRST, **{"a.names": "She # Person"})

    again = page(client, task)

    assert sorted(TextOf(again).ticked) == sorted(sent(*FIRST))
    assert re.search(r"<textarea[^>]*name=\"a.names\"[^>]*>\s*She # Person</textarea>", again)
    assert "data-kept" in again


def test_one_answer_alone_is_shown_as_before(client: Client, ben: User):
    text = page(client, make_marked_task(FIRST))

    assert "data-together" not in text
    assert "data-canvas" in text


def test_an_answer_that_a_reviewer_excluded_is_left_out_of_the_comparison(client: Client, ben: User, task: Task):
    annotation = of(task, 0)
    client.post(f"/admin/review/{task.campaign_id}/answers/{annotation.pk}/", {"verdict": "exclude"})

    assert "data-together" not in page(client, task)


def test_people_who_all_marked_nothing_agree_on_that(client: Client, ben: User):
    text = page(client, make_marked_task((), ()))

    assert "0 marks agreed, 0 differences" in shown_text(text)
    assert re.search(r'name="a.names.none"[^>]*checked', text[text.index("data-together") :])


def shown_text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


# ---- Settling


def test_marks_are_taken_from_both_answers_and_made_again(client: Client, ben: User, task: Task):
    saved = settle(client, task, *ARDEN_AND_MIRA, ILSE, **{"a.names": "Bank # Company"})

    assert "Your answer of the task is saved." in saved
    assert settled() == as_answer([*ARDEN_AND_MIRA, ILSE, (56, 60, "company")])


def test_it_is_made_of_as_few_answers_as_have_what_was_taken(client: Client, ben: User, task: Task):
    settle(client, task, *ARDEN_AND_MIRA, BANK_OF_DUN)
    assert Settlement.objects.latest("pk").made_of == [of(task, 0).pk]

    settle(client, task, *ARDEN_AND_MIRA, ILSE, BANK_OF_DUN)
    assert Settlement.objects.latest("pk").made_of == [of(task, 0).pk, of(task, 1).pk]


def test_marks_that_cannot_stand_together_are_refused_and_stay_ticked(client: Client, ben: User, task: Task):
    taken = [MIRA, BANK, BANK_OF_DUN]
    fields = {"a.names.taken": sent(*taken), "a.names": "She # Person"}

    answer = client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", fields)

    assert answer.status_code == 422
    assert "“Harbour Bank of Dun” and “Harbour Bank” overlap" in shown(answer)
    assert sorted(TextOf(answer.content.decode()).ticked) == sorted(sent(*taken))
    assert "She # Person</textarea>" in answer.content.decode()
    assert not Settlement.objects.exists()


@pytest.mark.parametrize("taken", ["nonsense", '{"start": 1}', '{"start":0,"end":4,"label":"ship"}', "[]", "]["])
def test_a_mark_that_no_box_sends_is_refused(client: Client, ben: User, task: Task, taken: str):
    answer = client.post(f"/admin/review/{task.campaign_id}/tasks/{task.pk}/", {"a.names.taken": taken})

    assert answer.status_code == 422
    assert not Settlement.objects.exists()


def test_an_answer_that_changed_since_it_was_shown_is_refused(client: Client, ben: User, task: Task):
    seen = re.findall(r'name="seen" value="([^"]*)"', page(client, task))[0]
    annotation = of(task, 0)
    annotation.answer = {"names": as_answer([MIRA])}
    annotation.save()

    text = settle(client, task, *FIRST, seen=seen)

    assert "An author has changed their answer since you saw it" in text
    assert not Settlement.objects.exists()


def test_excluding_somebody_of_whom_nothing_was_taken_leaves_it_settled(client: Client, ben: User, task: Task):
    settle(client, task, *FIRST)
    Campaign.objects.update(status="closed")

    excluding.exclude(Participation.objects.latest("pk").pk, reason="copies", by=None)

    assert settlements_of([task.pk], needed=1)[task.pk].outdated == frozenset()


def test_a_task_whose_source_is_gone_needs_another_look(client: Client, ben: User, task: Task):
    list(assessing.assess(Campaign.objects.get()))
    settle(client, task, *SECOND)
    Campaign.objects.update(status="closed")

    excluding.exclude(Participation.objects.latest("pk").pk, reason="copies", by=None)
    list(assessing.assess(Campaign.objects.get()))

    assert "The task’s own answer needs another look." in ReviewItem.objects.get().reasons


def test_two_reviewers_who_settle_it_differently_leave_it_contested(client: Client, ben: User, task: Task):
    list(assessing.assess(Campaign.objects.get()))
    Campaign.objects.update(reviewers=2)
    settling.settle(task.pk, TaskAnswer({"a.names": json.dumps(as_answer(FIRST))}), by=make_user("zoe"))
    before = page(client, task)

    settle(client, task, *SECOND)

    assert "zoe" not in before
    assert ReviewItem.objects.get().state == "contested"


# ---- Agreement


def test_the_agreement_page_shows_each_label_and_participant(client: Client, ben: User, task: Task):
    list(assessing.assess(Campaign.objects.get()))

    text = shown(client.get(f"/campaigns/{task.campaign_id}/agreement/"))

    assert "Names: labels and participants" in text
    assert re.search(r"Person</bdi></td>.*?>0\.67<", text)  # of three marks, two are the same
    assert re.search(r"Company</bdi></td>.*?>0\.00</td>.*?>1\.00<", text)  # nowhere exactly the same
    assert "Participant 2" in text
