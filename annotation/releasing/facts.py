"""What is said of a release beside its rows: taken from what is frozen, so that an export repeats itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

from tesa_site.kernel.values import counted

ReleaseRow: TypeAlias = dict[str, Any]
Rows: TypeAlias = Callable[[], Iterator[ReleaseRow]]  # each call begins anew
Tick: TypeAlias = Callable[[int], None]  # told how many rows are done


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
    description: str = ""
    licence: str = ""

    @property
    def slug(self) -> str:
        """A file name that says which release it is."""
        name = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "release"
        return f"{name[:60]}-v{self.version}"

    @property
    def simulated_note(self) -> str:
        """A sentence that says how much of it simulated participants wrote; "" where they wrote nothing."""
        released = self.statistics.get("released", {})
        if not (participants := released.get("simulated_annotators", 0)):
            return ""
        return (
            f"Simulated answers: {counted(participants, 'simulated participant')} (software, not people) gave "
            f"{released['simulated_annotations']:,} of the {counted(released['annotations'], 'annotation')}. "
            "They are marked `simulated` in every row and not counted as people."
        )

    @property
    def title(self) -> str:
        return f"{self.name}, version {self.version}"
