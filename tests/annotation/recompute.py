"""Recomputes a release's figures from an exported JSON lines file. Uses nothing of the product: run it anywhere.

python recompute.py release.jsonl [recipe.json]
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any


def dumps(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def mean(values: list[int]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def histogram(values: list[int]) -> dict[str, int]:
    return {str(value): values.count(value) for value in sorted(set(values))}


def pair(items: list[Any]) -> dict[str, int]:
    return {"total": len(items), "unique": len(set(items))}


def content_hash(rows: list[dict[str, Any]], recipe: dict[str, Any]) -> str:
    text = dumps(recipe) + "\n"
    for row in rows:
        people = [{k: v for k, v in one.items() if k != "annotator"} for one in row["annotations"]]
        text += dumps({**row, "annotations": sorted(people, key=dumps)}) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def phrases(row: dict[str, Any]) -> list[str]:
    return [phrase for one in row["annotations"] for phrase in one["cleaned"]]


def recompute(rows: list[dict[str, Any]]) -> dict[str, Any]:
    people = [one for row in rows for one in row["annotations"]]
    answered = [one for one in people if one["cleaned"]]
    kinds = {"all": rows}
    for type_ in ("person", "location", "organization"):
        kinds[type_] = [row for row in rows if row["entity_type"] == type_]
    said = {kind: [phrase for row in some for phrase in phrases(row)] for kind, some in kinds.items()}
    tuples = {kind: [(r["entity_type"], frozenset(r["entities"])) for r in some] for kind, some in kinds.items()}
    golds = {kind: [len(set(phrases(row))) for row in some] for kind, some in kinds.items()}
    answers = [len(phrases(row)) for row in rows]
    sizes = [len(row["entities"]) for row in rows]
    return {
        "released": {
            "instances": len(rows),
            "annotators": len({one["annotator"] for one in people}),
            "annotations": len(answered),
            "not_aggregatable": len(people) - len(answered),
            "two_answers": sum(len(one["cleaned"]) > 1 for one in people),
        },
        "tuples": {kind: pair(some) for kind, some in tuples.items()},
        "aggregations": {kind: pair(some) for kind, some in said.items()},
        "sizes": histogram(sizes),
        "sizes_mean": mean(sizes),
        "golds": histogram(golds["all"]),
        "golds_mean": {kind: mean(some) for kind, some in golds.items()},
        "answers": histogram(answers),
        "answers_mean": mean(answers),
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    figures = recompute(read)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            figures["content_hash"] = content_hash(read, json.load(file))
    print(json.dumps(figures, indent=2))
