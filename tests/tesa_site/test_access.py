"""The permission matrix: every URL of the product against everybody who may come. A URL without a row fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import TestCase
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Grant, HeldGrant, Invite, ProblemReport
from annotation.services import assigning, campaigns
from kernel.roles import Role
from kernel.services import tokens
from marketplace.services import accounts
from tests.annotation.answered import in_turn
from tests.annotation.describing import make_description
from tests.annotation.following_up import follow_up, written_campaign
from tests.annotation.researching import allow_to_pay
from tests.corpus.frozen_instances import make_frozen
from tests.make import (
    make_answer,
    make_article,
    make_campaign,
    make_correction,
    make_entity,
    make_experiment,
    make_instance,
    make_job,
    make_participation,
    make_release,
    make_sample_of,
    make_split,
    make_synthetic_release,
    make_trial,
    make_user,
)
from tests.tesa_site.access_matrix import ADMIN_LISTS, DATA, MATRIX, OUT, POST, ROLES, WITH_A_SECRET

pytestmark = pytest.mark.django_db

WRITING = {"INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "TRUNCATE", "ALTER", "CREATE", "DROP"}


def names(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":  # by namespace, below
                yield from names(pattern)
        elif isinstance(pattern, URLPattern):
            yield pattern.name or f"unnamed: {pattern.pattern}"


def work_arguments() -> dict[str, list[str | int]]:
    """Return a person with a task in hand who has a practice question before them, and the doors."""
    campaign = make_campaign(practice=1)
    person = make_participation(campaign)
    turn = assigning.take_turn(person.secret).assignment
    assert turn
    settings = {"preset": "prolific", "codes": {"completed": "C"}}
    from_panel = make_campaign("From a panel", provider="panel", provider_settings=settings)
    invite = Invite.objects.create(campaign=campaign, label="friends")
    turns = ("work-answer", "work-turn", "work-draft", "work-back", "work-correct", "work-report")
    return {
        **{name: [person.secret] for name in WITH_A_SECRET},
        **{name: [person.secret, turn.pk] for name in turns},
        **{name: [person.secret, 0] for name in ("work-practice", "work-practice-checks")},
        "work-lookup": [person.secret, "pages"],
        "lookup": ["pages"],
        "work-start": [campaign.pk],
        "work-arrive": [from_panel.slug],
        "work-join": [invite.code],
    }


@pytest.fixture(scope="module")
def arguments(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, list[str | int]]]:
    """What the addresses that need one stand for. Made once: every test takes back what it changes."""

    class Around(TestCase):
        """A transaction in which durable ones may begin."""

    with django_db_blocker.unblock():
        Around.setUpClass()
        try:
            yield every_argument()
        finally:
            Around.tearDownClass()


def every_argument() -> dict[str, list[str | int]]:
    token, _ = tokens.create_token(make_user("somebody", Role.ADMINISTRATOR), "theirs")
    job, ended = make_job(), make_job(status="failed")
    article = make_article()
    corpus = [
        "corpus", "corpus-problems", "corpus-read", "corpus-delete", "api-articles", "corpus-find", "entities",
        "articles-file", "entities-file", "instances-file",
        "corpus-backgrounds",
        "instances", "api-entities", "api-instances", "corrections", "recognized", "api-corrections",
        "instances-download", "sample-draw", "api-corpus", "api-corpus-jobs", "api-problems", "api-backgrounds",
        "api-instances-lines", "corpus-articles", "corpus-samples", "background-list",
    ]  # fmt: skip
    sample = make_sample_of("Drawn", make_frozen())
    experiment = make_experiment(split=make_split(make_synthetic_release(instances=8)))
    of_experiment = [
        "experiment", "experiment-open-test", "experiment-cancel", "experiment-resume", "experiment-leave-out",
        "experiment-delete", "api-experiment", "experiment-instances", "experiment-errors", "experiment-runs",
        "experiment-setup", "experiment-paper",
    ]  # fmt: skip
    run = experiment.runs.get(number=1)
    of_sample = ["sample", "sample-download", "sample-delete", "api-sample", "api-sample-instances", "api-sample-lines"]
    of_entity = [
        "entity", "background-decide", "entity-correct", "api-entity", "api-background", "api-entity-correct",
    ]  # fmt: skip
    campaign = make_campaign("Reviewed")
    of_review = ["agreement-campaign", "agreement-old", "api-review"]
    of_review += [f"api-review-{step}" for step in ("verdicts", "score", "accept", "undo")]
    release = make_release(items=[make_frozen()])
    of_release = [
        "release", "release-items", "release-discarded", "release-export", "release-delete", "api-release",
        "api-release-items", "api-release-files", "release-files", "release-recipe",
    ]  # fmt: skip
    return {
        **campaign_arguments(),
        **work_arguments(),
        **marketplace_arguments(),
        "agreement-plot": [campaign.pk, "day", "csv"],
        **{name: [campaign.pk] for name in of_review},
        **{name: [campaign.pk, campaign.tasks.latest("pk").pk] for name in ("api-settlements", "api-settlement-undo")},
        **{name: [release.pk] for name in of_release},
        "release-item": [release.pk, 0],
        "release-plot": [release.pk, "csv"],
        **{name: [release.pk, "jsonl"] for name in ("release-download", "api-release-file")},
        "links-scores": ["a" * 22],
        "links-file": ["a" * 22, "csv"],
        "links-text": ["a" * 22, 0],
        "coreference-scores": ["a" * 22],
        "coreference-file": ["a" * 22, "csv"],
        "coreference-document": ["a" * 22, 1, 0],
        "jobs-plot": ["csv"],
        "corpus-funnel": [article.corpus_id, "csv"],
        "start-upkeep": ["clean_up"],
        "backup": ["none.tar.gz"],
        "password-reset-confirm": ["MQ", "set-password"],
        "token-revoke": [token.pk],
        "article": [article.pk],
        "instance": [article.corpus_id, make_instance(article.corpus, article=article).key],
        **{name: [sample.pk] for name in of_sample},
        "sample-member": [sample.pk, 0],
        **{name: [experiment.pk] for name in of_experiment},
        **{name: [run.pk] for name in ("run", "run-errors", "run-phrases", "run-try", "run-stop")},
        **{name: [run.pk] for name in ("run-resume", "api-run")},
        "trial": [make_trial(run).pk],
        "results-file": [experiment.pk, "csv"],
        "experiment-plot": [experiment.pk, "methods", "csv"],
        "task-file": [experiment.task_set_id, "csv"],
        "api-experiment-tasks": [experiment.pk, "csv"],
        **{name: [experiment.pk, "none"] for name in ("model-instance", "note-add")},
        "run-file": [run.pk, "spec.json"],
        "run-plot": [run.pk, "weights", "csv"],
        "run-weights": [run.pk, "model.safetensors"],
        "compare-plot": ["csv"],
        **{name: [experiment.split_id] for name in ("split", "split-delete", "split-folder", "api-split-folder")},
        "sample-plot": [sample.pk, "csv"],
        "api-article": [article.pk],
        **{name: [make_entity(article.corpus, name).pk] for name in of_entity},
        **{name: [make_correction(article.corpus).pk] for name in ("correction-undo", "api-correction-undo")},
        **{key: [job.pk] for key in ("job", "job-cancel", "api-job", "api-job-cancel")},
        **{key: [ended.pk] for key in ("job-retry", "api-job-retry")},
        **{key: [article.corpus_id] for key in corpus},
    }


WIZARD = ("frame", "rehearse", "open")


def marketplace_arguments() -> dict[str, list[str | int]]:
    account = accounts.create_requester("Ada's lab")
    key, _ = accounts.create_key(account.pk)
    with_a_text = ("enter", "submit", "preview", "accept", "work", "return", "html", "qualification", "test", "report")
    of_account = ("contact", "offered", "requester", "requests", "key", "deposit", "sandbox")
    return {
        **{f"marketplace-{name}": ["NONE"] for name in with_a_text},
        **{f"marketplace-{name}": [account.pk] for name in of_account},
        "marketplace-decide": [account.pk, "NONE"],
        "marketplace-revoke": [key.pk],
        "marketplace-settle-report": [1],
    }


def campaign_arguments() -> dict[str, list[str | int]]:
    campaign = make_campaign("Drafted", size=2, is_running=False)
    draft = campaign.tasks.get(position=1)
    campaigns.start(campaign.pk, by=None)
    campaign.refresh_from_db()
    person = make_participation(campaign)
    turn = make_answer(person).assignment
    campaigns.pause(campaign.pk, by=None)
    report = ProblemReport.objects.create(assignment=turn, text="wrong")
    invite = Invite.objects.create(campaign=campaign, label="some")
    grant = Grant.objects.create(name="Trained")
    held = HeldGrant.objects.create(grant=grant, worker_id=person.worker_id, reason="a test")
    hits = {"title": "Name them", "description": "One phrase"}
    published = make_campaign("On a marketplace", size=1, provider="mturk", provider_settings=hits)
    judging = follow_up(written_campaign({"ann": "It rained."}), "rate-text").campaign
    assert judging is not None
    described, still_a_draft = make_description(), make_campaign("Still a draft", size=1, is_running=False, quiz_pass=1)
    own = [
        "campaign", "campaign-make", "campaign-delete", "campaign-invites", "campaign-gold", "campaign-people",
        "campaign-payments", "payments-mark", "payments-file", "campaign-settings", "campaign-review",
        "campaign-look", "campaign-answers", "campaign-import", "campaign-plots", "api-campaign", "api-annotations",
        "campaign-follow-up", "api-follow-ups", "people-file", "people-decide", "campaign-lessons", "lessons-file",
        "campaign-preview", "preview-leave", "preview-instructions",
        "api-campaign-start", "api-campaign-pause", "api-campaign-resume", "api-campaign-close", "api-invites",
    ]  # fmt: skip
    return {
        **{name: [campaign.pk] for name in own},
        "campaign-person": [person.pk],
        **{name: [campaign.instructions_id] for name in ("instructions", "instructions-new")},
        **{name: [described.number, 1] for name in ("own-task", "own-task-file", "api-own-task")},
        **{name: [campaign.pk, 0] for name in ("campaign-try", "campaign-try-check")},
        **{name: [campaign.pk, 0] for name in ("preview-practice", "preview-checks")},
        **{
            name: [still_a_draft.pk]
            for name in (
                "campaign-edit",
                "lessons-change",
                "lessons-delete",
                "lessons-practice",
                "lessons-quiz",
                "preview-quiz",
            )
        },
        "campaign-votes": [judging.pk],
        "votes-file": [judging.pk, "types"],
        "campaign-step": [campaign.pk, "close"],
        "campaign-export": [campaign.pk, "csv"],
        "campaign-plot": [campaign.pk, "tasks", "csv"],
        "late-decide": [turn.pk],
        "payment-cancel": [1],
        "report-settle": [report.pk],
        **{name: [invite.pk] for name in ("invite-revoke", "api-invite-revoke")},
        "gold-set": [draft.pk],
        **{name: [held.grant_id] for name in ("grant", "api-grant-people")},
        **{name: [held.pk] for name in ("grant-take", "api-grant-take")},
        **{name: [published.pk] for name in ("campaign-market", "market-ledger", "payments-top-up")},
        **{name: [published.pk] for name in ("campaign-publish", *(f"publish-{step}" for step in WIZARD))},
        "market-act": [published.pk, "follow"],
        "market-mend": [published.pk, 1],
    }


def test_every_url_has_a_row():
    assert sorted(names(get_resolver())) == sorted(MATRIX)


@pytest.mark.parametrize("person", ROLES)
@pytest.mark.parametrize("name", MATRIX)
def test_the_matrix_holds(client, arguments, name, person):
    role = ROLES[person]
    if role:
        client.force_login(make_user(person, role))
    row = MATRIX[name]
    data = DATA.get(name, {})

    answer = getattr(client, row.method)(reverse(name, args=arguments.get(name, [])), data)

    assert answer.status_code == getattr(row, person)
    if answer.status_code == OUT and not role and name != "sign-out" and name not in WITH_A_SECRET:
        assert answer.url.startswith(reverse("sign-in"))


def test_no_script_is_sent_to_the_sign_in_page(client, arguments):
    closed = [name for name, row in MATRIX.items() if row.anonymous == OUT and name not in {"sign-out", *WITH_A_SECRET}]
    for name in closed:
        url = reverse(name, args=arguments.get(name, []))
        answer = getattr(client, MATRIX[name].method)(url, DATA.get(name, {}), headers={"HX-Request": "true"})
        assert answer.status_code == 401, name


@pytest.mark.parametrize("name", [name for name, row in MATRIX.items() if row.method == POST and name != "sign-out"])
def test_what_changes_something_is_never_done_by_a_get(client, arguments, name):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    assert client.get(reverse(name, args=arguments.get(name, []))).status_code == 405


SESSIONS = "django_session"  # Django renews the row of a session that is about to expire
# Pages of participants, which write by design: a visit is how they arrive and how they are given the next task.
# A HEAD request is not a visit.
WRITES_ON_ARRIVAL = {"work", "work-arrive"}


@contextmanager
def statements_that_write() -> Iterator[list[str]]:
    written: list[str] = []

    def note(execute, sql, params, many, context):
        if sql.lstrip("( ").split(maxsplit=1)[0].upper() in WRITING and SESSIONS not in sql:
            written.append(sql[:120])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield written


@pytest.mark.parametrize("method", ["get", "head"])
def test_no_address_writes_when_it_is_only_read(client, arguments, method):
    answered = in_turn("Answered", size=2)
    client.force_login(allow_to_pay(make_user("ada", Role.ADMINISTRATOR)))
    review = {f"admin:{name}": [answered.pk] for name in ("review-queue", "review-tasks", "review-cleaning")}
    lists = ["admin:index", "admin:review", *ADMIN_LISTS]
    every = {name: arguments.get(name, []) for name in [*MATRIX, *lists]} | review
    every |= {"agreement-campaign": [answered.pk], "api-review": [answered.pk]}
    faults = []

    for name in every.keys() - (WRITES_ON_ARRIVAL if method == "get" else set()):
        with statements_that_write() as written:
            answer = getattr(client, method)(reverse(name, args=every[name]))
            b"".join(answer) if answer.streaming else answer.content
        faults += [f"{name}: {sql}" for sql in written]

    assert not faults


def test_a_number_of_thousands_of_digits_is_none(client, arguments):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    digits = "9" * 5000
    (corpus_id,), (entity_id,) = arguments["corpus"], arguments["background-decide"]
    of_quiz = make_participation(make_campaign("Asked", quiz_pass=1)).secret
    chosen = {"action": "choose", "number": digits}

    statuses = [
        client.get(reverse("admin:backgrounds", args=[corpus_id]), {"entity": digits}).status_code,
        client.post(reverse("background-decide", args=[entity_id]), chosen).status_code,
        client.get(reverse("release-compare"), {"before": digits, "after": digits}).status_code,
        client.post(reverse("work-quiz", args=[of_quiz]), {"question_0": digits, "try": digits}).status_code,
    ]

    assert statuses == [200, 422, 200, 422]


FILES = ["api-instances-lines", "api-sample-lines", "api-release-file", "api-experiment-tasks", "api-split-folder"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("accept", ["application/x-ndjson", "text/csv"])
def test_a_file_of_the_api_is_sent_whatever_type_is_asked_for(client, arguments, name, accept):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    answer = client.get(reverse(name, args=arguments[name]), HTTP_ACCEPT=accept)

    assert answer.status_code == MATRIX[name].administrator
