"""Two task types that only the tests have, ratings and labelled spans, go the whole way through the product."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import AgreementReport, Annotation, Assignment, Campaign, Release, ReviewItem, Task
from annotation.services import asking_more, assessing, gold, reviewing, submitting
from annotation.services.reviewing import Opinion
from annotation.simulation.invented_people import crowd
from annotation.task_types import TASK_TYPES, type_of
from annotation.task_types.base import Gold, InvalidAnswer, JsonObject
from corpus.models import Sample
from kernel.models import User
from tests.annotation.kinds.registering import KINDS, TEXTS, make_sample_of_texts, registered
from tests.make import make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture(params=[*KINDS])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def texts(tmp_path: Path) -> Sample:
    return make_sample_of_texts(tmp_path)


@pytest.fixture
def campaign(kind: str, texts: Sample) -> Campaign:
    """Return a campaign over three texts, answered by three invented people."""
    made = make_campaign(kind, sample=texts, task_type=kind, redundancy=3)
    for person in crowd(3, seed=4):
        entry = make_participation(made, f"person {person.number}")
        for number in range(len(TEXTS)):
            answer(made, entry.secret, person.steady(), Random(10 * person.number + number))
    return made


def freeze(campaign: Campaign) -> None:
    options = {"least_assignments": 1, "least_answered": 1, "simulated": True}
    call_command("freeze_release", "Out", campaign=[campaign.name], **options)


def answer(made: Campaign, secret: str, person: Any, rng: Random) -> None:
    """Let an invented person answer their next task through its page."""
    client = Client()
    client.get(f"/task/{secret}/")
    turn = Assignment.objects.get(participation__secret=secret, status="taken")
    type_ = type_of(made)
    reading = type_.crowd.read_page(turn.task.html)
    form = type_.crowd.invent(reading, person, rng)
    submitting.submit(secret, turn.pk, form)


def test_texts_are_asked_about_word_for_word(campaign: Campaign):
    (item,) = [m.value for m in campaign.sample.members.all() if m.value["title"] == "Text 1"]

    assert item["text"] == "It  rained in Dun."
    assert Annotation.objects.count() == 9


def test_the_page_of_a_task_shows_its_form_and_says_what_is_missing(client: Client, campaign: Campaign, kind: str):
    Campaign.objects.update(redundancy=4)
    campaign.tasks.update(slots=4, free=1)
    person = make_participation(campaign, "one more")

    page = shown(client.get(f"/task/{person.secret}/"))
    turn = Assignment.objects.get(participation=person)
    refused = client.post(f"/task/{person.secret}/answer/{turn.pk}/", {})

    assert f'name="{kind}"' in page
    assert refused.status_code == 422
    assert 'role="alert"' in shown(refused)


def test_an_answer_gives_its_form_and_the_form_gives_the_answer(campaign: Campaign):
    type_ = type_of(campaign)
    for row in Annotation.objects.select_related("assignment__task"):
        question = row.assignment.task.question

        assert type_.parse(question, type_.form(question, row.answer)) == row.answer
        assert type_.summary(question, row.answer)


def test_practice_answers_are_right_and_others_are_not(kind: str):
    type_ = TASK_TYPES[kind]
    (lesson,) = type_.practice
    question = type_.question(lesson.item)
    known = lesson.gold.accepted[0]

    assert type_.judge(known, lesson.gold, question).is_hit
    assert type_.nothing_fits
    assert not type_.judge(type_.nothing_fits.answer, lesson.gold, question).is_hit


def test_a_check_task_is_set_with_the_form_of_an_answer(texts: Sample, kind: str):
    campaign = make_campaign(kind, sample=texts, task_type=kind, is_running=False)
    type_, task = type_of(campaign), campaign.tasks.get(question__title="Text 0")
    form = {"stars": {"stars": "2"}, "spans": {"spans": "0 8 person"}}[kind]

    gold.set_gold(task.pk, {**form, "gold_reason": "It is so."}, by=None)

    task.refresh_from_db()
    known = Gold.from_json(task.gold or {})
    assert known.reason == "It is so."
    assert type_.summary(task.question, known.accepted[0]) in ("2 of 5 stars", "[Ida Lind] person")


def by_hand(texts: Sample, kind: str, answers: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the report of a campaign in which each person gave these answers to the first texts."""
    campaign = make_campaign(kind, sample=texts, task_type=kind, redundancy=3)
    for name, values in answers.items():
        person = make_participation(campaign, name)
        for _ in TEXTS:
            Client().get(f"/task/{person.secret}/")
            turn = Assignment.objects.select_related("task").get(participation=person, status="taken")
            number = int(turn.task.question["title"].removeprefix("Text "))
            submitting.submit(person.secret, turn.pk, {kind: values[number]})
    list(assessing.assess(campaign))
    return {
        measure["measure"]: measure["value"] for measure in AgreementReport.objects.get().value["series"][0]["measures"]
    }


def test_agreement_on_ratings_knows_their_order(texts: Sample):
    figures = by_hand(texts, "stars", {"ann": ("4", "2", "1"), "bob": ("4", "2", "2"), "cid": ("5", "2", "1")})

    assert figures["pairwise agreement"] == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    # Krippendorff's ordinal alpha of these nine ratings, worked out with the definition of 2011.
    assert figures["Krippendorff's alpha, ordinal"] == pytest.approx(0.8148148148148149)


def test_agreement_on_spans_is_over_all_pairs_and_not_the_best(texts: Sample):
    ida, karl, dun = "0 8 person", "13 21 person", "14 17 place"
    figures = by_hand(
        texts, "spans",
        {"ann": (f"{ida}\n{karl}", dun, ""), "bob": (ida, dun, ""), "cid": (karl, "", "")},
    )  # fmt: skip

    # Of the pairs of people: 2/3, 2/3 and 0 for the first text, 1, 0 and 0 for the second, 1 for the third.
    assert figures["pairwise F1"] == pytest.approx(((2 / 3 + 2 / 3 + 0) / 3 + 1 / 3 + 1) / 3)


def test_neighbouring_ratings_count_as_the_same_and_nobody_else_is_asked(texts: Sample):
    by_hand(texts, "stars", {"ann": ("4", "2", "1"), "bob": ("4", "2", "2"), "cid": ("5", "2", "5")})
    campaign = Campaign.objects.get()

    doubtful = {Task.objects.get(pk=pk).question["title"] for pk in asking_more.doubtful_tasks(campaign)}

    assert doubtful == set()
    assert [item.is_unanimous for item in ReviewItem.objects.order_by("task__question__title")] == [True, True, False]


def test_it_is_reviewed_corrected_released_and_exported(ben: User, campaign: Campaign, kind: str, tmp_path: Path):
    list(assessing.assess(campaign))
    assert ReviewItem.objects.count() == 3
    first = Annotation.objects.filter(assignment__task__question__title="Text 0").order_by("pk")[0]
    corrected = {"stars": {"stars": "1"}, "spans": {"spans": "25 30 place"}}[kind]
    reviewing.decide(first.pk, Opinion("correct", form=corrected), by=ben)

    freeze(campaign)
    release = Release.objects.get()
    rows = [item.value for item in release.items.order_by("position")]
    annotations = [annotation for row in rows for annotation in row["annotations"]]
    (changed,) = [a for a in annotations if a["verdict"] == "correct"]

    assert {row["schema"] for row in rows} == {3}
    assert changed["answer"] == first.answer
    assert changed["final"] == type_of(campaign).parse({"most": 5, "text": TEXTS[0]}, corrected)
    assert {row["text"] for row in rows} <= set(TEXTS)
    assert {a["outcome"] for a in annotations} <= {"answered", "skipped"}
    assert all((a["final"] is None) == (a["outcome"] == "skipped") for a in annotations)
    measured = {(measure["of"], measure["measure"]) for measure in release.statistics["agreement"]}
    assert (kind, {"stars": "Krippendorff's alpha, ordinal", "spans": "pairwise F1"}[kind]) in measured
    call_command("export_release", "Out", format="jsonl", out=tmp_path / "out.jsonl")
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").open()] == rows


def test_its_hugging_face_folder_is_read_by_parquet(campaign: Campaign, kind: str, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    freeze(campaign)
    call_command("export_release", "Out", format="huggingface", out=tmp_path / "out")

    table = parquet.read_table(tmp_path / "out" / "data" / "annotations.parquet").to_pylist()

    answered = [row for row in table if row["outcome"] == "answered"]
    assert answered
    assert all(row["final"][kind] for row in answered)
    assert "language" not in (tmp_path / "out" / "README.md").read_text()
    assert f"pairwise agreement of {kind}:" in (tmp_path / "out" / "DATASHEET.md").read_text()


def test_an_answer_that_cannot_be_is_refused(kind: str):
    type_ = TASK_TYPES[kind]
    question: JsonObject = {"most": 5, "text": "It rained.", "title": "Rain"}
    for form in ({kind: "6"}, {kind: "0 99 person"}, {kind: "3 3 place"}, {kind: "0 2 planet"}, {}):
        with pytest.raises(InvalidAnswer):
            type_.parse(question, form)
