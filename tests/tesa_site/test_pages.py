"""Pages as people meet them: what stands on them, what they warn of, how they fail."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.test import Client
from django.urls import path, reverse

from kernel.clock import now
from kernel.errors import InvalidInput, NotFound
from kernel.models import Job
from kernel.roles import Role
from tesa_site.urls import handler400, handler403, handler404, handler500
from tesa_site.urls import urlpatterns as real_patterns
from tests.make import make_job, make_running_job, make_user, make_worker

pytestmark = pytest.mark.django_db


def raising(error):
    def view(request):
        raise error

    return view


class Broken:
    """The real URLs and some that fail, each in its way."""

    handler400, handler403, handler404, handler500 = (
        staticmethod(handler) for handler in (handler400, handler403, handler404, handler500)
    )
    urlpatterns = [
        *real_patterns,
        path("broken/bug/", raising(ZeroDivisionError())),
        path("broken/ours/", raising(InvalidInput("no such year", where="data/1985.tgz"))),
        path("broken/missing/", raising(NotFound())),
        path("broken/file/", raising(NotFound("The file is gone: export it again."))),
        path("broken/suspicious/", raising(SuspiciousOperation())),
        path("broken/form/", raising(RequestDataTooBig())),
    ]


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben", Role.RESEARCHER))
    return client


@pytest.fixture
def administrator(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    return client


def text(answer) -> str:
    return answer.content.decode()


def test_a_researcher_s_home_shows_the_pipeline_and_what_to_do_next(researcher):
    make_worker(queues=("default", "corpus", "gpu"))

    page = text(researcher.get("/"))

    assert all(stage in page for stage in ("Articles", "Instances", "Answers", "Releases", "Best model"))
    assert "No articles of your own yet" in page


def test_home_says_when_nobody_works(researcher):
    make_worker(queues=("corpus",))

    assert "No worker takes jobs from default" in text(researcher.get("/"))


def test_an_annotator_s_home_says_what_there_is_to_do(client):
    client.force_login(make_user("cleo", Role.ANNOTATOR))

    page = text(client.get("/"))

    assert "You’re up to date" in page
    assert reverse("jobs") not in page


def test_navigation_shows_only_what_the_role_may_open(researcher):
    page = text(researcher.get("/"))

    assert f'href="{reverse("jobs")}"' in page
    assert 'aria-current="page">Home' in page


def test_home_asks_the_database_a_fixed_number_of_questions(researcher, django_assert_max_num_queries):
    for _ in range(20):
        make_job(created_by=make_user(f"someone{_}"))
    researcher.get("/")

    with django_assert_max_num_queries(8):
        researcher.get("/")


def test_the_jobs_page_warns_while_no_worker_is_alive(researcher):
    assert "No worker takes jobs from default, corpus" in text(researcher.get("/jobs/"))

    make_worker(queues=settings.QUEUES)
    assert "No worker takes jobs" not in text(researcher.get("/jobs/"))


def test_the_page_of_a_waiting_job_says_that_nobody_will_take_it(researcher):
    job = make_job(queue="gpu")

    assert "No worker takes jobs from gpu" in text(researcher.get(f"/jobs/{job.pk}/"))


def test_a_job_s_page_has_a_log_only_where_something_was_logged(researcher):
    job = make_job()
    page = reverse("job", args=[job.pk])
    assert ">Log</h2>" not in researcher.get(page).content.decode()

    job.log_lines.create(attempt=1, text="read 1987.tgz")

    assert ">Log</h2>" in researcher.get(page).content.decode()


def test_a_script_that_starts_a_job_stays_where_it_is_and_follows_it(researcher):
    answer = researcher.post(reverse("start-check"), {"queue": "corpus", "seconds": 2}, HTTP_HX_REQUEST="true")
    address = reverse("job", args=[Job.objects.get().pk])

    assert (answer.status_code, json.loads(answer["HX-Trigger"])) == (204, {"job": {"address": address, "to": ""}})
    toast = text(researcher.get(address, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="toasts"))
    assert "data-open" in toast
    assert "<html" not in toast

    Job.objects.update(status="succeeded", result="12 rounds", result_url="/jobs/")
    ended = text(researcher.get(address, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="toasts"))
    assert "data-open" not in ended
    assert "12 rounds" in ended
    assert "Open result" in ended


def test_a_running_job_s_page_asks_again_every_second_and_an_ended_one_s_does_not(researcher):
    running, ended = make_running_job(done=1, total=4), make_job(status="succeeded", result="done and dusted")

    assert 'hx-trigger="every 1s"' in text(researcher.get(f"/jobs/{running.pk}/"))
    page = text(researcher.get(f"/jobs/{ended.pk}/"))
    assert "hx-trigger" not in page
    assert "done and dusted" in page


def test_the_live_part_comes_alone(researcher):
    job = make_running_job(done=1, total=4, step="reading 1987")

    part = text(researcher.get(f"/jobs/{job.pk}/", HTTP_HX_REQUEST="true"))

    assert "<html" not in part
    assert 'value="25"' in part
    assert "reading 1987" in part


def test_a_traceback_is_for_administrators(client):
    job = make_job(status="failed", error="ValueError: no", traceback="Traceback (most recent call last): secret.py")
    client.force_login(make_user("ben", Role.RESEARCHER))
    assert "secret.py" not in text(client.get(f"/jobs/{job.pk}/"))

    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    assert "secret.py" in text(client.get(f"/jobs/{job.pk}/"))


def test_starting_a_check_queues_it_and_leads_to_its_page(researcher):
    answer = researcher.post("/jobs/check/", {"queue": "corpus", "seconds": 2})

    job = Job.objects.get()
    assert (answer.url, job.queue, job.parameters) == (f"/jobs/{job.pk}/", "corpus", {"seconds": 2})


def test_a_check_that_cannot_be_is_refused_with_a_sentence(researcher):
    answer = researcher.post("/jobs/check/", {"queue": "corpus", "seconds": 100000}, follow=True)

    assert "was not started" in text(answer)
    assert not Job.objects.exists()


def test_retrying_a_job_that_cannot_be_retried_says_why(researcher):
    job = make_job(status="succeeded")

    answer = researcher.post(f"/jobs/{job.pk}/retry/")

    assert answer.status_code == 409
    assert "only failed, cancelled and lost jobs" in text(answer)


def test_jobs_are_filtered_and_paged(researcher):
    for _ in range(26):
        make_job(status="failed")
    make_job(status="succeeded")

    assert "Page 1 of 2" in text(researcher.get("/jobs/?status=failed"))
    assert "Page 2 of 2" in text(researcher.get("/jobs/?status=failed&page=2"))
    assert researcher.get("/jobs/?status=nonsense").status_code == 404


def test_the_plot_is_on_the_page_and_can_be_had_as_a_file(researcher):
    make_job(status="succeeded", finished_at=now())
    make_job(status="failed", finished_at=now() - timedelta(days=1))

    page = text(researcher.get("/jobs/"))
    assert "var(--good)" in page
    assert 'role="img"' in page
    assert " style=" not in page
    assert text(researcher.get("/jobs/by-day.svg")).startswith("<svg")
    assert text(researcher.get("/jobs/by-day.csv?bom=no")).splitlines()[0] == '"day","status","jobs"'


def test_a_profile_is_saved_and_a_bad_address_is_named(researcher):
    assert "Saved." in text(researcher.post("/account/", {"first_name": "Ben", "email": "b@example.org"}, follow=True))
    answer = researcher.post("/account/", {"email": "not an address"})
    assert answer.status_code == 422
    assert "valid email" in text(answer)


def test_every_answer_carries_the_security_headers(researcher):
    headers = researcher.get("/").headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_pages_hold_no_inline_script_or_style(administrator):
    make_job(status="failed", traceback="x")
    for address in ("/", "/jobs/", f"/jobs/{Job.objects.get().pk}/", "/account/", "/account/tokens/", "/nothing/"):
        page = text(administrator.get(address))
        assert "<style" not in page
        assert "<script>" not in page
        assert " style=" not in page
        assert " onclick=" not in page


def test_a_request_id_is_given_kept_and_logged(researcher, caplog):
    kept = researcher.get("/", HTTP_X_REQUEST_ID="from-the-proxy-1").headers["X-Request-ID"]
    made = researcher.get("/", HTTP_X_REQUEST_ID="bad id with spaces\n").headers["X-Request-ID"]

    assert kept == "from-the-proxy-1"
    assert len(made) == 16
    assert "GET / status=200" in caplog.text


@pytest.mark.parametrize("address", ["/nothing/", "/jobs/99/", "/jobs/99999999999999999999999999/"])
def test_what_is_not_there_gets_our_own_page(researcher, address):
    answer = researcher.get(address)

    assert answer.status_code == 404
    assert "There is no such page" in text(answer)


def test_a_bug_gets_a_page_with_the_request_s_id():
    client = Client(raise_request_exception=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "ROOT_URLCONF", Broken)
        answer = client.get("/broken/bug/", HTTP_X_REQUEST_ID="the-one-that-broke")

    assert answer.status_code == 500
    assert "Something broke on our side" in text(answer)
    assert "the-one-that-broke" in text(answer)


def test_our_own_errors_become_a_page_with_their_sentence(client, settings):
    settings.ROOT_URLCONF = Broken

    answer = client.get("/broken/ours/")

    assert answer.status_code == 422
    assert "data/1985.tgz: no such year" in text(answer)


def test_something_missing_is_shown_like_a_wrong_address_unless_the_error_says_more(researcher, settings):
    settings.ROOT_URLCONF = Broken

    missing, gone = researcher.get("/broken/missing/"), researcher.get("/broken/file/")

    assert (missing.status_code, gone.status_code) == (404, 404)
    assert "There is no such page" in text(missing)
    assert "The file is gone: export it again." in text(gone)


def test_a_damaged_request_gets_the_400_page(client, settings):
    settings.ROOT_URLCONF = Broken

    assert "could not be read" in text(client.get("/broken/suspicious/"))


def test_nul_in_an_address_is_refused(researcher):
    assert researcher.get("/jobs/?status=%00").status_code == 400
    assert researcher.get("/admin/kernel/job/?status__exact=%00").status_code == 400


def test_a_cookie_that_is_none_of_ours_is_forgotten(client):
    client.cookies["tesa_session"] = "\\000abc"

    assert client.get("/").status_code == 302


def test_too_large_an_upload_is_refused_before_it_is_read(researcher):
    answer = researcher.post("/account/", CONTENT_LENGTH=str(settings.MAX_UPLOAD_BYTES + 1))

    assert answer.status_code == 413
    assert "200 MB" in text(answer)


def test_a_form_without_its_csrf_token_is_refused_kindly():
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(make_user("ben"))

    answer = browser.post("/jobs/check/", {"queue": "default", "seconds": 1})

    assert answer.status_code == 403
    assert "reload the page" in text(answer)
