"""What can be asked about the answers of an own task: each of its parts names its follow-ups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.parts import PARTS
from annotation.task_types.follow_ups import Context, FollowUpKind
from annotation.task_types.own.html import TITLE


def follow_ups_of(uses: Sequence[Any]) -> Mapping[str, FollowUpKind]:
    """Return the follow-ups of these parts by name."""
    return {kind.name: kind for use in uses for kind in PARTS[use.kind].follow_ups(use.name, use)}


def context_of(task: Any, needed: Sequence[str], names: Collection[str]) -> Context:
    """Return the texts of an item that people read again, with their headings; the item has columns of these names."""
    shown = [(own.text, own.label) for own in task.show]
    rest = [name for name in (needed if shown else names) if name not in dict(shown)]
    headed = [(name, "" if name == TITLE else name.replace("_", " ").capitalize()) for name in rest]
    return [(name, heading) for name, heading in (*shown, *headed) if name in names]
