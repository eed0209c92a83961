"""What each step of a search left."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.models import Finding
from corpus.no_instance import LABELS, NoInstance
from kernel.values import counted

# The original study's funnel on the New York Times of 2006 and 2007, for comparison.
PUBLISHED_FUNNEL = {
    "articles": 127_005, "tagged_articles": 36_091, "entities": 48_820, "tuples": 18_818, "instance_articles": 14_510,
    "instance_entities": 11_226, "instances": 56_933,
}  # fmt: skip


@dataclass(frozen=True)
class FunnelStep:
    label: str
    number: int
    note: str = ""
    published: int | None = None


def funnel_of(finding: Finding) -> list[FunnelStep]:
    """Return what was left after each step."""
    cut = f"{finding.tuples_cut:,} more were cut by the limit of an article" if finding.tuples_cut else ""
    conflicts = (
        f"{counted(finding.type_conflicts, 'name was', 'names were')} tagged with two types"
        if finding.type_conflicts
        else ""
    )
    published = PUBLISHED_FUNNEL
    return [
        FunnelStep("Articles", finding.articles, published=published["articles"]),
        FunnelStep("with two entities of one type", finding.tagged_articles, published=published["tagged_articles"]),
        FunnelStep("Entities", finding.entities, conflicts, published["entities"]),
        FunnelStep("Groups of entities in a passage", finding.tuples, cut, published["tuples"]),
        FunnelStep("Articles with an instance", finding.instance_articles, published=published["instance_articles"]),
        FunnelStep("Entities of an instance", finding.instance_entities, published=published["instance_entities"]),
        FunnelStep("Instances", finding.instances, names_of_instances(finding), published["instances"]),
        FunnelStep("Overlap groups", finding.groups, "a sample takes one instance of each"),
    ]


def names_of_instances(finding: Finding) -> str:
    """Return what the names of the instances came from, in words; "" if there are no instances."""
    recognized, tagged = finding.recognized_instances, finding.instances - finding.recognized_instances
    if recognized and tagged:
        return f"{tagged:,} with tagged names, {recognized:,} with recognized names"
    return f"all with {'recognized' if recognized else 'tagged'} names" if finding.instances else ""


def silent_articles(finding: Finding) -> list[tuple[str, int]]:
    """Return the number of articles without an instance by reason, in the order of the funnel."""
    counts = finding.silent_articles
    return [(LABELS[reason], counts[reason.value]) for reason in NoInstance if counts.get(reason.value)]
