"""A small own task with parts of every kind, and releases of answers to it, built without a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from annotation.releasing.building import Builder, Built, CollectedAnswer
from annotation.releasing.facts import Facts
from annotation.releasing.fitting import AllEstimates, fit
from annotation.releasing.hashing import ReleaseHash
from annotation.releasing.recipe import Recipe, make_recipe
from annotation.releasing.statistics import Statistics
from annotation.task_types.consensus_rules import needing_all
from annotation.task_types.own.checking import type_of_description
from annotation.task_types.own.reading import read_description
from corpus.items.rows import ROWS

PARTS = """\
  - {name: sky, kind: choice, ask: What is the sky like?, options: [clear, grey, dark]}
  - {name: signs, kind: choice, ask: What do you see?, options: [rain, wind, fog], many: true, none: None of these}
  - {name: lines, kind: choice, ask: Is each of them wet?, options: [wet, dry], rows: [first, second]}
  - {name: stars, kind: rating, ask: How good is it?, criteria: [style, tone], no_opinion: I cannot say}
  - {name: order, kind: ranking, ask: Which is better?, targets: [first, second, third]}
  - {name: words, kind: text, ask: What would you call it?}
"""
WEATHER = f"""\
name: Weather
items: rows
parts:
{PARTS}instructions: {{summary: Read., details: Choose., examples: + rain}}
"""
TYPE: Any = type_of_description(read_description(WEATHER))
SETTINGS = TYPE.settings.model_dump(mode="json")


def answer(
    sky: str = "grey",
    signs: Sequence[str] = ("rain",),
    wet: Sequence[str] = ("wet", "wet"),
    stars: Sequence[int | None] = (3, 3),
    order: Sequence[int] = (1, 2, 3),
    words: str = "A grey day",
) -> dict[str, Any]:
    return {
        "sky": sky,
        "signs": [*signs],
        "lines": [{"row": row, "chosen": own} for row, own in zip(("first", "second"), wet, strict=True)],
        "stars": {name: {"item": own} for name, own in zip(("style", "tone"), stars, strict=True)},
        "order": dict(zip(("first", "second", "third"), order, strict=True)),
        "words": words,
    }


def item(name: str) -> dict[str, Any]:
    texts: dict[str, Any] = {
        "title": name,
        "first": f"{name}, morning",
        "second": f"{name}, noon",
        "third": f"{name}, night",
    }
    return ROWS.from_row(texts).to_json()


ANSWERS: Mapping[str, Mapping[str, dict[str, Any]]] = {
    "Dun": {
        "ann": answer(),
        "bob": answer("dark", ["rain", "fog"], ["wet", "dry"], [4, None], [2, 1, 3], "a grey day!"),
        "cleo": answer("dark", ["rain"], ["dry", "dry"], [5, None], [1, 3, 2], "Rain"),
    },
    "Arden": {
        "ann": answer("clear", [], ["dry", "dry"], [1, 2]),
        "bob": answer("grey", ["wind"], ["dry", "wet"], [2, 2], [3, 2, 1], "Wind"),
    },
}


def build(recipe: Recipe, answers: Mapping[str, Mapping[str, dict[str, Any]]] = ANSWERS) -> list[Built]:
    """Return what the recipe makes of each item, by the items' keys, as the service freezes them."""
    parts = needing_all(TYPE.consensus_rules, recipe.consensus)
    return _built(recipe, answers, fit(parts, _built(recipe, answers, {})))


def _built(recipe: Recipe, answers: Mapping[str, Mapping[str, dict[str, Any]]], estimates: AllEstimates) -> list[Built]:
    done = dict.fromkeys((worker for people in answers.values() for worker in people), 1)
    builder = Builder(recipe, TYPE, TYPE.cleaning, done, str, estimates)
    items = sorted(((item(name), people) for name, people in answers.items()), key=lambda pair: str(pair[0]["key"]))
    return [
        builder.build(row, [CollectedAnswer(worker, own) for worker, own in sorted(people.items())])
        for row, people in items
    ]


def weather_recipe(**options: Any) -> Recipe:
    thresholds = {"least_assignments": 1, "least_answered": 1}
    return make_recipe(TYPE, ["Weather"], task_settings=SETTINGS, **{**thresholds, **options})


def hash_of(recipe: Recipe, built: Sequence[Built]) -> str:
    digest = ReleaseHash(recipe.to_json())
    for own in built:
        if own.row is not None:
            digest.add(own.row)
    return digest.hexdigest()


def facts_of(recipe: Recipe, built: Sequence[Built]) -> Facts:
    """Return a release of these rows as files describe it."""
    statistics, rows = Statistics(TYPE.release), [own.row for own in built if own.row is not None]
    for own in built:
        statistics.add(own)
    figures: dict[str, Any] = {**statistics.to_json()}
    stored, facet = recipe.to_json(), TYPE.release_by(recipe.consensus)
    return Facts("Weather", 1, hash_of(recipe, built), stored, figures, len(rows), date(2026, 3, 4), facet)
