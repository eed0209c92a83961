"""A release's statistics as rows of tables: ours beside the published ones, where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.releasing.statistics import PUBLISHED, TYPES
from tesa_site.kernel.values import counted

LABELS = {
    "collected": "Everything collected",
    "simulated": "without simulated participants",
    "people": "without excluded people",
    "late": "without late answers",
    "reviews": "as reviewers decided",
    "workers": "without participants of few tasks",
    "answers": "without non-conforming answers",
    "instances": "without instances few answered",
    "gold": "Gold tasks",
}
LEFT_OUT = {  # of each step: one thing, many
    "gold": ("gold task", "gold tasks"),
    "simulated": ("answer of a simulated participant", "answers of simulated participants"),
    "people": ("answer of excluded people or given twice", "answers of excluded people or given twice"),
    "late": ("late answer", "late answers"),
    "reviews": ("answer excluded by reviewers", "answers excluded by reviewers"),
    "workers": ("answer of participants with too few tasks", "answers of participants with too few tasks"),
    "answers": ("non-conforming answer", "non-conforming answers"),
    "instances": ("instance with too few answers", "instances with too few answers"),
}
REVIEWED = {
    "accept": "accepted by reviewers",
    "correct": "in a reviewer's words",
    "not_aggregatable": "not aggregatable by a reviewer's verdict",
}
HISTOGRAMS = {"sizes": "entities", "golds": "different aggregations", "answers": "answers, repetitions included"}


@dataclass(frozen=True)
class Line:
    """A label and a figure for each release shown; `published` is the paper's."""

    label: str
    figures: tuple[str, ...]
    published: str = ""


def table_two(*releases: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the lines of the paper's Table 2 for one or more releases' statistics."""
    for part, told in (("collected", "Collected"), ("released", "Released")):
        for what in ("instances", "annotators", "annotations"):
            figures = tuple(f"{one[part][what]:,}" for one in releases)
            yield Line(f"{told}: {what}", figures, f"{PUBLISHED[part][what]:,}")
        for what in ("simulated_annotators", "simulated_annotations"):
            if any(one[part].get(what) for one in releases):
                figures = tuple(f"{one[part].get(what, 0):,}" for one in releases)
                yield Line(f"{told}: {what.replace('_', ' ')}", figures)
    yield Line(
        "Released: not aggregatable",
        tuple(f"{one['released']['not_aggregatable']:,}" for one in releases),
        f"{PUBLISHED['released']['not_aggregatable']:,}",
    )
    for verdict, said in REVIEWED.items():
        if any("reviewed" in one for one in releases):
            figures = tuple(f"{one['reviewed'][verdict]:,}" if "reviewed" in one else "–" for one in releases)
            yield Line(f"Released: {said}", figures)
    for kind, told in (("tuples", "entity tuples"), ("aggregations", "aggregations")):
        for type_ in ("all", *TYPES):
            figures = tuple(_pair(one[kind][type_]["total"], one[kind][type_]["unique"]) for one in releases)
            yield Line(f"{type_.capitalize()} {told} (unique)", figures, _pair(*PUBLISHED[kind][type_]))
    for type_ in ("all", *TYPES):
        figures = tuple(_decimal(one["golds_mean"][type_]) for one in releases)
        yield Line(
            f"{type_.capitalize()}: aggregations per instance", figures, _decimal(PUBLISHED["golds_mean"][type_])
        )


def _pair(total: int, unique: int) -> str:
    return f"{total:,} ({unique:,})"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def funnel(statistics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what each step left, with a label for people; the step "simulated" only if it left something out."""
    has_step = bool(statistics["discarded"].get("simulated"))
    rows = [row for row in statistics["funnel"] if has_step or row["step"] != "simulated"]
    return [{**row, "label": LABELS[row["step"]]} for row in rows]


def left_out(statistics: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (step, how many of what) for each step that left something out."""
    found = {step: number for step, number in statistics["discarded"].items() if number}
    told = {step: f"{number:,} {LEFT_OUT[step][number != 1]}" for step, number in found.items()}
    left = {row["step"]: row["annotators"] + row.get("simulated", 0) for row in statistics.get("funnel", ())}
    if "workers" in told and left:  # the step takes people with all their answers: those gone are those it left out
        gone = left["reviews"] - left["workers"]
        told["workers"] = told["workers"].replace("participants", counted(gone, "participant"))
    return [*told.items()]


def histogram_rows(statistics: Mapping[str, Any]) -> list[tuple[str, str, str, int, float]]:
    """Return (panel, value, whose, number, share) of the three histograms."""
    rows = []
    for name, label in HISTOGRAMS.items():
        for whose, counts in (("this release", statistics[name]), ("published", PUBLISHED[name])):
            total = sum(counts.values())
            rows += [(label, value, whose, number, number / total) for value, number in counts.items() if total]
    return rows


def recipe_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (what, before, after) where two recipes differ."""
    old, new = _flat(before), _flat(after)
    names = dict.fromkeys([*old, *new])
    return [(name, old.get(name, "–"), new.get(name, "–")) for name in names if old.get(name) != new.get(name)]


def _flat(recipe: Mapping[str, Any]) -> dict[str, str]:
    cleaning = recipe["cleaning"]
    return {
        "campaigns": ", ".join(recipe["campaigns"]),
        "cleaning": f"{cleaning['name']} {cleaning['version']} ({cleaning['fingerprint'][:12]})",
        "reviews": "count" if recipe["use_reviews"] else "do not count",
        "simulated answers": "included" if recipe.get("simulated") else "left out",
        **{name: str(value) for one in recipe["filters"] for name, value in one.items() if name != "filter"},
    }
