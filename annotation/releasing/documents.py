"""The dataset card and the datasheet of a release, filled from its frozen facts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.releasing.building import FURTHER_STEPS, STEPS
from annotation.releasing.consensus_words import consensus_note
from annotation.releasing.facts import Facts
from annotation.releasing.recipe import Recipe, task_type_of, trust_note
from annotation.releasing.votes import FIELD, ChosenVotes
from annotation.task_types import type_of
from annotation.task_types.settings import settings_in_words
from corpus.items import ITEM_KINDS
from corpus.items.base import ItemKind
from corpus.names_from import NamesFrom
from kernel.fields import Field
from kernel.markdown import escaped, escaped_paragraphs
from kernel.values import counted, money

NOT_KNOWN = "not recorded"
# Ids of the Hugging Face hub that suit a dataset; any other licence goes by its name.
HUB_LICENCES = frozenset(
    ["apache-2.0", "mit", "cc0-1.0", "odbl", "odc-by", "pddl", "cdla-permissive-2.0", "cdla-sharing-1.0"]
    + [f"cc-{kind}-{version}" for kind in ("by", "by-sa", "by-nc", "by-nc-sa") for version in ("2.0", "3.0", "4.0")]
    + ["cc-by-nd-4.0", "cc-by-nc-nd-4.0", "cc-by-2.5"]
)
YAML_VALUES = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
)  # words that are no texts in YAML
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


# ---- The card -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Splits:
    """What the card says about the parts of a split: sentences, and the lines of each part of each table."""

    about: Sequence[str]
    counts: Mapping[tuple[str, str], int]  # (table, part) → lines

    @property
    def parts(self) -> list[str]:
        return list(dict.fromkeys(part for _, part in self.counts))


def card(facts: Facts, suffix: str, splits: Splits | None = None) -> str:
    """Return README.md with the YAML that `datasets.load_dataset` reads."""
    table, fields = next(iter(facts.tables.items()))
    return f"""---
{_yaml(facts, suffix, splits)}---

# {escaped(facts.title)}
{_simulated(facts)}
{escaped_paragraphs(facts.description) or facts.facet.words.description}

{facts.facet.words.tables}
{_together(facts)}{_untrusted(facts)}
```python
from datasets import load_dataset

{table} = load_dataset("PATH OF THIS FOLDER", "{table}", split="train")
```

`recipe.json` says how it was made, `statistics.json` what it holds, `DATASHEET.md` who made it and how,
`croissant.json` describes it for machines. Content hash: `{facts.content_hash}`.
{_split_lines(facts, splits) if splits else ""}
## Figures{" of the whole release" if splits else ""}

{facts.facet.markdown(facts.statistics)}

## Fields

{_field_lines(fields)}

## Licence

{_licence(facts)} {_owners(facts)}
"""


def _owners(facts: Facts) -> str:
    if not facts.facet.quotes_articles:
        return "The texts keep the licence of where they come from."
    return f"Backgrounds keep their own licences: {_licences(facts)}. Texts of articles belong to their\npublishers."


def _simulated(facts: Facts) -> str:
    """Return the paragraph on simulated answers between two blank lines, or one blank line."""
    return f"\n**{facts.simulated_note}**\n" if facts.simulated_note else ""


def _together(facts: Facts) -> str:
    """Return paragraphs on how answers were brought together and on votes, each followed by a blank line."""
    notes = [note for note in (consensus_note(facts.recipe), _votes(facts.recipe)) if note]
    return "".join(f"\n{note}\n" for note in notes)


def _untrusted(facts: Facts) -> str:
    """Return the card's paragraph on people left out for their trust, and a blank line; "" where nobody asked."""
    return f"\n{note}\n" if (note := trust_note(facts.recipe)) else ""


def _licence_lines(licence: str) -> list[str]:
    """Return the card's lines on the licence: by its id where the hub knows it, else by name."""
    if not licence:
        return []
    if licence.lower() in HUB_LICENCES:
        return [f"license: {licence.lower()}"]
    return ["license: other", f"license_name: {json.dumps(licence, ensure_ascii=False)}"]


def _split_lines(facts: Facts, splits: Splits) -> str:
    tables = facts.tables
    numbers = {part: [f"{splits.counts[table, part]:,}" for table in tables] for part in splits.parts}
    rows = [f"| {part} | {' | '.join(counts)} |" for part, counts in numbers.items()]
    table = "\n".join([f"| part | {' | '.join(tables)} |", f"|---|{'---:|' * len(tables)}", *rows])
    return f"\n## Splits\n\n{' '.join(splits.about)} `split.json` says the same for machines.\n\n{table}\n"


def _data_files(table: str, suffix: str, splits: Splits | None) -> str:
    names = {part: f"{table}-{part}" for part in splits.parts} if splits else {"train": table}
    return "".join(f"\n  - split: {part}\n    path: data/{name}.{suffix}" for part, name in names.items())


def _yaml(facts: Facts, suffix: str, splits: Splits | None) -> str:
    size = next((name for most, name in SIZES if facts.size < most), "n>1M")
    tables = facts.tables
    lines = [
        f"pretty_name: {json.dumps(facts.title, ensure_ascii=False)}",
        *([f"language:\n- {facts.facet.language}"] if facts.facet.language else []),
        *_licence_lines(facts.licence),
        f"size_categories:\n- {size}",
        *(["tags:\n- simulated"] if facts.simulated_note else []),
        "\n- ".join(["task_categories:", *facts.facet.words.hub_tasks]),
        "configs:",
        *(
            f"- config_name: {name}\n  data_files:{_data_files(name, suffix, splits)}"
            + ("" if number else "\n  default: true")
            for number, name in enumerate(tables)
        ),
        "dataset_info:",
        *(f"- config_name: {name}\n  features:\n{_features(fields, 2)}" for name, fields in tables.items()),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _features(fields: Sequence[Field], depth: int) -> str:
    """Return the fields as the card's YAML has them: null-only columns would otherwise get another type each time."""
    pad, lines = " " * depth, []
    for field in fields:
        type_ = "string" if field.type == "date" else field.type
        lines.append(f"{pad}- name: {_yaml_name(field.name)}")
        if field.fields:
            lines.append(f"{pad}  {'list' if field.many else 'struct'}:\n{_features(field.fields, depth + 2)}")
        elif field.classes:
            names = "".join(f"\n{pad}        '{number}': {name}" for number, name in enumerate(field.classes))
            lines.append(
                f"{pad}  {'list' if field.many else 'dtype'}:\n{pad}    class_label:\n{pad}      names:{names}"
            )
        else:
            lines.append(f"{pad}  {'list' if field.many else 'dtype'}: {type_}")
    return "\n".join(lines)


def _yaml_name(name: str) -> str:
    """Return a name as YAML reads it: columns of imported files can be called anything."""
    is_plain = name.isascii() and name.isidentifier() and name.lower() not in YAML_VALUES
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _field_lines(fields: Sequence[Field], depth: int = 0) -> str:
    lines = []
    for field in fields:
        lines.append(f"{'  ' * depth}- {_as_code(field.name)}: {field.about}")
        if field.fields:
            lines.append(_field_lines(field.fields, depth + 1))
    return "\n".join(lines)


def _as_code(name: str) -> str:
    return f"`` {name} ``" if "`" in name else f"`{name}`"


def _licence(facts: Facts) -> str:
    return (
        f"Annotations: {escaped(facts.licence)}."
        if facts.licence
        else "No licence has been chosen for the annotations yet."
    )


def _licences(facts: Facts) -> str:
    licences = _in_order(facts, facts.statistics.get("licences") or {}, sorted)
    return ", ".join(f"{escaped(name)} ({number:,})" for name, number in licences) or "there are none"


def _in_order(facts: Facts, counts: Mapping[str, int], order: Callable[..., Iterable[str]]) -> list[tuple[str, int]]:
    """Return counts in an order of ours. Files of schema 1 follow the stored order, which differs between engines."""
    return [*counts.items()] if facts.schema == 1 else [(name, counts[name]) for name in order(counts)]


# ---- The datasheet --------------------------------------------------------------------------------


def datasheet(facts: Facts) -> str:
    """Return the datasheet: why, what, who, how, at what pay, under which licence."""
    statistics, recipe = facts.statistics, facts.recipe
    campaigns = statistics.get("campaigns") or []
    invented = " Simulated answers are part of these figures." if facts.simulated_note else ""
    rejected_as = "" if facts.schema == 1 else " An answer that cleaning rules rejected counts as none."
    return f"""# Datasheet of {escaped(facts.title)}
{_simulated(facts)}
## Motivation

{escaped_paragraphs(facts.description) or "Not described."}

## Composition

{facts.facet.words.composition}

{facts.facet.markdown(statistics)}
{_names_from(facts)}
People are in it only under pseudonyms that hold for this release alone. No name, account, address or time of work is
part of it.

## Collection

{_task_settings(facts)}{"".join(_campaign(campaign, facts) for campaign in campaigns) or f"Campaigns: {NOT_KNOWN}."}
## Agreement

{facts.facet.words.agreement}{rejected_as} The measures use different {_item(facts).plural}; \
each line says which and how many.{invented}

{_agreement(statistics.get("agreement") or [], facts)}

## Cleaning and filtering

Answers were cleaned by `{recipe["cleaning"]["name"]}` version {recipe["cleaning"]["version"]} \
(`{recipe["cleaning"]["fingerprint"][:12]}`). {_filters(facts)}

{_reviewed(facts)}{_without_answer(facts)}
{_together(facts)}
{_discarded(facts)}

## Distribution

{_licence(facts)} {_whose(facts)}

## Maintenance

Frozen on {facts.frozen_on.isoformat()}, content hash `{facts.content_hash}`. It is never changed; corrections appear as
a new version.
"""


def _whose(facts: Facts) -> str:
    if not facts.facet.quotes_articles:
        return "The texts keep the licence of where they come from: pass the files on only where it allows that."
    return (
        f"Backgrounds: {_licences(facts)}. Texts of articles belong to their publishers; where they may not\n"
        "be passed on, publish the stand-off file, which holds none, and let others rebuild it from their own copy."
    )


def _names_from(facts: Facts) -> str:
    """Return a paragraph on what the names of the instances came from; "" if no instance says."""
    counts = facts.statistics.get("names_from") or {}
    if not counts:
        return ""
    unknown = facts.size - sum(counts.values())
    named = [
        f"from the publisher's tags in {counted(counts.get(NamesFrom.TAGS, 0), 'instance')}",
        f"from recognition by a program in {counts.get(NamesFrom.RECOGNITION, 0):,}",
    ]
    return f"\nNames come {' and '.join(named)}{f'; of {unknown:,} it is not known' if unknown else ''}.\n"


def _task_settings(facts: Facts) -> str:
    """Return what the campaigns chose about the task, and a blank line; "" where there is nothing to choose."""
    chosen = settings_in_words(task_type_of(facts.recipe), facts.recipe.get("task_settings", {}))
    lines = "".join(f"- {escaped(label)}: {escaped(value)}\n" for label, value in chosen)
    return f"The settings of the task:\n\n{lines}\n" if lines else ""


def _campaign(campaign: dict[str, Any], facts: Facts) -> str:
    return f"""### {escaped(campaign["name"])}

- Who: {_who(campaign)}
- Asked: {counted(campaign["redundancy"], "person", "people")} for each {_item(facts).singular}; \
instructions “{escaped(campaign["instructions"])}”, version {campaign["instructions_version"]}
{_before_tasks(campaign)}- Pay: {_pay(campaign)}
- When: {campaign["started_on"] or NOT_KNOWN} to \
{campaign["closed_on"] or f"{facts.frozen_on.isoformat()}, still open then"}
- Consent: {"asked, with the wording kept in the campaign" if campaign["consent"] else NOT_KNOWN}; \
signals of pasting and focus \
{"recorded with consent, not part of the release" if campaign["has_signals"] else "not recorded"}

"""


def _before_tasks(campaign: dict[str, Any]) -> str:
    """Return a line on practice and quiz; "" where they are those of the task type, asked as usual."""
    if "practice" not in campaign:
        return ""
    steps = [counted(campaign["practice"], "practice question")] * bool(campaign["practice"])
    if campaign["quiz_pass"]:
        steps.append(f"a quiz in which {counted(campaign['quiz_pass'], 'answer')} had to be right")
    own = ", written for this campaign" if campaign["has_own_lessons"] else ""
    right = "; all practice had to be answered correctly" if campaign["practice_must_be_right"] else ""
    return f"- Before the first task: {' and '.join(steps) or 'nothing'}{own}{right}\n"


def _who(campaign: dict[str, Any]) -> str:
    people = (
        f"{counted(campaign['people'], 'person', 'people')} through {campaign['provider']}; "
        f"{campaign['excluded']:,} excluded, {campaign['withdrawn']:,} withdrew"
    )
    if not (simulated := campaign.get("simulated", 0)):
        return people
    software = f"{counted(simulated, 'simulated participant')} (software)"
    return f"{people}; and {software}" if campaign["people"] else f"nobody; {software} answered"


def _pay(campaign: dict[str, Any]) -> str:
    if campaign.get("simulated") and not campaign["people"]:
        return "nobody was paid, and times are not reported: all answers are simulated"
    wage = (
        f"{money(Decimal(campaign['hourly_wage']), campaign['currency'])} an hour, all pay by all active time"
        if campaign["hourly_wage"]
        else NOT_KNOWN
    )
    seconds = f"{campaign['median_seconds']} s" if campaign["median_seconds"] is not None else NOT_KNOWN
    return (
        f"{money(Decimal(campaign['reward']), campaign['currency'])} for an answer; actual wage {wage}; half of the "
        f"answers took at most {seconds}"
    )


def _item(facts: Facts) -> ItemKind:
    """Return the kind of the release's items, for its words."""
    return ITEM_KINDS[type_of(Recipe.from_json(facts.recipe)).item_kind]


def _agreement(measures: list[dict[str, Any]], facts: Facts) -> str:
    lines = []
    for measure in measures:
        low, high, value = (measure[name] for name in ("low", "high", "value"))
        between = f" (95% between {low:z.3f} and {high:z.3f})" if low is not None else ""
        result = f"undefined. {measure['why']}" if value is None else f"{value:z.3f}{between}{_over(measure, facts)}"
        of = f" of {measure['of']}" if facts.schema > 2 else ""
        lines.append(f"- {measure['measure']}{of}: {result}")
    return "\n".join(lines) or NOT_KNOWN.capitalize() + "."


def _over(measure: dict[str, Any], facts: Facts) -> str:
    """Return what a measure was computed over; "" for releases frozen before that was kept."""
    if "over" not in measure:
        return ""
    item = _item(facts)
    items, judgements = counted(measure["instances"], item.singular), counted(measure["judgements"], "judgement")
    which = measure["over"].replace("instances", item.plural)  # measures know no kinds of items
    return f", over {which}{': ' if which else ''}{items} and {judgements}"


def _filters(facts: Facts) -> str:
    recipe = facts.recipe
    filters = {entry["filter"]: entry for entry in recipe["filters"]}
    reviews = "Reviewers' verdicts count." if recipe["use_reviews"] else "Reviews were not used."
    simulated = "were asked for" if recipe.get("simulated") else "were left out"
    tasks = counted(filters["workers"]["least_assignments"], "task")
    answers = counted(filters["instances"]["least_answered"], "answer")
    return (
        f"Participants with fewer than {tasks} and {_item(facts).plural} with fewer than {answers} were left out. "
        f"{trust_note(recipe)}{' ' if trust_note(recipe) else ''}{reviews} "
        f"Answers of simulated participants {simulated}.{f' {votes}' if (votes := _votes(recipe)) else ''}"
    )


def _votes(recipe: Mapping[str, Any]) -> str:
    if FIELD not in recipe:
        return ""
    return f"Votes of a follow-up are counted beside the pieces: {ChosenVotes.from_json(recipe[FIELD]).in_words}."


def _reviewed(facts: Facts) -> str:
    counts = facts.statistics.get("reviewed") or {}
    if not any(counts.values()):
        return "No annotation of the release carries a reviewer's verdict."
    return facts.facet.words.reviewed.format(**counts)


def _without_answer(facts: Facts) -> str:
    """Return a paragraph on annotations without an answer; "" for schema 1, which counted the two kinds as one."""
    if facts.schema == 1:
        return ""
    released, facet = facts.statistics["released"], facts.facet
    return (
        f"\n\nBeside the {released['annotations']:,} annotations that answered, {released[facet.nothing_fits]:,} are "
        f"{facet.words.nothing_fits} (`{facet.nothing_fits}`), because the annotator or a reviewer said so, and "
        f"cleaning rules rejected every answer of {released['rejected']:,} more (`rejected`)."
    )


def _discarded(facts: Facts) -> str:
    order = (*STEPS, *FURTHER_STEPS)
    steps = _in_order(facts, facts.statistics["discarded"], lambda counts: sorted(counts, key=order.index))
    return "\n".join(
        ["| left out by | things |", "|---|---:|", *(f"| {step} | {number:,} |" for step, number in steps)]
    )
