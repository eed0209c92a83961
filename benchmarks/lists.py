"""How long the long lists take with 100,000 rows behind them.

    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.lists [--rows 100000]

Fills the database of this installation, so give it one of its own. Times are those of a whole page in this process
(view, queries, template), the best of five, in milliseconds of processor time, and as a ratio to the list of one row.
"""

from __future__ import annotations

import argparse
import os
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import django

from benchmarks.cpu import best_ms

MOST_MS = 300


def fill(campaign: Any, rows: int) -> None:
    """Fill a campaign with people: one in ten with a warning, one in twenty excluded, one in three paid."""
    from annotation.models import Participation, Payment, Worker, WorkerVerdict
    from kernel.clock import now
    from kernel.models import Job

    moment = now()
    numbers = range(rows)
    workers = [Worker(provider="panel", external_id=f"person-{campaign.pk}-{number}") for number in numbers]
    workers = Worker.objects.bulk_create(workers, batch_size=1000)
    people = [
        Participation(
            campaign=campaign, worker=worker, number=number + 1, answered=number % 40, active_ms=number % 997 * 1000,
            earned=Decimal(number % 40) / 10, paid=0 if number % 3 else Decimal(number % 40) / 20,
            given=number % 40, consented_at=moment, last_seen_at=moment,
            instructed_at=moment, excluded_at=moment if number % 20 == 7 else None,
            excluded_why="too fast" if number % 20 == 7 else "",
        )
        for number, worker in enumerate(workers)
    ]  # fmt: skip
    people = Participation.objects.bulk_create(people, batch_size=1000)
    WorkerVerdict.objects.bulk_create(
        [
            WorkerVerdict(
                participation=person, filter="fast", level="strong" if number % 30 else "weak", evidence="fast"
            )
            for number, person in enumerate(people)
            if number % 10 == 3
        ],
        batch_size=1000,
    )
    Payment.objects.bulk_create(
        [Payment(participation=person, amount=person.paid, paid_on=moment.date()) for person in people if person.paid],
        batch_size=1000,
    )
    Job.objects.bulk_create(
        [
            Job(kind="check_worker", queue="default", status="succeeded", created_at=moment - timedelta(minutes=number))
            for number in numbers
        ],
        batch_size=1000,
    )


def addresses(campaign: int) -> dict[str, str]:
    people, payments = f"/campaigns/{campaign}/people/", f"/campaigns/{campaign}/payments/"
    return {
        "participants, warnings first": people,
        "participants, a late page": f"{people}?page=900",
        "participants, most answers first": f"{people}?sort=-answers",
        "participants, slowest first": f"{people}?sort=-time",
        "participants, with warnings": f"{people}?show=seen",
        "payments, most owed first": payments,
        "payments, a late page": f"{payments}?page=900",
        "payments, still owed": f"{payments}?show=due",
        "payments, by earnings": f"{payments}?sort=-earned",
        "jobs": "/jobs/",
        "jobs, a late page": "/jobs/?page=900",
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=100_000)
    rows = arguments.parse_args().rows
    if "TESA_VAR" not in os.environ:
        raise SystemExit("Set TESA_VAR to an empty folder: this fills a database.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    django.setup()
    from django.test import Client

    from kernel.roles import Role
    from tesa_site import preparing
    from tests.make import make_campaign, make_sample, make_user

    preparing.prepare()
    few, many = (make_campaign(name, sample=make_sample(name)) for name in ("Few", "Many"))
    fill(few, 1)
    client = Client(headers={"host": "127.0.0.1"})
    user = make_user("benchmark", Role.ADMINISTRATOR)
    type(user).objects.filter(pk=user.pk).update(is_superuser=True)
    client.force_login(user)

    def measure(campaign: int) -> dict[str, float]:
        figures = {}
        for name, address in addresses(campaign).items():
            answer = client.get(address)
            assert answer.status_code == 200, (address, answer.status_code)
            figures[name] = best_ms(partial(client.get, address))
        return figures

    short = measure(few.pk)
    fill(many, rows)
    for name, figure in measure(many.pk).items():
        verdict = "" if figure < MOST_MS else f"  over {MOST_MS} ms"
        print(f"{name}: {figure:.0f} ms, {figure / short[name]:.1f} × the list of one row{verdict}")


if __name__ == "__main__":
    main()
