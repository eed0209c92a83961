"""Whether a sample holds an item already, be it under another title or from another source."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform

from annotation.task_types.base import TaskType
from corpus.items import ITEM_KINDS
from corpus.items.rows import ROWS
from corpus.models import Sample, SampledInstance

BATCH = 2_000
MOST_MARKS = 60  # of items that are looked for in the database
LETTERS = re.compile("[A-Za-z]{6,}")  # longer than true and false, which JSON does not write as words


def places_held(sample: Sample, items: Sequence[Any], type_: TaskType) -> set[int]:
    """Return the places of those items that a sample holds, or of which people read the same words in it.

    An item of the same overlap group counts too. The sample is read once, its passages alone; of a few items, the
    database chooses the rows that may be the same.
    """
    if not items:
        return set()
    kind, names = ITEM_KINDS[type_.item_kind], type_.texts_read
    at: dict[tuple[str, str], set[int]] = {}
    for place, item in enumerate(items):
        passage = item.to_json()[kind.passage_field]
        words = kind.wording(passage if isinstance(passage, str) else json.dumps(passage), names)
        for mark in (("key", item.key), ("group", item.group), ("words", words)):
            at.setdefault(mark, set()).add(place)
    held: set[int] = set()
    passages = SampledInstance.objects.annotate(passage=KeyTextTransform(kind.passage_field, "value"))
    rows = passages.filter(_may_be(at), sample=sample).order_by()
    values = rows.values_list("key", "group", "passage")
    for key, group, stored in values.iterator(chunk_size=BATCH):
        for mark in (("key", key), ("group", group), ("words", kind.wording(stored, names) if stored else "")):
            held |= at.get(mark, set())
    return held


def _may_be(marks: Collection[tuple[str, str]]) -> Q:
    """Return what rows have that may be one of the items: its key, its group, or the longest of its plain words.

    Plain letters stand in JSON as they are. Where an item has no such word, every row may be it.
    """
    condition = Q()
    for field, value in marks if len(marks) <= MOST_MARKS else ():
        if field != "words":
            condition |= Q(**{field: value})
        elif runs := LETTERS.findall(value):
            condition |= Q(passage__contains=max(runs, key=len))
        else:
            return Q()
    return condition


def has_column(sample: Sample, name: str) -> bool:
    """Tell whether any row of a sample has a column of this name."""
    rows = SampledInstance.objects.filter(sample=sample, sample__item_kind=ROWS.name)
    return rows.filter(value__columns__has_key=name).exists()
