"""Releases by script: frozen, exported and fetched through the API alone."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from annotation import jobs as job_functions
from annotation.models import Campaign, Release, ReleaseExport
from kernel.models import Job
from kernel.progress import Silent
from kernel.roles import Role
from tests.annotation.answered import answered_campaign
from tests.corpus.frozen_instances import make_frozen
from tests.make import NO_ROW, make_campaign, make_release, make_user

pytestmark = pytest.mark.django_db

THREE = {"cleo": ["The botanists"], "dan": ["botanists", "experts"], "eve": None}


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path):
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"


def post(client, url: str, **sent):
    return client.post(url, sent, content_type="application/json")


def done(started: dict[str, int]) -> None:
    """Do what the worker would do with the job that was answered."""
    job = Job.objects.get(pk=started["job"])
    run = {"freeze_release": job_functions.freeze_release, "export_release": job_functions.export_release}[job.kind]
    run(job.parameters, Silent())


def test_a_script_freezes_exports_and_fetches(client, ben):
    campaign = answered_campaign(THREE)
    sent = {"name": "Words", "campaigns": [campaign.pk], "cleaning": "paper", "least_assignments": 1, "licence": "CC0"}

    answer = post(client, reverse("api-releases"), **sent)
    assert answer.status_code == 202
    started = answer.json()
    assert client.get(reverse("api-release", args=[started["release"]])).status_code == 404  # not before its job
    done(started)
    release = client.get(reverse("api-release", args=[started["release"]])).json()
    assert (release["version"], release["size"], release["licence"]) == (1, 1, "CC0")
    assert release["recipe"]["cleaning"]["name"] == "paper"
    assert Release.objects.get().created_by == ben

    files = reverse("api-release-files", args=[started["release"]])
    assert client.get(files).json() == []
    writing = post(client, files, format="jsonl")
    assert writing.status_code == 202
    done(writing.json())
    (file,) = client.get(files).json()
    fetched = client.get(reverse("api-release-file", args=[started["release"], "jsonl"]))
    text = b"".join(fetched.streaming_content)
    assert hashlib.sha256(text).hexdigest() == file["sha256"]
    assert [aggregation["phrase"] for aggregation in json.loads(text)["aggregations"]] == ["botanists", "experts"]
    assert 'filename="words-v1' in fetched["Content-Disposition"]


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"campaigns": []}, 422),
        ({"campaigns": [NO_ROW]}, 404),
        ({"name": " "}, 422),
        ({"least_answered": 0}, 422),
        ({"cleaning": "bleach"}, 422),
        ({"least_answers": 2}, 422),  # misspelt
    ],
)
def test_what_cannot_be_frozen_is_refused_and_leaves_nothing(client, ben, wrong, status):
    campaign = answered_campaign(THREE)

    assert (
        post(client, reverse("api-releases"), **{"name": "Words", "campaigns": [campaign.pk], **wrong}).status_code
        == status
    )

    assert not Release.objects.exists()
    assert not Job.objects.exists()


def test_campaigns_of_two_task_types_are_refused(client, ben):
    campaign, other = answered_campaign(THREE), make_campaign("Choices")
    Campaign.objects.filter(pk=other.pk).update(task_type="other")

    answer = post(client, reverse("api-releases"), name="Words", campaigns=[campaign.pk, other.pk])

    assert answer.status_code == 409
    assert "a release holds answers of one task type" in answer.json()["error"]["message"]


def test_whoever_may_only_look_freezes_nothing(client):
    dan = make_user("dan", Role.ANNOTATOR)
    dan.groups.get().permissions.add(Permission.objects.get(codename="view_release"))
    client.force_login(dan)

    assert client.get(reverse("api-releases")).status_code == 200
    assert post(client, reverse("api-releases"), name="Words", campaigns=[1]).status_code == 403


def test_a_format_nobody_knows_an_unfrozen_release_and_a_lost_file_are_refused(client, ben):
    release = make_release(items=[make_frozen()])
    files = reverse("api-release-files", args=[release.pk])

    assert post(client, files, format="exe").status_code == 422
    ReleaseExport.objects.create(release=release, format="csv", file="releases/gone.csv", size=1, sha256="0" * 64)
    assert client.get(reverse("api-release-file", args=[release.pk, "csv"])).status_code == 404
    unfrozen = Release.objects.create(name="Empty", recipe={})
    assert post(client, reverse("api-release-files", args=[unfrozen.pk]), format="csv").status_code == 409
    assert not Job.objects.exists()
