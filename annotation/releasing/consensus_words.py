"""How a release's recipe brings answers together, in words for pages and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.releasing.recipe import task_type_of
from annotation.task_types.consensus_rules import rules_in_words, stored_rules
from annotation.task_types.settings import bound_type


def consensus_words(recipe: Mapping[str, Any]) -> dict[str, str]:
    """Return for each part of the task what its rule gives; {} where the task has no rules to choose between."""
    type_ = bound_type(task_type_of(recipe), recipe.get("task_settings", {}))
    return rules_in_words(type_.consensus_rules, stored_rules(recipe))


def consensus_note(recipe: Mapping[str, Any]) -> str:
    """Return a sentence on the rules for files; "" where the recipe chose none: then the fields say everything."""
    if not stored_rules(recipe):
        return ""
    rules = "; ".join(f"{part}: {says}" for part, says in consensus_words(recipe).items())
    return f"What the annotations say together, by part: {rules}."
