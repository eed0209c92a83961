"""Corrections that people made to the entities of a corpus, applied by every search.

A correction refers to index names by their handles (corpus/homonyms.py), never to rows. So it also applies to articles
read later, and it has no effect once a name is gone. Corrections apply in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from corpus.articles import EntityType


class CorrectionKind(StrEnum):
    """The corrections a person can make. Values are stored: never rename one."""

    MERGE = "merge"  # it is the same as the entity of `into`, which is named `value`
    SPLIT = "split"  # these of its names are another entity
    RETYPE = "retype"  # its type is `value`
    RENAME = "rename"  # its name is `value`
    ACCEPT = "accept"  # it is right as it is
    DISCARD = "discard"  # it is not an entity
    UNDO = "undo"  # an earlier correction no longer applies


@dataclass(frozen=True, slots=True)
class Correction:
    kind: CorrectionKind
    names: tuple[str, ...]  # handles of the corrected entity
    into: tuple[str, ...] = ()  # handles of the other entity of a merge
    value: str = ""

    @property
    def handles(self) -> tuple[str, ...]:
        return self.names + self.into


@dataclass(slots=True)
class NameGroup:
    """Index names that are one entity. If `name` is empty, the entity gets its most frequent name."""

    names: set[str]
    type: EntityType
    name: str = ""


def corrected(groups: Iterable[NameGroup], corrections: Iterable[Correction]) -> list[NameGroup]:
    """Return the groups after all corrections; changes the groups in place."""
    known = {name: group for group in groups for name in group.names}
    for correction in corrections:
        if own_groups := _groups(known, correction.names):
            _apply(correction, own_groups, known)
    return _groups(known, known)


def _groups(known: dict[str, NameGroup], names: Iterable[str]) -> list[NameGroup]:
    return [*{id(known[name]): known[name] for name in names if name in known}.values()]


def _apply(correction: Correction, groups: list[NameGroup], known: dict[str, NameGroup]) -> None:
    match correction.kind:
        case CorrectionKind.MERGE:
            if targets := _groups(known, correction.into):
                target, *others = targets
                for group in (*others, *groups):
                    target.names |= group.names
                    known.update(dict.fromkeys(group.names, target))
                target.name = correction.value or target.name
        case CorrectionKind.SPLIT:
            _split(set(correction.names) & known.keys(), groups, known)
        case CorrectionKind.RETYPE:
            for group in groups:
                group.type = EntityType(correction.value)
        case CorrectionKind.RENAME:
            for group in groups:
                group.name = correction.value
        case CorrectionKind.DISCARD:
            for group in groups:
                for name in group.names:
                    del known[name]


def _split(names: set[str], groups: list[NameGroup], known: dict[str, NameGroup]) -> None:
    """Move the names to a group of their own, unless that would empty the groups they come from."""
    if not any(group.names - names for group in groups):
        return
    own = NameGroup(names, groups[0].type)
    for group in groups:
        group.names -= names
    known.update(dict.fromkeys(names, own))
