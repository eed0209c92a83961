"""What people corrected about the entities of a corpus, applied whenever its entities are decided anew.

A correction names index names by their handles (corpus/homonyms.py), never rows: it holds for what later articles
bring, and where a name is gone it does nothing. Corrections apply in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from corpus.articles import EntityType


class CorrectionKind(StrEnum):
    """What a person may say about an entity. Values are stored: never rename one."""

    MERGE = "merge"  # it is the entity of `into`, which is called `value`
    SPLIT = "split"  # these of its names are an entity of their own
    RETYPE = "retype"  # it is of type `value`
    RENAME = "rename"  # it is called `value`
    ACCEPT = "accept"  # it is right as it stands
    DISCARD = "discard"  # it is no entity
    UNDO = "undo"  # an earlier correction no longer holds


@dataclass(frozen=True, slots=True)
class Correction:
    kind: CorrectionKind
    names: tuple[str, ...]  # handles of the entity it speaks of
    into: tuple[str, ...] = ()  # handles of the other entity of a merge
    value: str = ""


@dataclass(slots=True)
class Group:
    """Index names that are one entity. Without a name of its own it is called what it is called most."""

    names: set[str]
    type: EntityType
    name: str = ""


def corrected(groups: Iterable[Group], corrections: Iterable[Correction]) -> list[Group]:
    """Return the groups after all corrections; the groups given are changed."""
    known = {name: group for group in groups for name in group.names}
    for correction in corrections:
        found = _groups(known, correction.names)
        if found:
            _apply(correction, found, known)
    return _groups(known, known)


def _groups(known: dict[str, Group], names: Iterable[str]) -> list[Group]:
    return [*{id(known[name]): known[name] for name in names if name in known}.values()]


def _apply(correction: Correction, found: list[Group], known: dict[str, Group]) -> None:
    match correction.kind:
        case CorrectionKind.MERGE:
            targets = _groups(known, correction.into)
            if targets:
                _unite(targets[0], [*targets[1:], *found], known)
                targets[0].name = correction.value or targets[0].name
        case CorrectionKind.SPLIT:
            _split(set(correction.names) & known.keys(), found, known)
        case CorrectionKind.RETYPE:
            for group in found:
                group.type = EntityType(correction.value)
        case CorrectionKind.RENAME:
            for group in found:
                group.name = correction.value
        case CorrectionKind.DISCARD:
            for group in found:
                for name in group.names:
                    del known[name]


def _unite(target: Group, others: Iterable[Group], known: dict[str, Group]) -> None:
    for other in others:
        target.names |= other.names
        known.update(dict.fromkeys(other.names, target))


def _split(names: set[str], found: list[Group], known: dict[str, Group]) -> None:
    """Give the names a group of their own, unless nothing would be left of what they are split from."""
    if not any(group.names - names for group in found):
        return
    own = Group(names, found[0].type)
    for group in found:
        group.names -= names
    known.update(dict.fromkeys(names, own))
