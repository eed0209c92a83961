from __future__ import annotations

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from kernel.models import Job
from kernel.views.paging import KeyPaginator
from tests.make import make_job

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_pages_by_key_hold_the_same_rows_in_the_same_order_as_ordinary_pages():
    for number in range(11):
        make_job(nudges=number % 3)
    rows = Job.objects.annotate(twice=F("nudges") * 2).order_by("-twice", "pk")

    for number in (1, 2, 3, 99, "x"):
        ours, ordinary = (kind(rows, 4).get_page(number) for kind in (KeyPaginator, Paginator))
        assert [(row.pk, row.twice) for row in ours] == [(row.pk, row.twice) for row in ordinary]
        assert (ours.number, ours.has_next(), ours.paginator.count) == (ordinary.number, ordinary.has_next(), 11)


def test_the_sort_of_a_page_by_key_selects_nothing_but_keys():
    make_job()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        KeyPaginator(Job.objects.order_by("-nudges", "pk"), 4).get_page(1)

    (sorting,) = [query["sql"] for query in queries.captured_queries if "ORDER BY" in query["sql"]]
    assert "parameters" not in sorting
