"""Numbers that no column can hold, in addresses, query fields, form fields and the filters of the admin.

Python itself turns no text of over 4300 digits into a number, and no number of over 308 digits into a float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import NoReverseMatch, reverse
from hypothesis import given
from hypothesis import strategies as st

from kernel.models import Job, JobLog
from kernel.roles import Role
from tests.annotation.researching import allow_to_pay
from tests.make import make_job, make_user
from tests.tesa_site.access_matrix import DATA, MATRIX
from tests.tesa_site.test_access import every_argument

SIZES = (20, 309, 4300, 5000)
LONG = SIZES[1:2]  # over what a float holds
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
QUERIES = ("id={}", "id__exact={}", "id__in=1,{}", "id__in=-{}", "id__gt={}", "id__range={0},{0}", "p={}", "q={}")
LOOKUPS = ("", "__in", "__exact", "__id__exact", "__id__in", "__gt")
READING = ("__getitem__", "__contains__", "get", "getlist")
PLACEHOLDER = 777_777_777
# Up to 4300 digits: no text from outside becomes a larger number.
large_numbers = st.builds(
    lambda digits, sign: sign * 10**digits,
    st.integers(19, 4299) | st.sampled_from([308, 309]),
    st.sampled_from([1, -1]),
)


@pytest.mark.django_db
@given(large_numbers)
def test_a_number_of_any_size_equals_no_id_and_is_above_or_below_all(number):
    job = Job.objects.first() or make_job()

    assert not Job.objects.filter(pk=number).exists()
    assert not JobLog.objects.filter(job_id=number).exists()
    assert [*Job.objects.filter(pk__in=[job.pk, number])] == [job]
    assert Job.objects.filter(pk__lt=number).exists() == (number > 0)
    assert Job.objects.filter(pk__gte=number).exists() == (number < 0)


def queries(model: Any, digits: str, lookups: Iterable[str]) -> Iterator[str]:
    yield from (query.format(digits) for query in QUERIES)
    for field in model._meta.get_fields():
        if field.concrete and (field.is_relation or "Integer" in field.get_internal_type()):
            yield from (f"{field.name}{lookup}={digits}" for lookup in lookups)


@pytest.mark.slow  # every list; and every lookup with every size, where all is run
@pytest.mark.django_db
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_a_number_that_no_column_holds_finds_nothing_in_the_admin(client, model, is_thorough):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    client.raise_request_exception = False
    address, failed = f"/admin/{model._meta.app_label}/{model._meta.model_name}/", []

    for digits in ("9" * size for size in (SIZES if is_thorough else LONG)):
        for query in queries(model, digits, LOOKUPS if is_thorough else LOOKUPS[:2]):
            failed += [query] if client.get(f"{address}?{query}").status_code >= 500 else []
        assert client.get(f"{address}{digits}/change/", follow=True).status_code < 500

    assert not failed


@pytest.fixture
def ada(client: Client) -> Client:
    client.raise_request_exception = False
    client.force_login(allow_to_pay(make_user("ada", Role.ADMINISTRATOR)))
    return client


def status(send: Callable[..., Any], *request: Any) -> int:
    """Return the answer's status; take back what the request changed."""
    before = transaction.savepoint()
    try:
        answer = send(*request)
        b"".join(answer) if answer.streaming else answer.content
        return int(answer.status_code)
    finally:
        transaction.savepoint_rollback(before)


@pytest.mark.django_db
@pytest.mark.parametrize("size", SIZES)
def test_a_number_that_no_row_can_have_is_answered_like_one_that_no_row_has(ada, size):
    faults = []

    for name, values in every_argument().items():
        for place in (n for n, value in enumerate(values) if isinstance(value, int)):
            try:
                url = reverse(name, args=[*values[:place], PLACEHOLDER, *values[place + 1 :]])
            except NoReverseMatch:
                continue
            url = url.replace(str(PLACEHOLDER), "9" * size)
            if status(getattr(ada, MATRIX[name].method), url, DATA.get(name, {})) >= 500:
                faults.append(name)

    assert not faults


@contextmanager
def fields_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Collect the names of the query and form fields that a request reads."""
    names: set[str] = set()

    def watched(read: Callable[..., Any]) -> Callable[..., Any]:
        def watch(self: QueryDict, name: Any, *others: Any) -> Any:
            names.add(str(name))
            return read(self, name, *others)

        return watch

    with monkeypatch.context() as patch:
        for name in READING:
            patch.setattr(QueryDict, name, watched(getattr(QueryDict, name)))
        yield names


@pytest.mark.slow  # every field of every page, at once; and each alone where all is run
@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_number_of_any_size_in_any_field_is_no_error_of_ours(ada, monkeypatch, method, is_thorough):
    arguments, faults = every_argument(), []
    send = getattr(ada, method)

    for name in MATRIX.keys() - {"sign-out"}:
        url, data = reverse(name, args=arguments.get(name, [])), DATA.get(name, {})
        with fields_read(monkeypatch) as fields:
            if status(send, url, data) == 405:
                continue
            status(send, url, {**dict.fromkeys(fields, "1"), **data})
        each_alone, together = [[field] for field in sorted(fields)], [sorted(fields)]
        for group, size in product(each_alone if is_thorough else together, SIZES[1::2] if is_thorough else LONG):
            if group and status(send, url, {**data, **dict.fromkeys(group, "9" * size)}) >= 500:
                faults.append(f"{name}: {group} of {size} digits")

    assert not faults
