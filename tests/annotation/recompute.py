"""Recomputes a release's figures from an exported file of any format. Uses nothing of the product: run it anywhere.

python recompute.py jsonl|csv|annotations|published|mturk|standoff PATH [recipe.json]
python recompute.py huggingface|datasets FOLDER        ("datasets" reads it by load_dataset, which must be installed)

Prints what the format tells, as JSON in the shape of the release's statistics. With the recipe, or from a folder, which
holds it, also the content hash where all texts are there.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import html
import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TYPES = ("person", "location", "organization")
PLURALS = {"people": "person", "areas": "location", "organizations": "organization"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # before these, tables hold an apostrophe
PEOPLE, ANSWERED, TWICE = "annotators", "annotations", "two_answers"
REJECTED, FOUND_NONE = "rejected", "not_aggregatable"  # two reasons for having no phrase
SIMULATED, BY_SIMULATED = "simulated_annotators", "simulated_annotations"
PHRASES = ("aggregations", "golds", "golds_mean", "answers", "answers_mean")


@dataclass
class Instance:
    """What one instance of a release comes to: the phrases with repetition, and how many each person gave."""

    type: str
    entities: list[str]
    phrases: list[str] = field(default_factory=list)
    people: list[tuple[str, int, bool, bool]] = field(default_factory=list)  # annotator, phrases, simulated, rejected


# ---- Figures --------------------------------------------------------------------------------------


def mean(values: list[int]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def histogram(values: list[int]) -> dict[str, int]:
    return {str(value): values.count(value) for value in sorted(set(values))}


def pair(items: list[Any]) -> dict[str, int]:
    return {"total": len(items), "unique": len(set(items))}


def recompute(instances: list[Instance]) -> dict[str, Any]:
    people = [person for instance in instances for person in instance.people]
    answered = [number for _, number, _, _ in people if number]
    kinds = {"all": instances} | {
        type_: [instance for instance in instances if instance.type == type_] for type_ in TYPES
    }
    phrases = {kind: [phrase for instance in some for phrase in instance.phrases] for kind, some in kinds.items()}
    tuples = {
        kind: [(instance.type, frozenset(instance.entities)) for instance in some] for kind, some in kinds.items()
    }
    golds = {kind: [len(set(instance.phrases)) for instance in some] for kind, some in kinds.items()}
    answers = [len(instance.phrases) for instance in instances]
    sizes = [len(instance.entities) for instance in instances]
    return {
        "released": {
            "instances": len(instances),
            PEOPLE: len({name for name, _, is_simulated, _ in people if not is_simulated}),
            ANSWERED: len(answered),
            REJECTED: sum(is_rejected for *_, is_rejected in people),
            FOUND_NONE: sum(not number and not is_rejected for _, number, _, is_rejected in people),
            TWICE: sum(number > 1 for number in answered),
            SIMULATED: len({name for name, _, is_simulated, _ in people if is_simulated}),
            BY_SIMULATED: sum(number > 0 and is_simulated for _, number, is_simulated, _ in people),
        },
        "tuples": {kind: pair(some) for kind, some in tuples.items()},
        "aggregations": {kind: pair(some) for kind, some in phrases.items()},
        "sizes": histogram(sizes),
        "sizes_mean": mean(sizes),
        "golds": histogram(golds["all"]),
        "golds_mean": {kind: mean(some) for kind, some in golds.items()},
        "answers": histogram(answers),
        "answers_mean": mean(answers),
    }


# ---- Reading each format --------------------------------------------------------------------------


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def plain(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def from_rows(rows: Iterable[dict[str, Any]]) -> list[Instance]:
    instances = []
    for row in rows:
        assert all(
            bool(annotation["cleaned"]) + annotation[REJECTED] + annotation[FOUND_NONE] == 1
            for annotation in row["annotations"]
        )
        phrases = [phrase for annotation in row["annotations"] for phrase in annotation["cleaned"]]
        people = [
            (annotation["annotator"], len(annotation["cleaned"]), annotation["simulated"], annotation[REJECTED])
            for annotation in row["annotations"]
        ]
        instances.append(Instance(row["entity_type"], row["entities"], phrases, people))
    return instances


def from_aggregated(path: Path) -> list[Instance]:
    instances: dict[str, Instance] = {}
    for row in table(path):
        instance = instances.setdefault(row["key"], Instance(row["entity_type"], json.loads(row["entities"])))
        instance.phrases += [plain(row["phrase"])] * int(row["support"])
    return [*instances.values()]


def from_annotations(path: Path) -> list[Instance]:
    instances: dict[str, Instance] = {}
    for row in table(path):
        instance = instances.setdefault(row["key"], Instance(row["entity_type"], json.loads(row["entities"])))
        cleaned = json.loads(row["cleaned"])
        assert bool(cleaned) + int(row[FOUND_NONE]) + int(row[REJECTED]) == 1
        instance.phrases += cleaned
        instance.people.append((row["annotator"], len(cleaned), row["simulated"] == "1", row[REJECTED] == "1"))
    return [*instances.values()]


def from_published(path: Path) -> list[Instance]:
    """The original's columns show phrases with a capital, and name nobody."""
    instances = []
    for row in table(path):
        cells = [value for name, value in row.items() if name.startswith("answer_")]
        by_person = [[phrase.lower() for phrase in ast.literal_eval(cell or "[]")] for cell in cells]
        phrases = [phrase for answers in by_person for phrase in answers]
        flags = [ast.literal_eval(row[name]) for name in ("simulated", REJECTED)]
        people = [("", len(answers), *marks) for answers, *marks in zip(by_person, *flags, strict=False)]
        instances.append(Instance(row["entities_type"], ast.literal_eval(row["entities"]), phrases, people))
    return instances


def from_mturk(path: Path) -> list[Instance]:
    """Only what was typed is there: who answered, not what it was cleaned to, or whether rules rejected it."""
    instances: dict[str, Instance] = {}
    for row in table(path):
        names = [html.unescape(name) for name in re.findall("<th>(.*?)</th>", row["Input.entities"])]
        type_ = PLURALS[row["Input.generic_phrase"].split()[-1]]
        instance = instances.setdefault(row["Input.id_"], Instance(type_, names))
        answered = int(row["Answer.box_impossible.on"] == "false")
        instance.people.append((row["WorkerId"], answered, row["WorkerId"].startswith("sim-"), False))
    return [*instances.values()]


def from_folder(path: Path) -> list[Instance]:
    instances, annotations = lines(path / "data" / "instances.jsonl"), lines(path / "data" / "annotations.jsonl")
    return both_tables(instances, annotations)


def from_datasets(path: Path) -> list[Instance]:
    from datasets import load_dataset  # type: ignore[import-not-found, unused-ignore]

    instances, annotations = (load_dataset(str(path), name, split="train") for name in ("instances", "annotations"))
    return both_tables([*instances], [*annotations])


def both_tables(instances: list[dict[str, Any]], annotations: list[dict[str, Any]]) -> list[Instance]:
    """The table of annotations says the same as the annotations inside the instances."""
    inside = [
        (row["key"], annotation["annotator"], [*annotation["cleaned"]])
        for row in instances
        for annotation in row["annotations"]
    ]
    assert inside == [
        (annotation["key"], annotation["annotator"], [*annotation["cleaned"]]) for annotation in annotations
    ]
    return from_rows(instances)


READERS: dict[str, tuple[Callable[[Path], list[Instance]], tuple[str, ...]]] = {  # and what a format does not tell
    "jsonl": (lambda path: from_rows(lines(path)), ()),
    "csv": (from_aggregated, (PEOPLE, ANSWERED, REJECTED, FOUND_NONE, TWICE, SIMULATED, BY_SIMULATED)),
    "annotations": (from_annotations, ()),
    "published": (from_published, (PEOPLE, SIMULATED)),
    "mturk": (from_mturk, (ANSWERED, REJECTED, BY_SIMULATED, TWICE, *PHRASES)),
    "standoff": (lambda path: from_rows(lines(path)[1:]), ()),
    "huggingface": (from_folder, ()),
    "datasets": (from_datasets, ()),
}


def figures(format_: str, path: Path) -> dict[str, Any]:
    """Return the figures that a file of this format tells."""
    read, untold = READERS[format_]
    recomputed = recompute(read(path))
    recomputed["released"] = {name: value for name, value in recomputed["released"].items() if name not in untold}
    return {name: value for name, value in recomputed.items() if name not in untold}


# ---- The hash -------------------------------------------------------------------------------------


def dumps(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(rows: list[dict[str, Any]], recipe: dict[str, Any]) -> str:
    text = dumps(recipe) + "\n"
    for row in rows:
        people = [{k: v for k, v in annotation.items() if k != "annotator"} for annotation in row["annotations"]]
        text += dumps({**row, "annotations": sorted(people, key=dumps)}) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def hash_of(format_: str, path: Path, recipe: Path | None) -> dict[str, str]:
    if format_ == "huggingface":
        path, recipe = path / "data" / "instances.jsonl", path / "recipe.json"
    elif format_ != "jsonl" or recipe is None:
        return {}
    return {"content_hash": content_hash(lines(path), json.loads(recipe.read_text(encoding="utf-8")))}


if __name__ == "__main__":
    given_format, given_path = sys.argv[1], Path(sys.argv[2])
    given_recipe = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    print(json.dumps(figures(given_format, given_path) | hash_of(given_format, given_path, given_recipe), indent=2))
