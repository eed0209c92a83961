"""Own tasks go the whole way: described, answered by invented people, reviewed, measured, released and exported."""

from __future__ import annotations

import io
import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import AgreementReport, Annotation, Campaign, Release, ReviewItem
from annotation.services import assessing, reviewing, settling
from annotation.services.reviewing import Opinion
from annotation.task_types import type_of
from annotation.task_types.own import library
from kernel.models import User
from tests.annotation.describing import in_library, let_people_answer, make_description, make_own_campaign
from tests.pages import shown

pytestmark = pytest.mark.django_db
PEOPLE = 3


ALWAYS = (
    "named_things",
    "pairwise_preference",
    "post_editing",
    "summary_rating",
    "toxicity",
)  # every kind of part, and a hidden one
EACH = [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.thorough) for name in library.NAMES]


@pytest.fixture(params=EACH)
def campaign(request: pytest.FixtureRequest, tmp_path: Path) -> Campaign:
    """Return a campaign for each description of the library, answered by three invented people."""
    row = make_description(in_library(request.param))
    made = make_own_campaign(row, tmp_path, redundancy=PEOPLE)
    let_people_answer(made, PEOPLE)
    return made


def test_it_goes_the_whole_way(campaign: Campaign, ben: User, client: Client, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    type_: Any = type_of(campaign)
    answers = Annotation.objects.select_related("assignment__task").order_by("pk")
    for row in answers:
        question = row.assignment.task.question
        form = {**type_.form(question, row.answer), "confirmed": " ".join(row.warnings)}
        assert type_.parse(question, form) == row.answer
    assert answers.count() == PEOPLE * campaign.tasks_made

    list(assessing.assess(campaign))
    report = AgreementReport.objects.get().value
    assert [series["part"] for series in report["series"]] == [series.part for series in type_.scales]
    assert ReviewItem.objects.count() == campaign.tasks_made

    first, second = answers.filter(assignment__task=answers[0].assignment.task)[:2]
    question = first.assignment.task.question
    corrected = {**type_.form(question, second.answer), "confirmed": " ".join(second.warnings)}
    review = shown(client.get(f"/admin/review/{campaign.pk}/?task={first.assignment.task_id}"))
    pieces = type_.pieces(question, second.answer)
    assert all(escape(piece.words) in review for _, row in pieces for piece in row)
    reviewing.decide(first.pk, Opinion("correct", form=corrected), by=ben)
    settling.settle(first.assignment.task_id, settling.TaskAnswer(corrected, (second.pk,)), by=ben)

    options = {"least_assignments": 1, "least_answered": 1, "simulated": True}
    call_command("freeze_release", "Out", campaign=[campaign.name], stdout=io.StringIO(), **options)
    rows = [item.value for item in Release.objects.get().items.order_by("position")]
    assert len(rows) == campaign.tasks_made
    assert all(row["consensus"].keys() == {use["name"] for use in parts(campaign)} for row in rows)
    assert Release.objects.get().recipe["task_settings"] == campaign.task_settings
    settled = type_.parse(question, corrected)
    assert [row["final"] for row in rows if row["final"] is not None] == ([] if type_.is_skip(settled) else [settled])

    for format_ in type_.release.formats:
        call_command("export_release", "Out", format=format_, out=tmp_path / format_, stdout=io.StringIO())
    assert [json.loads(line) for line in (tmp_path / "jsonl").open()] == rows
    table = parquet.read_table(tmp_path / "huggingface" / "data" / "annotations.parquet").to_pylist()
    assert sum(row["outcome"] == "answered" for row in table) == sum(
        annotation["outcome"] == "answered" for row in rows for annotation in row["annotations"]
    )


def parts(campaign: Campaign) -> list[dict[str, str]]:
    return list(campaign.task_settings["description"]["parts"])
