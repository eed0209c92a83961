"""What exports say about a release besides its rows. All of it is frozen: exporting again gives the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

from annotation.releasing.describing import Describing
from corpus.frozen import SCHEMA as INSTANCE_SCHEMA
from corpus.frozen import FrozenInstance
from kernel.errors import InvalidInput
from kernel.fields import Fields
from kernel.values import counted

# Of the recipe and the rows of a release. Schema 1 did not tell rejected answers from "nothing fits", schema 2 knows
# phrases alone, and schema 3 has answers of any shape. A new release has the one that its task type names.
READABLE = (1, 2, 3)
OF_INSTANCES = (1, 2)  # whose rows are instances with phrases
ReleaseRow: TypeAlias = dict[str, Any]
Rows: TypeAlias = Callable[[], Iterator[ReleaseRow]]  # each call starts from the first row
Tick: TypeAlias = Callable[[int], None]  # called with the number of rows done


def instance_of(row: Mapping[str, Any]) -> FrozenInstance:
    """Return the instance inside a row of any schema, or raise InvalidInput that names the field."""
    if row.get("schema") not in OF_INSTANCES:
        known = ", ".join(map(str, OF_INSTANCES))
        raise InvalidInput(f"must be one of {known}, which this version reads", field="schema")
    return FrozenInstance.from_json({**row, "schema": INSTANCE_SCHEMA})


@dataclass(frozen=True)
class Facts:
    """A release without its rows."""

    name: str
    version: int
    content_hash: str
    recipe: dict[str, Any]
    statistics: dict[str, Any]
    size: int
    frozen_on: date
    facet: Describing  # of its task type
    description: str = ""
    licence: str = ""

    @property
    def slug(self) -> str:
        """A file name that says which release it is."""
        name = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "release"
        return f"{name[:60]}-v{self.version}"

    @property
    def schema(self) -> int:
        """The schema of its recipe and of its rows."""
        return int(self.recipe["schema"])

    @property
    def tables(self) -> Mapping[str, Fields]:
        """The fields of its tables `instances` and `annotations`."""
        return self.facet.tables(self.schema, self.statistics)

    @property
    def simulated_note(self) -> str:
        """A sentence on how much of it simulated participants wrote; "" if nothing."""
        released = self.statistics.get("released", {})
        if not (participants := released.get("simulated_annotators", 0)):
            return ""
        says = any(field.name == "simulated" for fields in self.tables.values() for field in fields)
        marked = "marked `simulated` in every row and " if says else ""
        return (
            f"Simulated answers: {counted(participants, 'simulated participant')} (software, not people) gave "
            f"{released['simulated_annotations']:,} of the {counted(released['annotations'], 'annotation')}. "
            f"They are {marked}not counted as people."
        )

    @property
    def title(self) -> str:
        return f"{self.name}, version {self.version}"
