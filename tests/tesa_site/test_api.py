"""The API by hand: sign-in, shapes, errors, pages."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from kernel.api import inputs
from kernel.clock import now
from kernel.models import ApiToken, Job, TokenScope
from kernel.roles import Role
from kernel.services import tokens
from tests.make import make_job, make_running_job, make_user, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(client):
    """A client that carries an administrator's token."""
    _, key = tokens.create_token(make_user("ada", Role.ADMINISTRATOR), "tests", scope=TokenScope.WRITE)
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    return client


def test_a_token_signs_in(api):
    answer = api.get("/api/v1/me/").json()

    assert (answer["username"], answer["role"]) == ("ada", "Administrator")
    assert "kernel.operate" in answer["permissions"]


@pytest.mark.parametrize("header", ["Bearer", "Bearer wrong", "Bearer a b c", "Bearer \xff"])
def test_a_bad_token_is_refused_in_the_one_shape(client, header):
    answer = client.get("/api/v1/me/", HTTP_AUTHORIZATION=header)

    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "authentication_failed"


def bearer(key: str) -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": f"Bearer {key}", "content_type": "application/json"}


def test_a_token_that_may_only_read_changes_nothing(client):
    _, key = tokens.create_token(make_user("ada", Role.ADMINISTRATOR), "reader", scope=TokenScope.READ)

    answer = client.post("/api/v1/jobs/", {"kind": "check_worker"}, **bearer(key))

    assert client.get("/api/v1/jobs/", **bearer(key)).status_code == 200
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "read_only_token")
    assert "may only read" in answer.json()["error"]["message"]
    assert not Job.objects.exists()


def test_no_address_of_the_api_that_changes_something_takes_a_token_that_may_only_read(client):
    _, key = tokens.create_token(make_user("ada", Role.ADMINISTRATOR), "reader", scope=TokenScope.READ)
    paths = client.get("/api/schema/?format=json", **bearer(key)).json()["paths"]
    changing = [
        (method, path) for path, methods in paths.items() for method in methods if method not in {"get", "head"}
    ]

    taken = [
        (method, path)
        for method, path in changing
        if getattr(client, method)(re.sub(r"{\w+}", "1", path), {}, **bearer(key)).status_code != 403
    ]

    assert len(changing) > 10
    assert taken == [("post", "/api/v1/samples/preview/")]  # changes nothing


def test_an_expired_token_opens_nothing(client):
    token, key = tokens.create_token(make_user("ben"), "old", days=30)
    assert client.get("/api/v1/me/", **bearer(key)).json()["token"]["scope"] == "read"

    ApiToken.objects.filter(pk=token.pk).update(expires_at=now())

    answer = client.get("/api/v1/me/", **bearer(key))
    assert answer.status_code == 401
    assert "has expired" in answer.json()["error"]["message"]


def test_a_browser_session_needs_its_csrf_token(client):
    from django.test import Client

    browser = Client(enforce_csrf_checks=True)
    browser.force_login(make_user("ben"))

    answer = browser.post("/api/v1/jobs/", {"kind": "check_worker"}, content_type="application/json")

    assert answer.status_code == 403
    assert "CSRF" in answer.json()["error"]["message"]


def test_jobs_come_in_pages_newest_first(api):
    for _ in range(3):
        make_job()

    page = api.get("/api/v1/jobs/?page_size=2").json()

    ids = [job["id"] for job in page["results"]]
    assert (page["count"], ids) == (3, sorted(ids, reverse=True))
    assert page["next"].endswith("page=2&page_size=2")


def test_jobs_are_filtered_by_status(api):
    make_job(status="failed")
    running = make_running_job()

    assert [job["id"] for job in api.get("/api/v1/jobs/?status=open").json()["results"]] == [running.pk]
    answer = api.get("/api/v1/jobs/?status=nonsense")
    assert (answer.status_code, answer.json()["error"]["fields"].keys()) == (422, {"status"})


def test_a_job_is_started_cancelled_and_retried(api):
    fields = {"kind": "check_worker", "queue": "gpu", "seconds": 5}
    started = api.post("/api/v1/jobs/", fields, content_type="application/json")
    job = started.json()

    assert (started.status_code, job["queue"], job["created_by"]) == (202, "gpu", "ada")
    assert api.post(f"/api/v1/jobs/{job['id']}/cancel/").json()["status"] == "cancelled"
    assert api.post(f"/api/v1/jobs/{job['id']}/retry/").json()["attempt"] == 2
    again = api.post(f"/api/v1/jobs/{job['id']}/retry/")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "wrong_state")


def test_bad_fields_are_named(api):
    answer = api.post("/api/v1/jobs/", {"kind": "magic", "seconds": 0}, content_type="application/json")

    assert answer.status_code == 422
    assert answer.json()["error"]["fields"].keys() == {"kind", "seconds"}


def test_a_field_that_nobody_reads_is_named(api):
    fields = {"kind": "check_worker", "parameters": {"seconds": -1}}

    answer = api.post("/api/v1/jobs/", fields, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["fields"].keys()) == (422, {"parameters"})


@pytest.mark.parametrize("pattern", [inputs.NAME, inputs.ONE_LINE, inputs.PARAGRAPH, inputs.TEXT])
def test_a_long_text_is_refused_for_its_last_character(pattern):
    assert not re.match(pattern, "a" * 300_000 + "\x00")


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        (inputs.NAME, ["a", "“a”", "- é -"], ["", "—", "a\nb", "\x1fa"]),
        (inputs.PARAGRAPH, ["a\n\nb", "* a"], ["***", "a\x00"]),
    ],
)
def test_a_name_and_a_paragraph_hold_more_than_signs(pattern, fits, does_not):
    assert [text for text in (*fits, *does_not) if re.match(pattern, text)] == fits


def test_broken_json_gets_a_sentence(api):
    answer = api.post("/api/v1/jobs/", "{", content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")


@pytest.mark.parametrize("body", ["[" * 100_000, '{"kind": "\\ud800"}'])
def test_json_that_nobody_can_hold_gets_a_sentence(api, body):
    answer = api.post("/api/v1/jobs/", body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")


def test_a_researcher_cannot_start_a_backup(client):
    _, key = tokens.create_token(make_user("ben"), "tests", scope=TokenScope.WRITE)

    answer = client.post(
        "/api/v1/jobs/", {"kind": "back_up"}, content_type="application/json", HTTP_AUTHORIZATION=f"Bearer {key}"
    )

    assert (answer.status_code, Job.objects.count()) == (403, 0)


def test_a_job_shows_its_log(api):
    job = make_job()
    job.log_lines.create(attempt=1, text="read 1987.tgz")

    assert api.get(f"/api/v1/jobs/{job.pk}/").json()["log"][0]["text"] == "read 1987.tgz"


@pytest.mark.parametrize("path", ["/api/v1/jobs/999/", "/api/v1/jobs/99999999999999999999999/", "/api/nothing/"])
def test_what_is_not_there_is_told_in_the_one_shape(api, path):
    answer = api.get(path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_live_workers_are_listed(api):
    make_worker("here:1", ("default", "gpu"))

    assert api.get("/api/v1/workers/").json()[0]["queues"] == ["default", "gpu"]


def test_the_documentation_loads_nothing_from_elsewhere(api):
    api.force_login(make_user("ben"))
    page = api.get(reverse("api-docs")).content.decode()

    assert "https://" not in page
    assert "<style" not in page
    assert "<script>" not in page
