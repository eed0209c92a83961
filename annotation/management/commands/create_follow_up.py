from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError

from annotation.management.running import campaign_named
from annotation.selectors.costs import price_of_campaign
from annotation.services import follow_ups
from annotation.services.follow_ups import ESTIMATED_S, FollowUpOrder
from annotation.task_types import type_of
from kernel.management.running import TesaCommand, run_job
from kernel.values import money


class Command(TesaCommand):
    help = "Make the answers of a campaign the items of the next, with a draft. Run it again after an interruption."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="name of the campaign that people have answered")
        parser.add_argument("name", help="name of the new sample and campaign")
        parser.add_argument("--kind", default="", help="what people are asked, such as confirm-names")
        parser.add_argument("--redundancy", type=int, default=3, help="answers per task, each from another person (3)")
        parser.add_argument("--reward", default="0", help="for one answer")
        parser.add_argument(
            "--estimated-s", type=int, default=ESTIMATED_S, help=f"seconds one answer should take ({ESTIMATED_S})"
        )
        parser.add_argument("--contact", default="", help="that participants can write to (default: the campaign's)")
        parser.add_argument("--let-authors-judge", action="store_true", help="people may judge their own answers")
        parser.add_argument(
            "--simulated", action="store_true", help="include answers of simulated participants; left out otherwise"
        )

    def handle(self, *, campaign: str, name: str, kind: str, **options: Any) -> None:
        parent = campaign_named(campaign)
        try:
            reward = Decimal(options["reward"])
        except InvalidOperation as error:
            raise CommandError(f"--reward: {options['reward']!r} is not an amount") from error
        order = FollowUpOrder(
            name,
            kind or _only_kind(parent),
            reward=reward,
            keeps_authors_out=not options["let_authors_judge"],
            **{key: options[key] for key in ("redundancy", "estimated_s", "contact", "simulated")},
        )
        row = follow_ups.open_follow_up(parent, order, by=None)
        subject, parameters = str(parent), follow_ups.parameters_of(row, None)
        self.stdout.write(run_job(follow_ups.JOB_KIND, subject, parameters, lock=follow_ups.lock_of(row)))
        row.refresh_from_db()
        if row.campaign:
            price = money(price_of_campaign(row.campaign).total, row.campaign.currency)
            self.stdout.write(f"{row.campaign} is a draft: all its answers come to {price}.")


def _only_kind(parent: Any) -> str:
    """Return the follow-up that a task has if it is the only one; "" otherwise, which is refused with all of them."""
    known = list(type_of(parent).follow_ups)
    return known[0] if len(known) == 1 else ""
