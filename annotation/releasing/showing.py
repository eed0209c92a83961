"""A release's statistics as rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.releasing.consensus_words import consensus_words
from annotation.releasing.describing import StoredStatistics
from annotation.releasing.recipe import task_type_of
from annotation.releasing.votes import FIELD as VOTES_FIELD
from annotation.releasing.votes import ChosenVotes
from annotation.task_types.base import TaskType
from annotation.task_types.releases import FigureLine, ReleaseFacet
from annotation.task_types.settings import bound_type, settings_in_words
from corpus.items import ITEM_KINDS
from kernel.values import counted

LABELS = {
    "collected": "All answers collected",
    "simulated": "without simulated participants",
    "people": "without excluded people",
    "late": "without late answers",
    "reviews": "as reviewers decided",
    "workers": "without participants with few tasks",
    "trust": "without participants below the limit of trust",
    "answers": "without non-conforming answers",
    "instances": "without {items} with few {units}",
    "gold": "Check tasks",
}
REJECTED = "rejected by cleaning rules"  # counted from schema 2 on
THRESHOLDS = {
    "least_assignments": "minimum tasks per person", "least_trust": "minimum trust, in per cent",
    "least_tests": "check tasks before trust counts", "least_answered": "minimum answers per {item}",
}  # fmt: skip
LEFT_OUT = {  # of each step: one thing, many; braces hold words of the task type
    "gold": ("check task", "check tasks"),
    "simulated": ("answer of a simulated participant", "answers of simulated participants"),
    "people": ("answer of excluded people or given twice", "answers of excluded people or given twice"),
    "late": ("late answer", "late answers"),
    "reviews": ("answer excluded by reviewers", "answers excluded by reviewers"),
    "workers": ("answer of a participant with too few tasks", "answers of participants with too few tasks"),
    "trust": ("answer of a participant below the limit of trust", "answers of participants below the limit of trust"),
    "answers": ("non-conforming answer", "non-conforming answers"),
    "instances": (
        "{item} for which too few participants gave {a_unit}",
        "{items} for which too few participants gave {a_unit}",
    ),
    "sources": ("{item} made of answers that no longer count", "{items} made of answers that no longer count"),
    "votes": ("piece that too few people confirmed", "pieces that too few people confirmed"),
    "settlements": ("answer of a task that needs another look", "answers of tasks that need another look"),
}


def basic_lines(
    releases: Sequence[StoredStatistics],
    reviewed: Mapping[str, str],
    nothing_fits: Mapping[str, str],
    published: StoredStatistics | None = None,
    items: str = "instances",
) -> Iterator[FigureLine]:
    """Yield the lines that releases of every task type have: what was collected, released and reviewed.

    `reviewed` and `nothing_fits` label the counts of these names; `published` holds figures to compare with; `items`
    is the word for what releases hold.
    """
    known: Any = published or {}
    for part in ("collected", "released"):
        label = part.capitalize()
        for what in ("instances", "annotators", "annotations"):
            figures = tuple(f"{stored[part][what]:,}" for stored in releases)
            name = items if what == "instances" else what
            yield FigureLine(f"{label}: {name}", figures, _number(known.get(part, {}).get(what)))
        for what in ("simulated_annotators", "simulated_annotations"):
            if any(stored[part].get(what) for stored in releases):
                figures = tuple(f"{stored[part].get(what, 0):,}" for stored in releases)
                yield FigureLine(f"{label}: {what.replace('_', ' ')}", figures)
    released = [stored["released"] for stored in releases]
    for name, words in {"rejected": REJECTED, **nothing_fits}.items():
        if any(name in counts for counts in released):
            figures = tuple(f"{counts[name]:,}" if name in counts else "–" for counts in released)
            yield FigureLine(f"Released: {words}", figures, _number(known.get("released", {}).get(name)))
    for verdict, words in reviewed.items():
        if any("reviewed" in stored for stored in releases):
            figures = tuple(f"{stored['reviewed'][verdict]:,}" if "reviewed" in stored else "–" for stored in releases)
            yield FigureLine(f"Released: {words}", figures)


def figures(facet: ReleaseFacet, *releases: StoredStatistics) -> dict[str, Any]:
    """Return the table of figures for a page, and whether it has a column of published figures."""
    lines = list(facet.lines(*releases))
    return {"lines": lines, "has_published": any(line.published for line in lines)}


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def funnel(statistics: StoredStatistics, type_: TaskType) -> list[dict[str, Any]]:
    """Return what each step left, with a label for people; the step "simulated" only if it left something out."""
    has_step, words = bool(statistics["discarded"].get("simulated")), _words(type_)
    rows = [row for row in statistics["funnel"] if has_step or row["step"] != "simulated"]
    field = type_.release.nothing_fits
    return [{**row, "label": LABELS[row["step"]].format(**words), "nothing_fits": row[field]} for row in rows]


def _words(type_: TaskType) -> dict[str, str]:
    kind = ITEM_KINDS[type_.item_kind]
    return {**vars(type_.answer_words), "item": kind.singular, "items": kind.plural}


def left_out_words(type_: TaskType) -> dict[str, tuple[str, str]]:
    """Return what each step leaves out: one thing, many."""
    words = _words(type_)
    return {step: (single.format(**words), many.format(**words)) for step, (single, many) in LEFT_OUT.items()}


def left_out(statistics: StoredStatistics, type_: TaskType) -> list[tuple[str, str]]:
    """Return (step, how many of what) for each step that left something out."""
    words = left_out_words(type_)
    discarded = {step: number for step in words if (number := statistics["discarded"].get(step))}
    sentences = {step: f"{number:,} {words[step][number != 1]}" for step, number in discarded.items()}
    left = {row["step"]: row["annotators"] + row.get("simulated", 0) for row in statistics.get("funnel", ())}
    if "workers" in sentences and left:  # the step removes people with all their answers, so the difference counts them
        gone = left["reviews"] - left["workers"]
        sentences["workers"] = sentences["workers"].replace("participants", counted(gone, "participant"))
    return [*sentences.items()]


def reason(step: str, why: str) -> str:
    """Return why something was left out, for a page: without the name of the cleaning rule before its sentence."""
    return why.partition(": ")[2] or why if step == "answers" else why


def recipe_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (what, before, after) where two recipes differ."""
    old, new = recipe_words(before), recipe_words(after)
    names = dict.fromkeys([*old, *new])
    return [(name, old.get(name, "–"), new.get(name, "–")) for name in names if old.get(name) != new.get(name)]


def _type_of(recipe: Mapping[str, Any]) -> TaskType:
    return bound_type(task_type_of(recipe), recipe.get("task_settings", {}))


def recipe_words(recipe: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a recipe with their values, in words."""
    cleaning, item = recipe["cleaning"], ITEM_KINDS[_type_of(recipe).item_kind].singular
    return {
        "task type": _type_of(recipe).key,
        **dict(settings_in_words(task_type_of(recipe), recipe.get("task_settings", {}))),
        "campaigns": ", ".join(recipe["campaigns"]),
        **{f"answers to “{part}” together": says for part, says in consensus_words(recipe).items()},
        **({VOTES_FIELD: ChosenVotes.from_json(recipe[VOTES_FIELD]).in_words} if VOTES_FIELD in recipe else {}),
        "cleaning": f"{cleaning['name']} {cleaning['version']} ({cleaning['fingerprint'][:12]})",
        "reviews": "used" if recipe["use_reviews"] else "not used",
        "simulated answers": "included" if recipe.get("simulated") else "left out",
        **{
            words.format(item=item): str(entry[name])
            for entry in recipe["filters"]
            for name, words in THRESHOLDS.items()
            if name in entry
        },
    }
