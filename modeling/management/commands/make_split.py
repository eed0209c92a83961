from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from kernel.management.running import TesaCommand
from modeling.management.finding import release_named
from modeling.models import Split
from modeling.services import splits
from modeling.splits import RULES


class Command(TesaCommand):
    help = "Split a release into train, valid and test. The same rule and seed give the same split."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="its name; NAME:VERSION for an older version")
        parser.add_argument("--rule", choices=RULES, default="paper")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--ratio", type=int, nargs=3, default=list(splits.RATIO), metavar="N", help="(default 2 1 1)"
        )
        parser.add_argument("--folds", type=int, default=0, help="make this number of splits that share one test part")

    def handle(self, *, release: str, rule: str, seed: int, ratio: list[int], folds: int, **options: Any) -> None:
        chosen = release_named(release)
        if min(ratio) < 1:
            raise CommandError("--ratio: give three numbers of at least 1, because no part can be empty")
        for split in splits.make_splits(chosen, folds, rule=rule, seed=seed, ratio=ratio, by=None):
            self.stdout.write(_sentence(split))


def _sentence(split: Split) -> str:
    sizes = "/".join(f"{split.statistics[part]['instances']:,}" for part in ("train", "valid", "test"))
    unseen = split.statistics["test"]["unseen"]
    return f"split {split.pk}: {split}: {sizes}, {unseen:,} of test unseen, {split.content_hash[:12]}"
