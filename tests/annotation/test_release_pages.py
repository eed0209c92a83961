"""Pages of releases: what would be kept is shown before it is frozen, and two releases are told apart."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db.models import F
from django.urls import reverse

from annotation.models import Release, Worker
from annotation.releasing.hashing import digest_of
from annotation.releasing.recipe import make_recipe
from annotation.services import release_exports, releases
from annotation.task_types.aggregation.type import AGGREGATION
from kernel.models import Job
from tests.annotation.answered import answer, answered_campaign
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_release
from tests.pages import shown

pytestmark = pytest.mark.django_db

THREE = {"cleo": ["The botanists"], "dan": ["botanists", "experts"], "eve": None}


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path):
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"


def frozen(name: str = "Words", **fields: Any) -> Release:
    recipe = make_recipe(AGGREGATION, ["Phrases"], **{"least_assignments": 1} | fields)
    release = releases.create_release(releases.ReleasePlan(name, recipe), by=None)
    return releases.freeze_release(release, by=None, report=lambda *_: None)


def differences(text: str) -> list[int]:
    """Return how many instances the page says were added, removed, changed and left as they were."""
    return [
        int(re.search(rf"<dt>{label}</dt>\s*<dd>(\d+)</dd>", text)[1])  # type: ignore[index]
        for label in ("Added", "Removed", "Changed", "The same")
    ]


def test_the_recipe_is_previewed_and_then_frozen_by_a_job(client, ben):
    campaign = answered_campaign(THREE, {"cleo": None, "dan": ["x"]})
    campaign.tasks.update(answers=F("slots"))
    asked = {
        "campaigns": [campaign.pk],
        "cleaning": "paper",
        "least_assignments": 1,
        "least_answered": 2,
        "use_reviews": "on",
    }

    page = client.get(reverse("release-new"), asked)
    assert "Create release with 1 instance" in shown(page)
    assert "The review is not finished:</strong> 2 tasks wait for review." in shown(page)
    assert not Release.objects.exists()

    answer_ = client.post(reverse("release-new"), {**asked, "name": "Words", "licence": "CC0"})
    assert answer_.status_code == 302
    job, release = Job.objects.get(), Release.objects.get()
    assert (job.kind, job.created_by, release.recipe["cleaning"]["name"]) == ("freeze_release", ben, "paper")


def test_a_recipe_that_keeps_nothing_offers_no_freezing(client, ben):
    campaign = answered_campaign(THREE)
    asked = {"campaigns": [campaign.pk], "cleaning": "tesa", "least_assignments": 5, "least_answered": 2}

    text = client.get(reverse("release-new"), asked).content.decode()

    assert "keeps no instance" in text
    assert "Create release" not in text


def test_a_recipe_empty_for_lack_of_people_says_how_to_keep_simulated_answers(client, ben):
    campaign = answered_campaign(THREE)
    Worker.objects.update(provider="simulation")
    asked = {"campaigns": [campaign.pk], "cleaning": "tesa", "least_assignments": 1, "least_answered": 1}

    text = shown(client.get(reverse("release-new"), asked))

    assert "tick <em>Include the answers of simulated participants</em>" in text


def test_answers_of_simulated_participants_do_not_stand_beside_0_of_0_people(client, ben):
    campaign = answered_campaign(THREE)
    Worker.objects.update(provider="simulation")
    asked = {"campaigns": [campaign.pk], "cleaning": "tesa", "least_assignments": 1, "least_answered": 1}

    preview = shown(client.get(reverse("release-new"), asked | {"simulated": "on"}))
    left_out = shown(client.get(reverse("release-new"), asked))
    release = shown(client.get(reverse("release", args=[frozen(least_answered=1, simulated=True).pk])))

    for page in (preview, release):
        assert "<dt>Annotations</dt><dd>2</dd>" in page
        assert "<dt>People</dt>" not in page
        assert "<dt>Simulated participants</dt><dd>3</dd> <dd>of 3: software, not people</dd>" in page
    assert "<dt>Simulated participants</dt><dd>0</dd> <dd>of 3: software, not people</dd>" in left_out


def test_wrong_input_is_told_beside_its_field(client, ben):
    answered_campaign(THREE)

    page = client.get(reverse("release-new"), {"cleaning": "tesa", "least_assignments": 0, "least_answered": 2})

    assert page.status_code == 422
    text = page.content.decode()
    assert "Minimum tasks per person" in text
    assert "greater than or equal to 1" in text
    assert "Choose at least one campaign." in text


def test_a_release_shows_its_figures_beside_the_published_ones(client, ben):
    answered_campaign(THREE)
    release = frozen()

    text = client.get(reverse("release", args=[release.pk])).content.decode()

    for words in ("1,718", "4,675", "2,900 (951)", release.content_hash, "Not aggregatable", "botanists"):
        assert words in text
    assert "Download as" in text


def test_what_was_left_out_is_listed_by_step_with_reasons(client, ben):
    answered_campaign(THREE, {"cleo": ["they"], "dan": None})
    release = frozen()

    everything = client.get(reverse("release-discarded", args=[release.pk])).content.decode()
    some = client.get(reverse("release-discarded", args=[release.pk]), {"step": "late"}).content.decode()

    assert "answered, fewer than 2" in everything
    assert "Points at them without saying what they are." in everything
    assert "pronoun" not in everything
    assert "Nothing was left out for this reason" in some


def test_what_is_left_out_is_counted_in_answers_and_people_before_and_after_freezing(client, ben):
    campaign = answered_campaign(THREE, {"cleo": ["gardeners"], "dan": ["experts"]}, {"cleo": ["they"], "dan": None})
    asked = {"campaigns": [campaign.pk], "cleaning": "tesa", "least_assignments": 2, "least_answered": 2}
    sentences = (
        "1 answer of a participant with too few tasks",
        "1 non-conforming answer",
        "1 instance for which too few participants gave a phrase",
    )

    preview = shown(client.get(reverse("release-new"), asked))
    release = shown(client.get(reverse("release", args=[frozen(least_assignments=2).pk])))

    assert "".join(f"<li>{words}</li>" for words in sentences) in preview
    for words in sentences:
        assert f">{words}</a>" in release


def test_people_with_too_few_tasks_are_counted_beside_their_answers(client, ben):
    campaign = answered_campaign(*[{"cleo": ["gardeners"], "dan": ["experts"]}] * 2)
    asked = {"campaigns": [campaign.pk], "cleaning": "tesa", "least_assignments": 5, "least_answered": 2}

    text = client.get(reverse("release-new"), asked).content.decode()

    assert "4 answers of 2 participants with too few tasks" in text


def test_two_releases_are_told_apart(client, ben):
    campaign = answered_campaign(THREE, THREE)
    first = frozen()
    answer(campaign.tasks.first(), "fay", ["gardeners"])
    second = frozen(cleaning="paper")

    text = shown(client.get(reverse("release-compare"), {"before": first.pk, "after": second.pk}))

    assert differences(text) == [0, 0, 1, 1]
    assert "gardeners × 1" in text
    assert "cleaning" in text
    same = shown(client.get(reverse("release-compare"), {"before": first.pk, "after": first.pk}))
    assert "The content is identical" in same


def test_releases_of_two_schemas_are_compared_by_what_both_say(client, ben):
    answered_campaign(THREE, {"ann": ["!!!"], "dan": ["gardeners"], "cleo": ["gardeners"]})
    new = frozen()
    old = Release.objects.create(name="Old", recipe={**new.recipe, "schema": 1}, statistics=new.statistics)
    for item in new.items.all():
        annotations = [
            {name: annotation[name] for name in annotation if name != "rejected"}
            | {"not_aggregatable": not annotation["cleaned"]}
            for annotation in item.value["annotations"]
        ]
        value = {**item.value, "schema": 1, "annotations": annotations}
        item.pk, item.release, item.value, item.digest = None, old, value, digest_of(value)
        item.save()
    Release.objects.filter(pk=old.pk).update(content_hash="1" * 64, frozen_at=new.frozen_at)

    text = client.get(reverse("release-compare"), {"before": old.pk, "after": new.pk}).content.decode()

    assert differences(text) == [0, 0, 0, 2]


def test_instances_added_and_removed_are_listed(client, ben):
    items = [make_frozen(article_id=str(n)) for n in range(3)]
    first, second = make_release("A", items=items[:2]), make_release("B", items=items[1:])

    text = shown(client.get(reverse("release-compare"), {"before": first.pk, "after": second.pk}))

    assert differences(text) == [1, 1, 0, 1]


def test_an_export_is_a_job_whose_file_is_downloaded(client, ben):
    answered_campaign(THREE)
    release = frozen()

    assert client.post(reverse("release-export", args=[release.pk]), {"format": "jsonl"}).status_code == 302
    assert Job.objects.get().parameters == {"release": release.pk, "format": "jsonl"}
    export = release_exports.export_release(release, "jsonl", lambda done: None)
    answer_ = client.get(reverse("release-download", args=[release.pk, "jsonl"]))

    assert b"".join(answer_.streaming_content).count(b"\n") == 1
    assert 'filename="words-v1' in answer_["Content-Disposition"]
    assert export.sha256[:12] in client.get(reverse("release-files", args=[release.pk])).content.decode()
    assert client.post(reverse("release-export", args=[release.pk]), {"format": "exe"}).status_code == 422


def test_a_file_that_is_being_made_says_so_and_is_not_started_twice(client, ben):
    answered_campaign(THREE)
    release = frozen()
    make, files = reverse("release-export", args=[release.pk]), reverse("release-files", args=[release.pk])
    assert '<tbody id="files" data-renew>' in shown(client.get(files))
    client.post(make, {"format": "jsonl"})
    job = Job.objects.get(kind="export_release")

    again = client.post(make, {"format": "jsonl"}, headers={"HX-Request": "true"})

    assert again.status_code == 204
    assert reverse("job", args=[job.pk]) in again.headers["HX-Trigger"]
    assert Job.objects.filter(kind="export_release").count() == 1
    assert "Being made…" in shown(client.get(reverse("release", args=[release.pk])))
    page = shown(client.get(files))
    assert f'href="/jobs/{job.pk}/">Being made…' in page
    assert 'id="make-jsonl"' not in page
    assert '<tbody id="files" data-live="soon">' in page
    Job.objects.update(status="succeeded")
    assert 'id="make-jsonl"' in client.get(files).content.decode()


def test_an_unfinished_release_says_so_and_is_not_exported(client, ben):
    answered_campaign(THREE)
    release = releases.create_release(releases.ReleasePlan("Words", make_recipe(AGGREGATION, ["Phrases"])), by=None)

    assert "This release was not finished." in client.get(reverse("release", args=[release.pk])).content.decode()
    releases.start_freezing(release, by=None)
    page = shown(client.get(reverse("release", args=[release.pk])))
    assert "This release is being created." in page
    assert "Being created</span>" in page
    assert "not finished" not in page
    assert client.post(reverse("release-export", args=[release.pk]), {"format": "jsonl"}).status_code == 409
    assert client.get(reverse("api-release", args=[release.pk])).status_code == 404


def test_deleting_asks_first(client, ben):
    release = make_release(items=[make_frozen()])

    assert "files are deleted" in client.get(reverse("release-delete", args=[release.pk])).content.decode()
    assert Release.objects.exists()
    client.post(reverse("release-delete", args=[release.pk]))
    assert not Release.objects.exists()


def test_the_api_gives_releases_and_their_items(client, ben):
    release = make_release(items=[make_frozen()])

    (listed,) = client.get(reverse("api-releases")).json()["results"]
    fetched = client.get(reverse("api-release", args=[release.pk])).json()
    (item,) = client.get(reverse("api-release-items", args=[release.pk])).json()["results"]

    assert listed["content_hash"] == fetched["content_hash"] == release.content_hash
    assert fetched["statistics"]["released"]["instances"] == 1
    assert item["value"]["entities"] == ["Ida Lind", "Karl Moe"]
