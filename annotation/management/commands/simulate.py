from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.models import Campaign
from annotation.services import simulating
from annotation.simulation.browser import Browser
from annotation.simulation.comparing import compare
from annotation.simulation.invented_people import crowd
from annotation.simulation.visiting import Log, Shift, work
from annotation.task_types import type_of
from annotation.task_types.lessons import lessons_of
from kernel.management.running import TesaCommand
from kernel.values import counted

MOST_COMPLAINTS = 20  # complaints on the screen


class Command(TesaCommand):
    help = "Let simulated people work through a campaign's real pages, and compare their log with the database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its name or number")
        parser.add_argument("--people", type=int, default=20)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--minutes", type=float, help="when to stop (default: when nothing is left to do)")
        parser.add_argument("--url", help="where the application runs (default: here)")
        parser.add_argument("--pace", choices=("real", "fast"), default="fast", help="as slow as people, or at once")
        parser.add_argument("--steady", action="store_true", help="nobody skips a task or drops out")
        parser.add_argument("--log", type=Path, help="write their log to this file, as JSON lines")

    def handle(self, *, campaign: str, people: int, seed: int, minutes: float | None, **options: Any) -> None:
        if people < 1:
            raise CommandError("--people must be at least 1")
        url = options["url"] or f"http://127.0.0.1:{settings.PORT}"
        if Browser(url).get("/healthz").status != 200:
            raise CommandError(f"nothing answers at {url}: start the application, or say where it runs with --url.")
        target = self._campaign(campaign)
        places = simulating.places(target, people=people, seed=seed)
        type_ = type_of(target)
        lessons = lessons_of(type_, target.lessons)
        shift = Shift(url.rstrip("/"), seed, minutes, options["pace"] == "real", lessons)
        homes = [reverse("work", args=[place.secret]) for place in places]
        earlier = {row.assignment for row in simulating.stored_of(places)}
        with ExitStack() as stack:
            path = options["log"]
            log = Log(stack.enter_context(path.open("w", encoding="utf-8")) if path else None)
            started = time.monotonic()
            who = [person.steady() if options["steady"] else person for person in crowd(people, seed)]
            work([*zip(who, homes, strict=True)], shift, type_, log)
        seconds = time.monotonic() - started
        stored = [row for row in simulating.stored_of(places) if row.assignment not in earlier]
        self._report(log, compare(log.events, stored, type_), len(stored), seconds)

    def _campaign(self, name_or_id: str) -> Campaign:
        rows = Campaign.objects.filter(name=name_or_id)
        campaign = rows.first() or (
            Campaign.objects.filter(pk=int(name_or_id)).first() if name_or_id.isdecimal() else None
        )
        if campaign is None:
            raise CommandError(f"there is no campaign “{name_or_id}”.")
        return campaign

    def _report(self, log: Log, complaints: list[str], stored: int, seconds: float) -> None:
        counts = Counter(row["event"] for row in log.events)
        outcomes = Counter(row["outcome"] for row in log.of("submit"))
        self.stdout.write(
            f"{counted(stored, 'answer')} stored in {seconds:.1f} s; the crowd sent "
            f"{counted(counts['submit'], 'submit')} "
            f"({outcomes['repeated']:,} repeated, {outcomes['late']:,} late, {outcomes['']:,} asked about again), "
            f"{counts['draft']:,} drafts, skipped {counted(counts['give back'], 'task')}; "
            f"{counts['drop out']:,} dropped out."
        )
        idle = Counter(row["heading"] for row in log.of("end") if not row["tasks"])
        for heading, people in idle.items():
            who = counted(people, "person", "people")
            self.stdout.write(f"{who} answered nothing; the last page they saw says “{heading}”.")
        for sentence in complaints[:MOST_COMPLAINTS]:
            self.stderr.write(sentence)
        if complaints:
            raise CommandError(f"{counted(len(complaints), 'thing does', 'things do')} not fit: see above.")
        self.stdout.write("The crowd's log and the database agree: nothing lost, nothing double, no error.")
