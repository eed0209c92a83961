"""Numbers of 20 digits, which no column can hold, in the filters of the admin."""

from __future__ import annotations

import pytest
from django.contrib import admin

from tesa_site.kernel.roles import Role
from tests.make import make_user

LARGE = "12345678901234567890"
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
QUERIES = ("id={}", "id__exact={}", "id__in=1,{}", "id__in=-{}", "id__gt={}", "id__range={0},{0}", "p={}", "q={}")
LOOKUPS = ("", "__exact", "__id__exact", "__id__in", "__in", "__gt")


def queries(model):
    yield from (query.format(LARGE) for query in QUERIES)
    for field in model._meta.get_fields():
        if field.concrete and (field.is_relation or "Integer" in field.get_internal_type()):
            yield from (f"{field.name}{lookup}={LARGE}" for lookup in LOOKUPS)


@pytest.mark.slow  # every lookup of every list
@pytest.mark.django_db
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_a_number_that_no_column_holds_finds_nothing_in_the_admin(client, model):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    client.raise_request_exception = False
    address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"

    failed = [query for query in queries(model) if client.get(f"{address}?{query}").status_code >= 500]

    assert not failed
    assert client.get(f"{address}{LARGE}/change/", follow=True).status_code < 500
