"""A task type can ask about an item in several ways: each is a task, and nothing mixes their answers."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.models import AgreementReport, Campaign, Release, Task
from annotation.selectors import raw_answers
from annotation.selectors.agreement import least_agreed
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.releases import seen_at
from annotation.services import assessing, assigning, campaigns, importing
from annotation.task_types import TASK_TYPES
from kernel.errors import WrongState
from tests.annotation.answered import answer
from tests.make import make_answer, make_campaign, make_participation, make_sample
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def two_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    type_ = TASK_TYPES["aggregation"]
    plain = type_.question
    monkeypatch.setattr(type_, "variants", ("", "short"), raising=False)
    monkeypatch.setattr(type_, "question", lambda item, variant="": plain(item) | {"variant": variant})


def answered() -> Campaign:
    """Return a campaign in which two people agree about the plain way to ask, and two others about the short one."""
    campaign = make_campaign(size=1, redundancy=2)
    for task in campaign.tasks.all():
        for number in range(2):
            answer(task, f"{task.variant} {number}", ["tenors"] if task.variant else ["botanists"])
    return campaign


def keys_of(campaign: Campaign) -> list[str]:
    (member,) = campaign.sample.members.all()
    return [member.key, f"{member.key}:short"]


def test_each_way_to_ask_becomes_a_task_and_is_in_the_price():
    campaign = make_campaign(size=3, redundancy=2, is_running=False, reward=Decimal(1))

    tasks = Task.objects.order_by("position")
    assert [task.position for task in tasks] == [*range(6)]
    assert all(task.question["variant"] == task.variant for task in tasks)
    assert len({(task.member_id, task.variant) for task in tasks}) == 6
    assert price_of_campaign(campaign).total == 12
    first = tasks[0]
    first.pk, first.position = None, 6
    with pytest.raises(IntegrityError), transaction.atomic():
        first.save(force_insert=True)


def test_the_form_tells_the_price_of_all_tasks(researcher: Client):
    page = shown(researcher.get(f"/campaigns/new/?sample={make_sample(size=3).pk}"))

    assert "6 tasks × 3 answers × $0.00" in page


def test_a_campaign_starts_once_all_variants_are_made(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(campaigns, "CHUNK", 4)
    plan = campaigns.CampaignPlan(name="Phrases", sample=make_sample(size=4), contact="Ben")
    campaign = campaigns.create_campaign(plan, by=None)
    making = campaigns.make_tasks(campaign)
    next(making)

    with pytest.raises(WrongState, match="still being created"):
        campaigns.start(campaign.pk, by=None)
    assert [*making] == [8]
    assert campaigns.start(campaign.pk, by=None).status == "running"


def test_nobody_meets_an_item_twice():
    person = make_participation(make_campaign(size=1, redundancy=1))
    make_answer(person)

    assert assigning.take_turn(person.secret).assignment is None
    assert Task.objects.get(answers=0).free == 1


def test_a_release_has_a_row_for_each_way_to_ask(researcher: Client):
    campaign = answered()

    call_command("freeze_release", "Words", campaign=[campaign.name], least_assignments=1)

    release = Release.objects.get()
    rows = [item.value for item in release.items.order_by("position")]
    assert [row["key"] for row in rows] == keys_of(campaign)
    assert [row.get("variant") for row in rows] == [None, "short"]
    assert [row["aggregations"][0]["phrase"] for row in rows] == ["botanists", "tenors"]
    assert [row["aggregations"][0]["support"] for row in rows] == [2, 2]
    assert "Tenors" in shown(researcher.get(f"/releases/{release.pk}/items/1/"))


def test_what_a_release_leaves_out_is_seen_in_the_sample():
    campaign = answered()
    answer(campaign.tasks.get(variant=""), "third", ["botanists"])
    call_command("freeze_release", "Words", campaign=[campaign.name], least_assignments=1, least_answered=3)

    plain, short = keys_of(campaign)
    assert seen_at(Release.objects.get(), [plain, short]) == ({plain: 0}, {short: (campaign.sample_id, 0)})


def test_agreement_is_measured_for_each_way_to_ask():
    campaign = answered()
    for task, name in zip(campaign.tasks.all(), ("third", "fourth"), strict=True):
        answer(task, name, ["painters"])

    list(assessing.assess(campaign))

    report = AgreementReport.objects.get()
    plain, short = keys_of(campaign)
    assert {row["instance"]: row["answers"] for row in report.by_instance} == {plain: 3, short: 3}
    assert [row["task"] for row in least_agreed(report)] == [campaign.tasks.get(variant=v).pk for v in ("", "short")]


def test_files_of_raw_answers_tell_the_two_apart():
    campaign = answered()

    raw = [json.loads(line)["instance"] for line in raw_answers.lines(campaign, "jsonl")]

    assert sorted(raw) == sorted(2 * keys_of(campaign))


def test_results_of_mturk_name_the_variant():
    campaign = make_campaign(size=1, redundancy=1, is_running=False)
    plain, short = keys_of(campaign)
    article = campaign.sample.members.get().value["article_id"]
    lines = ["WorkerId,Input.id_,Answer.utterance_1", f"A1,{plain},a", f"A2,{short},b", f"A3,{article},c"]

    *_, done = importing.import_results(campaign, "mturk", lines, by=None)

    assert (done.added, [row.reason for row in done.bad]) == (
        2,
        [f"several tasks have the id {article!r}: use the item's key"],
    )
    assert [task.answers for task in campaign.tasks.all()] == [1, 1]
