"""A release's recipe: everything that decides what is kept. The same recipe over the same answers, the same hash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from annotation.task_types.aggregation.cleaning.pipeline import Pipeline
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.registry import Registry
from tesa_site.kernel.values import Json

SCHEMA = 1
MOST = 1000  # of a threshold

CLEANINGS: Registry[Pipeline] = Registry(
    "cleaning",
    {
        "paper": "annotation.task_types.aggregation.cleaning.paper:PAPER",
        "tesa": "annotation.task_types.aggregation.cleaning.tesa:TESA",
    },
)


@dataclass(frozen=True)
class Recipe:
    """What goes into a release. Gold tasks and excluded people never do, late answers only when accepted.

    Answers of simulated participants are left out unless the recipe asks for them.
    """

    campaigns: tuple[str, ...]  # by name, sorted
    cleaning: str
    cleaning_version: int
    cleaning_fingerprint: str
    least_assignments: int = 5  # the paper's first filter: people with fewer are left out
    least_answered: int = 2  # its third: instances with fewer answered annotations are left out
    use_reviews: bool = True  # reviewers' verdicts and corrected phrases count
    simulated: bool = False  # answers of simulated participants go in, marked as such

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": SCHEMA,
            "campaigns": list(self.campaigns),
            "cleaning": {
                "name": self.cleaning,
                "version": self.cleaning_version,
                "fingerprint": self.cleaning_fingerprint,
            },
            "filters": [
                {"filter": "workers", "least_assignments": self.least_assignments},
                {"filter": "answers"},
                {"filter": "instances", "least_answered": self.least_answered},
            ],
            "use_reviews": self.use_reviews,
            "simulated": self.simulated,
        }

    @classmethod
    def from_json(cls, value: Any) -> Recipe:
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise InvalidInput(f"must be a recipe of schema {SCHEMA}, the one this version reads", field="recipe")
        cleaning, filters = value["cleaning"], {one["filter"]: one for one in value["filters"]}
        return cls(
            campaigns=tuple(value["campaigns"]),
            cleaning=cleaning["name"],
            cleaning_version=cleaning["version"],
            cleaning_fingerprint=cleaning["fingerprint"],
            least_assignments=filters["workers"]["least_assignments"],
            least_answered=filters["instances"]["least_answered"],
            use_reviews=value["use_reviews"],
            simulated=value.get("simulated", False),
        )

    def pipeline(self) -> Pipeline:
        """Return the cleaning the recipe names; refused when this version of the product cleans otherwise."""
        pipeline = CLEANINGS[self.cleaning]
        if pipeline.fingerprint != self.cleaning_fingerprint:
            raise InvalidInput(
                f"the recipe was written for {self.cleaning} {self.cleaning_version}, but this is {pipeline.identity}: "
                "make a new release",
                field="cleaning",
            )
        return pipeline


def make_recipe(
    campaigns: Iterable[str],
    *,
    cleaning: str = "tesa",
    least_assignments: int = 5,
    least_answered: int = 2,
    use_reviews: bool = True,
    simulated: bool = False,
) -> Recipe:
    """Return a recipe with today's version of the cleaning, or raise InvalidInput that names the field."""
    names = tuple(sorted(set(campaigns)))
    if not names:
        raise InvalidInput("name at least one campaign", field="campaigns")
    for field, value, low in (
        ("least_assignments", least_assignments, 1),
        ("least_answered", least_answered, 1),
    ):
        if not low <= value <= MOST:
            raise InvalidInput(f"must be between {low} and {MOST:,}", field=field)
    pipeline = CLEANINGS[cleaning]
    recipe = Recipe(names, pipeline.name, pipeline.version, pipeline.fingerprint)
    thresholds = replace(recipe, least_assignments=least_assignments, least_answered=least_answered)
    return replace(thresholds, use_reviews=use_reviews, simulated=simulated)
