"""What a corpus's overview shows: three funnels, its backgrounds, articles per year, instances by type and size."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Sum
from django.db.models.functions import ExtractYear

from corpus.articles import EntityType
from corpus.frozen import ACCEPTED, SIZES
from corpus.models import Article, Corpus, Finding
from corpus.selectors.backgrounds import background_counts
from corpus.selectors.funnel import PUBLISHED_FUNNEL, names_of_instances, silent_articles
from corpus.selectors.samples import counts_by_type_and_size
from corpus.selectors.waiting import backgrounds_to_check

SECONDS_CACHED = 24 * 3600
HEIGHT, WIDTH, LEFT = 150, 400, 36  # of the plot of years, in its own units


@dataclass(frozen=True)
class FunnelRow:
    """What a step of a funnel left, of how many, and what the original study had."""

    label: str
    number: int
    before: int | None = None  # what the step before left
    published: int | None = None

    @property
    def kept(self) -> int | None:
        """The share of the step before in per cent; None where nothing is left, or nobody has begun the step."""
        return round(100 * self.number / self.before) if self.before and self.number else None


def funnels(finding: Finding, backgrounds: dict[str, int]) -> list[tuple[str, list[FunnelRow]]]:
    """Return the steps by what they count."""
    known, here = PUBLISHED_FUNNEL, finding
    with_background = sum(backgrounds.get(str(status), 0) for status in ACCEPTED)
    sampled = finding.corpus.samples.aggregate(n=Sum("size"))["n"] or 0
    return [
        ("Articles", [
            FunnelRow("read", here.articles, None, known["articles"]),
            FunnelRow("with two entities of one type", here.tagged_articles, here.articles, known["tagged_articles"]),
            FunnelRow("with an instance", here.instance_articles, here.tagged_articles, known["instance_articles"]),
        ]),
        ("Entities", [
            FunnelRow("found", here.entities, None, known["entities"]),
            FunnelRow("in an instance", here.instance_entities, here.entities, known["instance_entities"]),
            FunnelRow("with a background", with_background, here.instance_entities),
        ]),
        ("Instances", [
            FunnelRow("found", here.instances, None, known["instances"]),
            FunnelRow("after removing overlaps", here.groups, here.instances),
            FunnelRow("in samples", sampled, here.groups),
        ]),
    ]  # fmt: skip


def plots(finding: Finding) -> dict[str, Any]:
    """Return the two plots; they are counted once after each search."""
    key = f"corpus-overview-{finding.pk}-{finding.found_at.timestamp()}-{finding.articles}"
    return cache.get_or_set(key, lambda: _plots(finding.corpus), SECONDS_CACHED) or {}


def _plots(corpus: Corpus) -> dict[str, Any]:
    return {"years": _years(corpus), "heat": heat(counts_by_type_and_size(corpus.instances))}


def heat(counts: Counter[tuple[str, int]]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Return for each type a number and its shade (0, the darkest, to 9) for each size; nothing if there is none."""
    most = max(counts.values(), default=0)
    if not most:
        return []
    rows = [(type_.value, [counts[type_, size] for size in SIZES]) for type_ in EntityType]
    return [(label, [(n, 9 - max(1, round(8 * n / most)) if n else 9) for n in numbers]) for label, numbers in rows]


def _years(corpus: Corpus) -> dict[str, Any]:
    """Return a bar for each year, with the part of it that has an instance, and the lines behind them."""
    year = ExtractYear("published")
    dated = Article.objects.filter(corpus=corpus, published__isnull=False).annotate(year=year).order_by("year")
    all_ = dict(dated.values_list("year").annotate(n=Count("id")))
    some = dict(dated.filter(instances__isnull=False).values_list("year").annotate(n=Count("id", distinct=True)))
    if not all_:
        return {}
    first, last, most = min(all_), max(all_), max(all_.values())
    step = (WIDTH - LEFT) / (last - first + 1)
    unit = next(candidate for candidate in (m * 10**p for p in range(9) for m in (1, 2, 5)) if most / candidate <= 4)
    scale = HEIGHT / (unit * -(-most // unit))
    bars = [
        {"year": y, "all": all_.get(y, 0), "some": some.get(y, 0), "x": round(LEFT + n * step + step * 0.15, 1),
         "hit": round(LEFT + n * step, 1), "middle": round(LEFT + (n + 0.5) * step, 1),
         "top": round(all_.get(y, 0) * scale, 1), "part": round(some.get(y, 0) * scale, 1),
         "is_named": n % max(1, -(-(last - first + 1) // 8)) == 0}
        for n, y in enumerate(range(first, last + 1))
    ]  # fmt: skip
    lines = [(unit * n, round(HEIGHT - unit * n * scale, 1)) for n in range(-(-most // unit) + 1)]
    return {"bars": bars, "lines": lines, "width": round(step * 0.7, 1), "step": round(step, 1)}


def matched(finding: Finding, backgrounds: dict[str, int]) -> dict[str, Any]:
    """Return how far the entities of instances have backgrounds: parts for a bar, each with its colour and words."""
    sure, likely = backgrounds.get("exact", 0) + backgrounds.get("by hand", 0), backgrounds.get("likely", 0)
    open_, none = backgrounds.get("ambiguous", 0), backgrounds.get("missing", 0) + backgrounds.get("discarded", 0)
    entities = max(finding.instance_entities, sure + likely + open_ + none)
    return {
        "entities": entities,
        "percent": 100 * (sure + likely) // entities if entities else 0,
        "ends": (sure, sure + likely, sure + likely + open_),
        "parts": (("f2", sure, "sure"), ("f3", likely, "likely"), ("f1", open_, "to choose"), ("fx", none, "missing")),
    }


def overview_of(finding: Finding) -> dict[str, Any]:
    """Return all that the overview shows after a search."""
    counts = background_counts(finding.corpus)
    return {
        "funnels": funnels(finding, counts),
        "names_of_instances": names_of_instances(finding),
        "silent": silent_articles(finding),
        "backgrounds": counts,
        "matched": matched(finding, counts),
        "backgrounds_to_check": backgrounds_to_check(finding.corpus).count(),
        "samples": finding.corpus.samples.order_by("-id")[:4],
        "sizes": SIZES,
        **plots(finding),
    }
