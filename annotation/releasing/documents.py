"""What goes with a release for people: its dataset card and its datasheet, filled from the frozen facts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.releasing.facts import Facts
from annotation.releasing.features import TABLES, Field
from annotation.releasing.statistics import PUBLISHED, TYPES
from tesa_site.kernel.markdown import escaped, escaped_paragraphs
from tesa_site.kernel.values import counted

NOT_KNOWN = "not recorded"
NOT_DESCRIBED = "Phrases that name several entities at once."
# Ids of the Hugging Face hub that suit a dataset; any other licence goes by its name.
HUB_LICENCES = frozenset(
    ["apache-2.0", "mit", "cc0-1.0", "odbl", "odc-by", "pddl", "cdla-permissive-2.0", "cdla-sharing-1.0"]
    + [f"cc-{kind}-{version}" for kind in ("by", "by-sa", "by-nc", "by-nc-sa") for version in ("2.0", "3.0", "4.0")]
    + ["cc-by-nd-4.0", "cc-by-nc-nd-4.0", "cc-by-2.5"]
)
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


# ---- The card -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Splits:
    """How the card tells of parts: sentences, and how many lines each part of each table has."""

    about: Sequence[str]
    counts: Mapping[tuple[str, str], int]  # (table, part) → lines

    @property
    def parts(self) -> list[str]:
        return list(dict.fromkeys(part for _, part in self.counts))


def card(facts: Facts, suffix: str, splits: Splits | None = None) -> str:
    """Return README.md with the YAML that `datasets.load_dataset` reads."""
    return f"""---
{_yaml(facts, suffix, splits)}---

# {escaped(facts.title)}
{_simulated(facts)}
{escaped_paragraphs(facts.description) or NOT_DESCRIBED}

Two tables: `instances` (one line for each instance, with its aggregations and annotations) and `annotations` (one line
for each person's annotation).

```python
from datasets import load_dataset

instances = load_dataset("PATH OF THIS FOLDER", "instances", split="train")
```

`recipe.json` says how it was made, `statistics.json` what it holds, `DATASHEET.md` who made it and how,
`croissant.json` describes it for machines. Content hash: `{facts.content_hash}`.
{_split_lines(splits) if splits else ""}
## Figures{" of the whole release" if splits else ""}

{figures(facts.statistics)}

## Fields

{_field_lines(TABLES["instances"])}

## Licence

{_licence(facts)} Backgrounds keep their own licences: {_licences(facts.statistics)}. Texts of articles belong to their
publishers.
"""


def _simulated(facts: Facts) -> str:
    """Return the paragraph on simulated answers between two blank lines, or one blank line."""
    return f"\n**{facts.simulated_note}**\n" if facts.simulated_note else ""


def _licence_lines(licence: str) -> list[str]:
    """Return the card's lines on the licence: by its id where the hub knows it, else by name."""
    if not licence:
        return []
    if licence.lower() in HUB_LICENCES:
        return [f"license: {licence.lower()}"]
    return ["license: other", f"license_name: {json.dumps(licence, ensure_ascii=False)}"]


def _split_lines(splits: Splits) -> str:
    numbers = {part: [f"{splits.counts[table, part]:,}" for table in TABLES] for part in splits.parts}
    rows = [f"| {part} | {' | '.join(found)} |" for part, found in numbers.items()]
    table = "\n".join([f"| part | {' | '.join(TABLES)} |", f"|---|{'---:|' * len(TABLES)}", *rows])
    return f"\n## Splits\n\n{' '.join(splits.about)} `split.json` says the same for machines.\n\n{table}\n"


def _data_files(table: str, suffix: str, splits: Splits | None) -> str:
    names = {part: f"{table}-{part}" for part in splits.parts} if splits else {"train": table}
    return "".join(f"\n  - split: {part}\n    path: data/{name}.{suffix}" for part, name in names.items())


def _yaml(facts: Facts, suffix: str, splits: Splits | None) -> str:
    size = next((name for most, name in SIZES if facts.size < most), "n>1M")
    lines = [
        f"pretty_name: {json.dumps(facts.title, ensure_ascii=False)}",
        "language:\n- en",
        *_licence_lines(facts.licence),
        f"size_categories:\n- {size}",
        *(["tags:\n- simulated"] if facts.simulated_note else []),
        "task_categories:\n- text-generation\n- text-ranking",
        "configs:",
        *(
            f"- config_name: {name}\n  data_files:{_data_files(name, suffix, splits)}"
            + ("\n  default: true" if name == "instances" else "")
            for name in TABLES
        ),
        "dataset_info:",
        *(f"- config_name: {name}\n  features:\n{_features(fields, 2)}" for name, fields in TABLES.items()),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _features(fields: Sequence[Field], depth: int) -> str:
    """Return the fields as the card's YAML has them: null-only columns would otherwise get another type each time."""
    pad, lines = " " * depth, []
    for field in fields:
        type_ = "string" if field.type == "date" else field.type
        lines.append(f"{pad}- name: {field.name}")
        if field.fields:
            lines.append(f"{pad}  list:\n{_features(field.fields, depth + 2)}")
        else:
            lines.append(f"{pad}  {'list' if field.many else 'dtype'}: {type_}")
    return "\n".join(lines)


def _field_lines(fields: Sequence[Field], depth: int = 0) -> str:
    lines = []
    for field in fields:
        lines.append(f"{'  ' * depth}- `{field.name}`: {field.about}")
        if field.fields:
            lines.append(_field_lines(field.fields, depth + 1))
    return "\n".join(lines)


def _licence(facts: Facts) -> str:
    return (
        f"Annotations: {escaped(facts.licence)}."
        if facts.licence
        else "No licence has been chosen for the annotations yet."
    )


def _licences(statistics: dict[str, Any]) -> str:
    found = statistics.get("licences") or {}
    return ", ".join(f"{escaped(name)} ({number:,})" for name, number in found.items()) or "there are none"


def figures(statistics: dict[str, Any]) -> str:
    """Return Table 2 in Markdown, the published dataset's beside ours."""
    lines = ["| | this release | published 2020 |", "|---|---:|---:|"]
    for name, told in (("collected", "collected"), ("released", "released")):
        for what in ("instances", "annotators", "annotations"):
            lines.append(f"| {told} {what} | {statistics[name][what]:,} | {PUBLISHED[name][what]:,} |")
        if statistics[name].get("simulated_annotators"):
            for what in ("simulated_annotators", "simulated_annotations"):
                lines.append(f"| {told} {what.replace('_', ' ')} | {statistics[name][what]:,} | – |")
    for kind in ("tuples", "aggregations"):
        for type_ in ("all", *TYPES):
            ours, theirs = statistics[kind][type_], PUBLISHED[kind][type_]
            lines.append(
                f"| {type_} {kind} (unique) | {ours['total']:,} ({ours['unique']:,}) | {theirs[0]:,} ({theirs[1]:,}) |"
            )
    ours, theirs = statistics["golds_mean"]["all"], PUBLISHED["golds_mean"]["all"]
    return "\n".join([*lines, f"| aggregations per instance | {ours or 0:.2f} | {theirs:.2f} |"])


# ---- The datasheet --------------------------------------------------------------------------------


def datasheet(facts: Facts) -> str:
    """Return the datasheet: why, what, who, how, at what pay, under which licence."""
    statistics, recipe = facts.statistics, facts.recipe
    campaigns = statistics.get("campaigns") or []
    invented = " Simulated answers are part of these figures." if facts.simulated_note else ""
    return f"""# Datasheet of {escaped(facts.title)}
{_simulated(facts)}
## Motivation

{escaped_paragraphs(facts.description) or "Not described."}

## Composition

Each instance is a set of two to six entities of one type with a passage of a news article that mentions them all, what
is told of each entity, and phrases that name them together.

{figures(statistics)}

People are in it only under pseudonyms that hold for this release alone. No name, account, address or time of work is
part of it.

## Collection

{"".join(_campaign(one, facts) for one in campaigns) or f"Campaigns: {NOT_KNOWN}."}
## Agreement

On one question: did the annotator find a phrase, or none? Instances that were left out in the end because too few
people found a phrase are included. The measures use different instances; each line says which and how many.{invented}

{_agreement(statistics.get("agreement") or [])}

## Cleaning and filtering

Answers were cleaned by `{recipe["cleaning"]["name"]}` version {recipe["cleaning"]["version"]} \
(`{recipe["cleaning"]["fingerprint"][:12]}`). {_filters(recipe)}

{_reviewed(statistics)}

{_discarded(statistics)}

## Distribution

{_licence(facts)} Backgrounds: {_licences(statistics)}. Texts of articles belong to their publishers; where they may not
be passed on, publish the stand-off file, which holds none, and let others rebuild it from their own copy.

## Maintenance

Frozen on {facts.frozen_on.isoformat()}, content hash `{facts.content_hash}`. It is never changed; corrections appear as
a new version.
"""


def _campaign(told: dict[str, Any], facts: Facts) -> str:
    return f"""### {escaped(told["name"])}

- Who: {_who(told)}
- Asked: {counted(told["redundancy"], "person", "people")} for each instance; \
instructions “{escaped(told["instructions"])}”, version {told["instructions_version"]}
- Pay: {_pay(told)}
- When: {told["started_on"] or NOT_KNOWN} to {told["closed_on"] or f"{facts.frozen_on.isoformat()}, still open then"}
- Consent: {"asked, with the wording kept in the campaign" if told["consent"] else NOT_KNOWN}; \
signals of pasting and focus \
{"recorded with consent, not part of the release" if told["has_signals"] else "not recorded"}

"""


def _who(told: dict[str, Any]) -> str:
    people = (
        f"{counted(told['people'], 'person', 'people')} through {told['provider']}; {told['excluded']:,} excluded, "
        f"{told['withdrawn']:,} withdrew"
    )
    if not (simulated := told.get("simulated", 0)):
        return people
    software = f"{counted(simulated, 'simulated participant')} (software)"
    return f"{people}; and {software}" if told["people"] else f"nobody; {software} answered"


def _pay(told: dict[str, Any]) -> str:
    if told.get("simulated") and not told["people"]:
        return "nobody was paid, and times are not reported: all answers are simulated"
    wage = (
        f"{told['hourly_wage']} {told['currency']} an hour, all pay by all active time"
        if told["hourly_wage"]
        else NOT_KNOWN
    )
    seconds = f"{told['median_seconds']} s" if told["median_seconds"] is not None else NOT_KNOWN
    return (
        f"{told['reward']} {told['currency']} for an answer; actual wage {wage}; half of the answers took at most "
        f"{seconds}"
    )


def _agreement(measures: list[dict[str, Any]]) -> str:
    lines = []
    for one in measures:
        between = f" (95 % between {one['low']:.3f} and {one['high']:.3f})" if one["low"] is not None else ""
        value = f"undefined. {one['why']}" if one["value"] is None else f"{one['value']:.3f}{between}{_over(one)}"
        lines.append(f"- {one['measure']}: {value}")
    return "\n".join(lines) or NOT_KNOWN.capitalize() + "."


def _over(measure: dict[str, Any]) -> str:
    """Return what a measure was computed over; "" for releases frozen before that was kept."""
    if "over" not in measure:
        return ""
    numbers = f"{counted(measure['instances'], 'instance')} and {counted(measure['judgements'], 'judgement')}"
    return f", over {measure['over']}: {numbers}"


def _filters(recipe: dict[str, Any]) -> str:
    found = {one["filter"]: one for one in recipe["filters"]}
    reviews = "Reviewers' verdicts count." if recipe["use_reviews"] else "Reviews were not used."
    invented = "were asked for" if recipe.get("simulated") else "were left out"
    return (
        f"Participants with fewer than {counted(found['workers']['least_assignments'], 'task')} and instances with "
        f"fewer than {counted(found['instances']['least_answered'], 'answer')} were left out. {reviews} "
        f"Answers of simulated participants {invented}."
    )


def _reviewed(statistics: dict[str, Any]) -> str:
    found = statistics.get("reviewed") or {}
    if not any(found.values()):
        return "No annotation of the release carries a reviewer's verdict."
    return (
        f"Of the annotations of the release, reviewers accepted {found['accept']:,}, put their own words in the place "
        f"of {found['correct']:,} and found {found['not_aggregatable']:,} not aggregatable; `verdict` says which. What "
        "somebody looked at and accepted stays even where a cleaning rule would discard it."
    )


def _discarded(statistics: dict[str, Any]) -> str:
    lines = ["| left out by | things |", "|---|---:|"]
    return "\n".join([*lines, *(f"| {step} | {number:,} |" for step, number in statistics["discarded"].items())])
