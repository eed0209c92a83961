"""How fast boto3 publishes HITs here, and how long lists take with many HITs behind them.

    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.marketplace publish [--hits 400] [--clients 4]
    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.marketplace lists [--hits 100000]

`publish` starts the product as `make run` does and calls it by boto3 over HTTP; GetAccountBalance in the same run shows
what a call costs that stores nothing. `lists` fills the database of this installation, so give it one of its own; times
are CPU time of this process, the best of five, at the first, a middle and the last page.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any

import boto3
import django
from botocore.client import Config

from benchmarks.cpu import best_ms
from marketplace.keys import derive_secret, own_key_id
from tests.product import Product

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>https://example.org/</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>'
)
TYPE: dict[str, Any] = {
    "AssignmentDurationInSeconds": 600, "Reward": "0.05", "Title": "Name them all", "Description": "One phrase",
}  # fmt: skip
HIT_GIVEN: dict[str, Any] = {"LifetimeInSeconds": 3600, "Question": QUESTION, "MaxAssignments": 3}


def publish(hits: int, clients: int) -> None:
    with closing(Product()) as product:
        product.start()
        run = [connect(product) for _ in range(clients)]
        kind = run[0].create_hit_type(**TYPE)["HITTypeId"]
        with ThreadPoolExecutor(clients) as pool:
            balance = rate(pool, run, hits, lambda client: client.get_account_balance())
            made = rate(pool, run, hits, lambda client: client.create_hit_with_hit_type(HITTypeId=kind, **HIT_GIVEN))
        print(f"{made:.0f} HITs/s by {clients} clients; GetAccountBalance {balance:.0f}/s")


def connect(product: Product, account: str = "main") -> Any:
    """Return a client with the key of an account of the installation's own, derived as the product derives it."""
    installation = (product.var / "secret-key").read_text().strip()
    key = own_key_id(installation, account)
    return boto3.session.Session(region_name="us-east-1").client(
        "mturk", endpoint_url=f"{product.url}/mturk/", aws_access_key_id=key,
        aws_secret_access_key=derive_secret(installation, key, ""), config=Config(retries={"total_max_attempts": 1}),
    )  # fmt: skip


def rate(pool: ThreadPoolExecutor, run: list[Any], calls: int, call: Callable[[Any], Any]) -> float:
    """Return calls a second, shared out over the clients."""
    each = calls // len(run)
    for client in run:
        call(client)
    started = time.perf_counter()
    list(pool.map(lambda client: [call(client) for _ in range(each)], run))
    return each * len(run) / (time.perf_counter() - started)


def lists(hits: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    django.setup()
    from django.core.management import call_command

    from marketplace.models import HIT, Requester
    from marketplace.services import accounts

    call_command("prepare", verbosity=0)
    lab = Requester.objects.filter(name="Benchmark").first()
    if lab is None:
        lab = accounts.create_requester("Benchmark")
        fill(lab, hits)
    worked = HIT.objects.filter(requester=lab, submitted=3).order_by("pk").first()
    print_pages(lab, "ListHITs", {"MaxResults": 100})
    print_pages(lab, "ListReviewableHITs", {"MaxResults": 100})
    big = HIT.objects.filter(requester=lab).order_by("-max_assignments").first()
    for hit in filter(None, (worked, big)):
        print_pages(lab, "ListAssignmentsForHIT", {"HITId": hit.hit_id, "MaxResults": 100})
    print_browse()


def fill(lab: Any, hits: int) -> None:
    """Store HITs of 50 types: two of three with three submitted assignments each, and one HIT with very many."""
    from datetime import timedelta

    from kernel.clock import now
    from marketplace.models import HIT, Assignment, HITType, Worker
    from marketplace.services import hits as services

    kinds = [services.create_hit_type(lab, TYPE | {"Title": f"Work {n}"}) for n in range(50)]
    workers = Worker.objects.bulk_create([Worker() for _ in range(3)])
    later = now() + timedelta(days=20)
    many = Worker.objects.bulk_create([Worker() for _ in range(hits)], batch_size=2000)
    money = {"unit_cents": 6, "unit_fee_cents": 1, "expires_at": later, "due_at": later, "question": QUESTION}
    price = {"reward_cents": 5, "fee_cents": 1, "deadline": later, "due_at": later}
    done = {"state": "Submitted", "submitted_at": now(), "visible_at": now(), "answer": "<a/>" * 50, **price}
    for start in range(0, hits, 5000):
        HIT.objects.bulk_create(
            HIT(
                requester=lab, hit_type=kinds[n % 50], max_assignments=3, available=0 if n % 3 else 3,
                submitted=3 if n % 3 else 0, status="Reviewable" if n % 3 else "Assignable", **money,
            )
            for n in range(start, min(start + 5000, hits))
        )  # fmt: skip
    finished = list(HIT.objects.filter(requester=lab, submitted=3).values_list("pk", flat=True))
    for begin in range(0, len(finished), 2000):
        Assignment.objects.bulk_create(
            [
                Assignment(hit_id=pk, requester=lab, worker=worker, **done)
                for pk in finished[begin : begin + 2000]
                for worker in workers
            ],
            batch_size=500,
        )
    big = HIT.objects.create(
        requester=lab, hit_type=kinds[0], max_assignments=len(many), available=0, submitted=len(many),
        status="Reviewable", **money,
    )  # fmt: skip
    rows = [Assignment(hit=big, requester=lab, worker=worker, **done) for worker in many]
    Assignment.objects.bulk_create(rows, batch_size=500)
    for kind in kinds:
        open_hits = HIT.objects.filter(hit_type=kind, status="Assignable").count()
        HITType.objects.filter(pk=kind.pk).update(open_hits=open_hits)


def print_pages(lab: Any, operation: str, query: dict[str, Any]) -> None:
    """Time a whole call (settling, query, encoding) at the first, a middle and the last page."""
    from django.conf import settings

    from marketplace import paging, wire
    from marketplace.api import OPERATIONS
    from marketplace.api.calls import Call
    from marketplace.services import accounts, settling

    model = wire.operation_named(wire.PREFIX + operation)

    def call(parameters: dict[str, Any]) -> dict[str, Any]:
        moment = accounts.time_of(lab)
        settling.settle(lab, moment)
        answer = OPERATIONS[operation](Call(lab, operation, parameters, "r", moment))
        return dict(wire.encode(model.output_shape, answer))

    bound = {"operation": operation, "of": lab.pk} | {k: v for k, v in query.items() if k != "MaxResults"}
    newest = int(call(query)["NextToken"].partition("-")[0], 16) + 100
    middle, last = (paging.next_token(settings.SECRET_KEY, bound, number) for number in (newest // 2, 101))
    tokens: tuple[dict[str, Any], ...] = ({}, {"NextToken": middle}, {"NextToken": last})
    figures = [best_ms(partial(call, query | token)) for token in tokens]
    print(f"{operation}, pages of {query['MaxResults']}: " + " / ".join(f"{ms:.0f}" for ms in figures) + " ms CPU")


def print_browse() -> None:
    from django.test import Client

    from kernel.models import User
    from marketplace.services import joining

    user = User.objects.get_or_create(username="benchmark")[0]
    worker, client = joining.join(user), Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    page = client.get("/marketplace/")
    assert page.status_code == 200, page.status_code
    print(f"browse: {best_ms(lambda: client.get('/marketplace/?sort=most')):.0f} ms CPU, worker {worker.worker_id}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("publish", "lists"))
    arguments.add_argument("--hits", type=int)
    arguments.add_argument("--clients", type=int, default=4)
    options = arguments.parse_args()
    if options.what == "publish":
        publish(options.hits or 400, options.clients)
    else:
        lists(options.hits or 100_000)


if __name__ == "__main__":
    main()
