from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError

from annotation.models import Release
from annotation.quality.trust import LEAST_TESTS
from annotation.releasing.asked_rules import as_number
from annotation.releasing.describing import StoredStatistics
from annotation.releasing.votes import condition_in
from annotation.selectors.release_answers import recipe_for
from annotation.services import releases
from annotation.task_types import type_of
from annotation.task_types.releases import ReleaseFacet
from kernel.management.running import TesaCommand, run_job
from kernel.values import counted


class Command(TesaCommand):
    help = "Freeze the answers of campaigns as the next version of a release."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name of the release")
        parser.add_argument("--campaign", action="append", required=True, help="name of a campaign (may be repeated)")
        parser.add_argument("--cleaning", default="", help="name of the cleaning (default: the task type's own)")
        parser.add_argument(
            "--least-assignments", type=int, default=5, help="leave out participants who did fewer tasks"
        )
        parser.add_argument("--least-answered", type=int, default=2, help="leave out instances with fewer answers")
        parser.add_argument(
            "--least-trust", type=int, default=0, help="leave out participants whose check tasks scored fewer per cent"
        )
        parser.add_argument(
            "--least-tests", type=int, default=LEAST_TESTS, help="judged check tasks of somebody before that counts"
        )
        parser.add_argument("--without-reviews", action="store_true", help="ignore reviews")
        parser.add_argument(
            "--simulated",
            action="store_true",
            help="include the answers of simulated participants, marked as such; they are left out otherwise",
        )
        parser.add_argument(
            "--consensus",
            action="append",
            default=[],
            metavar="PART=RULE[,NUMBER=VALUE]",
            help="how the answers to a part of an own task are brought together, such as tone=majority,threshold=0.6 "
            "(may be repeated; a wrong rule names those that there are)",
        )
        parser.add_argument("--votes", default="", metavar="CAMPAIGN", help="count the votes of this follow-up")
        parser.add_argument(
            "--keep",
            action="append",
            default=[],
            metavar="QUESTION=ANSWER[,LEAST]",
            help="leave out pieces with fewer votes for this answer, such as is_true=yes,2 (may be repeated)",
        )
        parser.add_argument("--description", default="")
        parser.add_argument("--licence", default="", help="of the release, for example CC-BY-4.0")
        parser.add_argument("--preview", action="store_true", help="show what would be kept, without freezing it")

    def handle(self, *, name: str, campaign: list[str], cleaning: str, preview: bool, **options: Any) -> None:
        recipe = recipe_for(
            campaign,
            cleaning=cleaning,
            least_assignments=options["least_assignments"],
            least_answered=options["least_answered"],
            least_trust=options["least_trust"],
            least_tests=options["least_tests"],
            use_reviews=not options["without_reviews"],
            simulated=options["simulated"],
            consensus=_rules(options["consensus"]),
            votes=_votes(options["votes"], options["keep"]),
        )
        if preview:
            statistics: Any = releases.preview_release(recipe).to_json()
            self.stdout.write(_funnel(statistics, type_of(recipe).release))
            return
        plan = releases.ReleasePlan(name, recipe, options["description"], options["licence"])
        self._freeze(releases.create_release(plan, by=None))

    def _freeze(self, release: Release) -> None:
        try:
            outcome = run_job("freeze_release", str(release), {"release": release.pk}, lock=releases.lock_of(release))
        except CommandError:
            release.refresh_from_db()
            if not release.content_hash:
                releases.delete_release(release, by=None)  # it was never complete: its number is free
            raise
        release.refresh_from_db()
        self.stdout.write(f"{outcome}\ncontent hash {release.content_hash}")


def _rules(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    chosen: dict[str, dict[str, Any]] = {}
    for part, rule in map(_rule, texts):
        if part in chosen:
            raise CommandError(f"--consensus: {part} is named twice; give each part one rule")
        chosen[part] = rule
    return chosen


def _votes(campaign: str, keep: Iterable[str]) -> dict[str, Any] | None:
    conditions = [condition_in(text).to_json() for text in keep]
    if conditions and not campaign:
        raise CommandError("--keep: name the follow-up whose votes count, with --votes")
    return {"campaign": campaign, "keep": conditions} if campaign else None


def _rule(text: str) -> tuple[str, dict[str, Any]]:
    """Read PART=RULE,NUMBER=VALUE."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in pairs):
        raise CommandError(
            f"--consensus: write PART=RULE,NUMBER=VALUE, such as tone=majority,threshold=0.6, not {text}"
        )
    (part, _, rule), *numbers = [(name.strip(), sign, value.strip()) for name, sign, value in pairs]
    names = [name for name, _, _ in numbers]
    if twice := next((name for name in ("rule", *names) if ["rule", *names].count(name) > 1), ""):
        raise CommandError(f"--consensus: {text} names “{twice}” twice; name each number once")
    return part, {"rule": rule, **{name: as_number(value) for name, _, value in numbers}}


def _funnel(statistics: StoredStatistics, facet: ReleaseFacet) -> str:
    columns = ("instances", "annotators", "simulated", "answered", "rejected", facet.nothing_fits)
    lines = [f"{'after':<12}" + "".join(f"{name:>18}" for name in columns)]
    lines += [f"{row['step']:<12}" + "".join(f"{row[name]:>18,}" for name in columns) for row in statistics["funnel"]]
    return "\n".join([*lines, f"{counted(statistics['released']['instances'], 'instance')} would be kept."])
