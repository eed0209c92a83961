"""The API against its own description: no server error, no answer the description does not allow."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from kernel.models import TokenScope
from kernel.roles import Role
from kernel.services import tokens
from tests.corpus.frozen_instances import make_frozen
from tests.make import (
    execute_all,
    make_answer,
    make_article,
    make_campaign,
    make_corpus,
    make_experiment,
    make_instance,
    make_job,
    make_participation,
    make_running_job,
    make_sample_of,
    make_split,
    make_synthetic_release,
    make_user,
    make_worker,
)  # fmt: skip

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api_schema(client):
    import schemathesis

    ada = make_user("ada", Role.ADMINISTRATOR)
    _, key = tokens.create_token(ada, "schemathesis", scope=TokenScope.WRITE)
    make_worker()
    for number in range(3):
        make_job(created_by=ada, subject=f"number {number}").log_lines.create(attempt=1, text="a line")
    make_running_job(total=10, done=3)
    make_article(tags=[{"text": "Lind, Ida", "type": "person", "origin": "indexing_service"}])
    make_instance(make_corpus("Other"))
    make_sample_of("A sample", make_frozen())
    make_answer(make_participation(make_campaign()))
    execute_all(make_experiment(split=make_split(make_synthetic_release(instances=12))))
    document = client.get("/api/schema/?format=json", HTTP_AUTHORIZATION=f"Bearer {key}").json()
    loaded = schemathesis.openapi.from_dict(document)
    loaded.app = get_wsgi_application()  # not ours, which would make this process wait like a web server
    loaded.config.update(headers={"Authorization": f"Bearer {key}"})
    loaded.config.generation.update(allow_x00=False)  # no database stores NUL: it is refused, whatever the field
    return loaded


LIMITS = hypothesis_settings(
    max_examples=10, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck], database=None
)


@pytest.mark.slow
def test_the_api_keeps_its_own_description(api_schema, is_thorough):
    operations = [result.ok() for result in api_schema.get_all_operations()]
    limits = hypothesis_settings(LIMITS, max_examples=25) if is_thorough else LIMITS
    for operation in operations:

        @limits
        @given(case=operation.as_strategy())
        def keeps_it(case):
            case.call_and_validate()

        keeps_it()

    assert len(operations) >= 7


def test_the_description_is_complete_and_names_the_version(client):
    client.force_login(make_user("ben"))

    document = client.get("/api/schema/?format=json").json()

    assert document["info"]["version"] == settings.VERSION
    assert {"/api/v1/jobs/", "/api/v1/me/", "/api/v1/workers/"} <= document["paths"].keys()
    for path in document["paths"].values():
        for operation in path.values():
            assert operation["responses"]["401"]["content"]["application/json"]["schema"]["$ref"].endswith("/Error")
