"""Releases whose recipe chooses how answers are brought together: frozen, exported, on pages, by script and command."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.jobs import freeze_release
from annotation.models import Campaign, Release
from annotation.releasing.hashing import ReleaseHash
from annotation.releasing.rehydrating_items import rehydrate_items
from annotation.selectors import releases as selectors
from kernel.errors import TesaError
from kernel.models import Job, User
from kernel.progress import Silent
from modeling.models import Split
from modeling.services import splits
from tests.annotation.answered import answered_campaign
from tests.annotation.describing import let_people_answer, make_description, make_own_campaign
from tests.annotation.ruled import WEATHER
from tests.make import make_synthetic_release
from tests.pages import shown

pytestmark = pytest.mark.django_db

LESSONS = """\
practice:
  - item: {title: Dun, first: Morning rain, second: Noon wind, third: Night fog}
    answers: {sky: grey}
  - item: {title: Arden, first: Morning sun, second: Noon sun, third: Night rain}
    answers: {sky: clear}
"""
THRESHOLDS = {"least_assignments": 1, "least_answered": 1, "simulated": True}
RULES = ("sky=dawid_skene,threshold=0.9", "stars=median,least_answers=2", "words=clusters,least_support=2")


@pytest.fixture(autouse=True)
def _storage(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    made = make_own_campaign(make_description(WEATHER + LESSONS), tmp_path, redundancy=3)
    let_people_answer(made, 3)
    return made


def freeze(campaign: Campaign, *rules: str, name: str = "Weather") -> Release:
    options: Any = {"campaign": [campaign.name], "consensus": list(rules), **THRESHOLDS}
    call_command("freeze_release", name, stdout=io.StringIO(), **options)
    return Release.objects.get(name=name)


def rows_of(release: Release) -> list[dict[str, Any]]:
    return [*selectors.values_in_pages(release)]


def test_a_release_is_frozen_by_its_rules_and_says_them_everywhere(campaign: Campaign, client: Client, ben: User):
    release = freeze(campaign, *RULES)

    rows = rows_of(release)
    assert release.recipe["consensus"]["sky"] == {"rule": "dawid_skene", "threshold": 0.9, "least_answers": 1}
    for row in rows:
        together = row["consensus"]
        assert (together["sky"]["rule"], together["sky"]["probability"] <= 1) == ("dawid_skene", True)
        assert (together["sky"]["value"] is None) == (together["sky"]["probability"] < 0.9)
        style = together["stars"]["style"]["item"]
        assert style is None or style["value"] == style["median"]
        assert all(own["support"] >= 2 for own in together["words"])
        assert together["signs"].keys() == {"value", "support", "votes"}  # as usual
    recipe_page = shown(client.get(reverse("release-recipe", args=[release.pk])))
    assert "if that is at least 90%" in recipe_page
    assert "Answers to “signs” together" in recipe_page
    assert shown(client.get(reverse("release-item", args=[release.pk, 0])))


def test_the_same_rules_give_the_same_hash_and_no_rule_another_one(campaign: Campaign):
    first, second = (freeze(campaign, *RULES, name=name) for name in ("First", "Second"))
    usual = freeze(campaign, "sky=more_than_half", name="Usual")
    plain = freeze(campaign, name="Plain")

    assert first.content_hash == second.content_hash != usual.content_hash == plain.content_hash
    assert "consensus" not in usual.recipe
    digest = ReleaseHash(first.recipe)
    for row in rows_of(first):
        digest.add(row)
    assert digest.hexdigest() == first.content_hash


def test_files_of_a_release_by_rules_hold_what_they_describe_and_are_rebuilt(campaign: Campaign, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    release = freeze(campaign, *RULES)
    for name in ("jsonl", "huggingface", "standoff"):
        call_command("export_release", "Weather", format=name, out=tmp_path / name, stdout=io.StringIO())

    table = parquet.read_table(tmp_path / "huggingface" / "data" / "instances.parquet").to_pylist()
    assert [row["consensus"]["sky"]["rule"] for row in table] == ["dawid_skene"] * release.size
    for name in ("README.md", "DATASHEET.md", "croissant.json"):
        assert "Dawid and Skene's model over all tasks" in (tmp_path / "huggingface" / name).read_text()
    items = tmp_path / "items.jsonl"
    lines = [json.loads(line) for line in (tmp_path / "jsonl").open()]
    items.write_text("\n".join(json.dumps(row["columns"]) for row in lines))
    rehydrate_items(tmp_path / "standoff", items, tmp_path / "rebuilt.jsonl", lambda done: None)
    assert (tmp_path / "rebuilt.jsonl").read_bytes() == (tmp_path / "jsonl").read_bytes()


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("moon=majority", "the task has no part “moon”"),
        ("sky=vote", "consensus.sky.rule: there is no rule “vote”"),
        ("sky=majority,threshold=2", "consensus.sky.threshold: must be a number from 0.5 to 1, and 2 is not"),
        ("sky=majority,threshold=most", "“most” is not a number"),
        ("sky", "write PART=RULE"),
    ],
)
def test_the_command_refuses_a_rule_that_cannot_be(campaign: Campaign, rule: str, why: str):
    with pytest.raises((CommandError, TesaError), match=why):
        freeze(campaign, rule)

    assert not Release.objects.exists()


# ---- Pages


def asked(campaign: Campaign, **fields: Any) -> dict[str, Any]:
    return {"campaigns": [campaign.pk], "cleaning": "", "least_assignments": 1, "least_answered": 1, "simulated": "on",
            **fields}  # fmt: skip


def cleaning_of(page: Any) -> str:
    return str(page.context["form"].fields["cleaning"].initial or "")


def test_the_command_takes_one_rule_for_each_part_and_each_number_once(campaign: Campaign):
    with pytest.raises(CommandError, match="sky is named twice"):
        freeze(campaign, "sky=plurality", "sky=majority")
    with pytest.raises(CommandError, match="names “rule” twice"):
        freeze(campaign, "sky=majority,rule=plurality")


def test_the_page_offers_the_rules_of_the_task_and_freezes_by_them(campaign: Campaign, client: Client, ben: User):
    url = reverse("release-new")
    first = client.get(url, {"campaigns": [campaign.pk]})
    assert "What is the sky like?" in shown(first)
    assert "What at least a share chose" in shown(first)
    sent = asked(campaign, cleaning=cleaning_of(first), **{
        "rules_of": first.context["rules_id"], "consensus.sky": "majority", "consensus.sky.majority.threshold": "0,75",
        "consensus.sky.least_answers": "2",
    })  # fmt: skip

    preview = client.get(url, sent)
    assert '<input type="hidden" name="consensus.sky" value="majority">' in shown(preview)
    made = client.post(url, {**sent, "name": "Weather"})

    assert made.status_code == 302
    job = Job.objects.get(kind="freeze_release")
    freeze_release(job.parameters, Silent())
    rule = {"rule": "majority", "threshold": 0.75, "least_answers": 2}
    assert Release.objects.get().recipe["consensus"] == {"sky": rule}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"consensus.sky": "majority", "consensus.sky.majority.threshold": "most"}, "“most” is not a number: give a"),
        ({"consensus.sky": "majority", "consensus.sky.majority.threshold": "0.2"}, "Must be a number from 0.5 to 1"),
        ({"consensus.sky": "vote"}, "There is no rule “vote” for this part"),
        ({"consensus.moon": "majority"}, "the task has no part “moon”"),
        ({"consensus.words.least_answers": "1.5"}, "Must be a whole number from 1 to 1,000"),
    ],
)
def test_the_page_says_beside_the_rule_what_is_wrong(
    campaign: Campaign, client: Client, ben: User, fields: dict[str, str], why: str
):
    url = reverse("release-new")
    cleaning = cleaning_of(client.get(url))

    page = client.get(url, asked(campaign, cleaning=cleaning, **fields))

    assert page.status_code == 422
    assert why in shown(page)


def test_a_task_without_rules_shows_none_and_what_is_left_of_another_task_is_not_read(
    campaign: Campaign, client: Client, ben: User
):
    other = answered_campaign({"cleo": ["The botanists"], "dan": ["botanists"]})
    url = reverse("release-new")
    left = {"rules_of": "sky signs", "consensus.sky": "majority"}

    fragment = client.get(url, {"campaigns": str(other.pk), **left}, headers={"HX-Request": "true"})
    preview = client.get(url, asked(other, **left))

    assert "hidden" in shown(fragment)
    assert "How answers are brought together" not in shown(fragment) + shown(preview)
    assert preview.status_code == 200
    together = client.get(url, {"campaigns": [campaign.pk]}, headers={"HX-Request": "true"})
    assert "What do you see?" in shown(together)
    assert "<html" not in shown(together)


# ---- API


def post(client: Client, campaign: Campaign, consensus: Any) -> Any:
    sent = {"name": "Weather", "campaigns": [campaign.pk], "consensus": consensus, **THRESHOLDS}
    return client.post(reverse("api-releases"), sent, content_type="application/json")


def test_a_script_chooses_rules(campaign: Campaign, client: Client, ben: User):
    answer = post(client, campaign, {"order": {"rule": "bradley_terry"}})

    assert answer.status_code == 202
    freeze_release(Job.objects.get(pk=answer.json()["job"]).parameters, Silent())
    read = client.get(reverse("api-release", args=[answer.json()["release"]])).json()
    assert read["recipe"]["consensus"] == {"order": {"rule": "bradley_terry", "least_answers": 1}}


@pytest.mark.parametrize(
    ("consensus", "status", "why"),
    [
        ({"moon": {"rule": "majority"}}, 409, "the task has no part “moon”"),
        ({"sky": {"rule": "vote"}}, 409, "there is no rule “vote”"),
        ({"sky": {"rule": "majority", "threshold": 7}}, 409, "must be a number from 0.5 to 1, and 7 is not"),
        ({"sky": {"rule": "majority", "threshold": "0.7"}}, 409, "“0.7” is not a number"),
        ({"sky": "majority"}, 422, ""),
        ("majority", 422, ""),
    ],
)
def test_a_script_is_refused_in_a_sentence(
    campaign: Campaign, client: Client, ben: User, consensus: Any, status: int, why: str
):
    answer = post(client, campaign, consensus)

    assert answer.status_code == status
    assert why in answer.json()["error"]["message"]
    assert not Release.objects.exists()


# ---- Training


def test_nothing_is_trained_on_a_release_of_an_own_task_and_every_door_says_why(
    campaign: Campaign, client: Client, researcher: Client
):
    release = freeze(campaign)
    why = (
        "“Weather, version 1” holds answers of the task Weather: TESA’s models learn to rank the phrases of "
        "the task Aggregation."
    )

    alone = shown(researcher.get(reverse("experiment-new")))
    trained = make_synthetic_release("Words")
    beside = shown(researcher.get(reverse("experiment-new")))
    for page in (alone, beside):
        assert "1 release cannot be used here" in page
        assert why.partition(": ")[2] in page
    page = shown(researcher.get(reverse("release", args=[release.pk])))
    assert why in page
    assert "Train models" not in page
    assert f'{reverse("experiment-new")}?release={trained.pk}">Train models…</a>' in shown(
        researcher.get(reverse("release", args=[trained.pk]))
    )
    refused = researcher.get(reverse("experiment-new"), {"release": release.pk})
    assert (refused.status_code, why in shown(refused)) == (409, True)
    sent = {"name": "Mine", "release": release.pk}
    answer = researcher.post(reverse("api-experiments"), sent, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, why)
    with pytest.raises(TesaError, match="holds answers of the task Weather"):
        splits.make_split(release, rule="paper", seed=1, by=None)
    for command in (["make_split", "Weather"], ["run_experiment", "Mine", "--release", "Weather"]):
        with pytest.raises((CommandError, TesaError), match="holds answers of the task Weather"):
            call_command(*command, stdout=io.StringIO())
    assert not Split.objects.exists()
