"""A release's recipe: everything that decides what is kept. With the same answers it gives the same hash again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.quality.trust import LEAST_TESTS, TrustLimit
from annotation.releasing.facts import READABLE
from annotation.releasing.votes import FIELD as VOTES_FIELD
from annotation.releasing.votes import ChosenVotes, read_votes
from annotation.task_types import cleaning_named, type_of
from annotation.task_types.base import TaskType
from annotation.task_types.cleaned import Cleaning
from annotation.task_types.consensus_rules import FIELD, Rules, read_rules, stored_rules
from kernel.errors import InvalidInput
from kernel.values import Json, counted

HIGHEST_THRESHOLD = 1000  # of a threshold
TRUST = "trust"  # the filter that leaves out people whose trust is too low
FIRST_TASK_TYPE = "aggregation"  # recipes of schema 1 name none: there was no other


@dataclass(frozen=True)
class Recipe:
    """What goes into a release. Gold tasks and excluded people never do, late answers only when accepted.

    Answers of simulated participants are left out unless the recipe asks for them.
    """

    task_type: str  # all campaigns have this one
    campaigns: tuple[str, ...]  # by name, sorted
    cleaning: str
    cleaning_version: int
    cleaning_fingerprint: str
    least_assignments: int = 5  # the paper's first filter: people with fewer are left out
    least_trust: int = 0  # per cent: people below are left out, from `least_tests` judged check tasks on; 0 = nobody
    least_tests: int = LEAST_TESTS
    least_answered: int = 2  # its third: instances with fewer answered annotations are left out
    use_reviews: bool = True  # reviewers' verdicts and corrections count
    simulated: bool = False  # answers of simulated participants go in, marked as such
    task_settings: Mapping[str, Any] = field(default_factory=dict)  # all campaigns have these
    votes: ChosenVotes | None = None  # of a follow-up, and which pieces they keep
    consensus: Rules = field(default_factory=dict)  # how answers are brought together; the usual rules are not in it

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": type_of(self).release.schema,
            "task_type": self.task_type,
            "campaigns": list(self.campaigns),
            "cleaning": {
                "name": self.cleaning,
                "version": self.cleaning_version,
                "fingerprint": self.cleaning_fingerprint,
            },
            "filters": [
                {"filter": "workers", "least_assignments": self.least_assignments},
                *([{"filter": TRUST, **self._trust()}] if self.least_trust else []),
                {"filter": "answers"},
                {"filter": "instances", "least_answered": self.least_answered},
            ],
            "use_reviews": self.use_reviews,
            "simulated": self.simulated,
            **({"task_settings": dict(self.task_settings)} if self.task_settings else {}),
            **({FIELD: {part: rule.to_json() for part, rule in self.consensus.items()}} if self.consensus else {}),
            **({VOTES_FIELD: self.votes.to_json()} if self.votes else {}),
        }

    def _trust(self) -> dict[str, Json]:
        return {"least_trust": self.least_trust, "least_tests": self.least_tests}

    @property
    def trust_limit(self) -> TrustLimit | None:
        return TrustLimit(self.least_trust, self.least_tests) if self.least_trust else None

    @classmethod
    def from_json(cls, value: Any) -> Recipe:
        if not isinstance(value, dict) or value.get("schema") not in READABLE:
            known = ", ".join(map(str, READABLE))
            raise InvalidInput(f"must be a recipe of schema {known}, which this version reads", field="recipe")
        cleaning, filters = value["cleaning"], {entry["filter"]: entry for entry in value["filters"]}
        return cls(
            task_type=task_type_of(value),
            campaigns=tuple(value["campaigns"]),
            cleaning=cleaning["name"],
            cleaning_version=cleaning["version"],
            cleaning_fingerprint=cleaning["fingerprint"],
            least_assignments=filters["workers"]["least_assignments"],
            **{name: filters[TRUST][name] for name in ("least_trust", "least_tests") if TRUST in filters},
            least_answered=filters["instances"]["least_answered"],
            use_reviews=value["use_reviews"],
            simulated=value.get("simulated", False),
            task_settings=value.get("task_settings", {}),
            consensus=stored_rules(value),
            votes=ChosenVotes.from_json(value[VOTES_FIELD]) if VOTES_FIELD in value else None,
        )

    def cleaning_of(self, type_: TaskType) -> Cleaning:
        """Return the cleaning that the recipe names; raise InvalidInput if its rules have changed since."""
        cleaning = cleaning_named(type_, self.cleaning)
        if cleaning.fingerprint != self.cleaning_fingerprint:
            raise InvalidInput(
                f"the recipe was written for {self.cleaning} {self.cleaning_version}, but this is {cleaning.identity}: "
                "make a new release",
                field="cleaning",
            )
        return cleaning


def task_type_of(recipe: Mapping[str, Any]) -> str:
    """Return the name of a stored recipe's task type."""
    return str(recipe.get("task_type", FIRST_TASK_TYPE))


def trust_note(recipe: Mapping[str, Any]) -> str:
    """Return a sentence on the filter of trust for files; "" where the recipe has none."""
    for entry in recipe["filters"]:
        if entry["filter"] == TRUST:
            tests = counted(entry["least_tests"], "judged check task")
            return (
                f"Participants with a trust below {entry['least_trust']}% were left out: that is their mean score on "
                f"check tasks, from {tests} on."
            )
    return ""


def make_recipe(
    type_: TaskType,
    campaigns: Iterable[str],
    *,
    cleaning: str = "",
    consensus: Any = None,
    votes: Any = None,
    **options: Any,
) -> Recipe:
    """Return a recipe with a cleaning as it is today, the task type's own unless another one is named.

    `consensus` names rules by part (see `read_rules`), `votes` those of a follow-up (see `read_votes`), `options` are
    further fields of the recipe. Raises InvalidInput that names the field.
    """
    names = tuple(sorted(set(campaigns)))
    if not names:
        raise InvalidInput("name at least one campaign", field="campaigns")
    chosen = cleaning_named(type_, cleaning) if cleaning else type_.cleaning
    rules = read_rules(type_.consensus_rules, {} if consensus is None else consensus)
    options = {"consensus": rules, "votes": read_votes(votes), **options}
    recipe = Recipe(type_.name, names, chosen.name, chosen.version, chosen.fingerprint, **options)
    for name in ("least_assignments", "least_answered", "least_tests"):
        if not 1 <= getattr(recipe, name) <= HIGHEST_THRESHOLD:
            raise InvalidInput(f"must be between 1 and {HIGHEST_THRESHOLD:,}", field=name)
    if not 0 <= recipe.least_trust <= 100:
        raise InvalidInput("must be between 0 and 100 per cent", field="least_trust")
    return recipe
