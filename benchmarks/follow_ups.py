"""How long it takes to make a follow-up's items from the answers of a large campaign.

    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.follow_ups [--annotations 10000] [--workers 100]

Fills the database of this installation with an invented campaign, so give it one of its own. Prints seconds by the
clock and CPU seconds of this process until sample, draft and tasks are there, for each follow-up of the task.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.review import fill, rows  # it sets Django up

# isort: split
from django.core.management import call_command

from annotation.models import Task
from annotation.services import follow_ups
from annotation.services.follow_ups import FollowUpOrder
from annotation.task_types import type_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotations", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=100)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    campaign = fill(rows(options.annotations, options.workers))
    Task.objects.filter(campaign=campaign).update(answers=1)  # the invented answers are stored without counters
    for kind in type_of(campaign).follow_ups:
        order = FollowUpOrder(f"{campaign.name[:60]} {kind}", kind)
        clock = Clock()
        row = follow_ups.open_follow_up(campaign, order, by=None)
        draft = follow_ups.make_follow_up(row, by=None, report=clock.report)
        print(f"{kind}: {draft.sample.size:,} items: {clock.items}; with draft and tasks: {clock}", flush=True)


class Clock:
    """Seconds since it was made, and those until the last answers were read."""

    def __init__(self) -> None:
        self.wall, self.cpu, self.items = time.monotonic(), time.process_time(), ""

    def report(self, done: int, total: int | None, step: str) -> None:
        if step.endswith("read"):
            self.items = str(self)

    def __str__(self) -> str:
        return f"{time.monotonic() - self.wall:.1f} s (CPU {time.process_time() - self.cpu:.1f} s)"


if __name__ == "__main__":
    main()
