"""Makers of modeling values: the smallest that makes sense, every field open to be overridden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from kernel.errors import TesaError
from modeling.candidates import build_dataset
from modeling.dataset import Candidate, Dataset, RankingTask
from modeling.evaluation import evaluate
from modeling.items import GoldPhrase, Item, rankable
from modeling.splits import make_split
from tests.synthetic.release import release_items, synthetic_release


def make_item(key: str = "k1", golds: tuple[str, ...] = ("painters",), **fields: Any) -> Item:
    default: dict[str, Any] = {
        "key": key,
        "group": f"group of {key}",
        "corpus": "News",
        "article_id": f"article of {key}",
        "date": "1901-02-03",
        "entity_type": EntityType.PERSON,
        "entities": ("Ida Lind", "Olaf Brandt"),
        "kind": ContextKind.CONTENT,
        "title": "Two Painters Meet",
        "context": "Ida Lind met Olaf Brandt at the harbor.",
        "mentions": ((0, 0, 8), (1, 13, 24)),
        "backgrounds": ("Ida Lind was a painter.", ""),
        "golds": tuple(GoldPhrase(phrase, phrase.title(), 1) for phrase in golds),
        "answers": tuple(sorted(golds)),
    }
    return Item(**default | fields)


def make_task(item: Item | None = None, negatives: tuple[str, ...] = ("cities", "banks")) -> RankingTask:
    item = item or make_item()
    golds = [Candidate(gold.phrase, 1) for gold in item.golds]
    return RankingTask(item, (*golds, *(Candidate(phrase, 0) for phrase in negatives)))


def refusal(call: Callable[[], object]) -> str:
    """Return the sentence of one of our errors, or nothing when the call succeeds."""
    try:
        call()
    except TesaError as error:
        return str(error)
    return ""


@cache
def synthetic_items(instances: int = 120) -> tuple[Item, ...]:
    return rankable(release_items(synthetic_release(instances, seed=5)))


@cache
def synthetic_dataset(instances: int = 120) -> Dataset:
    items = synthetic_items(instances)
    return build_dataset(items, make_split(items, rule="paper", seed=1), seed=1)


def chance_ap(tasks: Sequence[RankingTask]) -> float:
    """Return the MAP of a random order: with equal scores a task's value is its mean over all orders."""
    return float(evaluate(tasks, [[0.0] * len(task.candidates) for task in tasks]).values["ap"].mean())
