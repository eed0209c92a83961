"""Corrections to entities: merge, split, retype, rename, accept, discard, and undo.

A correction changes no entity by itself. The next search applies all corrections that have not been undone
(`corrections_to_apply`), so entities, mentions and instances always match. Until then pages show how many
corrections are waiting (`corrections_waiting`).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from corpus.articles import EntityType
from corpus.corrections import CorrectionKind
from corpus.models import Corpus, Entity, EntityCorrection
from corpus.selectors.corrections import corrections_to_apply
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json, storable

LONGEST_NAME = 300
LONGEST_REASON = 500


def merge_entities(entities: Sequence[Entity], into: Entity, *, reason: str, by: User | None) -> list[EntityCorrection]:
    """Merge entities into another one, which keeps its name and type."""
    others = [entity for entity in entities if entity.pk != into.pk]
    if not others:
        raise InvalidInput("choose another entity to merge with", field="others")
    if any(entity.corpus_id != into.corpus_id for entity in others):
        raise InvalidInput("entities of two corpora cannot be merged", field="others")
    with transaction.atomic():
        return [
            _add_correction(CorrectionKind.MERGE, entity, reason=reason, by=by, into=_handles(into), value=into.name)
            for entity in others
        ]


def split_entity(entity: Entity, names: Sequence[str], *, reason: str, by: User | None) -> EntityCorrection:
    """Make some of an entity's index names (by handle) an entity of their own."""
    own = _handles(entity)
    chosen = sorted(set(names))
    if not chosen or not set(chosen) <= set(own):
        raise InvalidInput("choose at least one of its index names", field="names")
    if len(chosen) == len(own):
        raise InvalidInput("leave it at least one index name", field="names")
    return _add_correction(CorrectionKind.SPLIT, entity, reason=reason, by=by, names=chosen)


def retype_entity(entity: Entity, type: str, *, reason: str, by: User | None) -> EntityCorrection:
    if type not in list(EntityType) or type == entity.type:
        raise InvalidInput("choose another type: person, location or organization", field="type")
    return _add_correction(CorrectionKind.RETYPE, entity, reason=reason, by=by, value=type)


def rename_entity(entity: Entity, name: str, *, reason: str, by: User | None) -> EntityCorrection:
    name = " ".join(storable(name).split())
    if not any(map(str.isalnum, name)) or len(name) > LONGEST_NAME or name == entity.name:
        raise InvalidInput(f"write another name, of at most {LONGEST_NAME} characters", field="name")
    return _add_correction(CorrectionKind.RENAME, entity, reason=reason, by=by, value=name)


def accept_entity(entity: Entity, *, reason: str, by: User | None) -> EntityCorrection:
    """Confirm an entity that a pipeline recognized."""
    return _add_correction(CorrectionKind.ACCEPT, entity, reason=reason, by=by)


def discard_entity(entity: Entity, *, reason: str, by: User | None) -> EntityCorrection:
    """Discard something that is not an entity; the next search removes it and its instances."""
    return _add_correction(CorrectionKind.DISCARD, entity, reason=reason, by=by)


@transaction.atomic
def undo_correction(correction: EntityCorrection, *, reason: str, by: User | None) -> EntityCorrection:
    """Undo an earlier correction. An undo cannot be undone: make the correction again."""
    if correction.kind == CorrectionKind.UNDO:
        raise WrongState("An undo cannot be undone: make the correction again.")
    row = EntityCorrection(
        corpus=correction.corpus,
        kind=CorrectionKind.UNDO.value,
        names=correction.names,
        entity_name=correction.entity_name,
        entity_type=correction.entity_type,
        undoes=correction,
        reason=_reason(reason),
        made_by=by,
    )
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise WrongState("This correction has already been undone.") from error
    _mark_reviewed(correction.corpus, [*correction.names, *correction.into])
    audit.record(f"undo {correction.kind} entity", row, by=by, before=_as_json(correction), reason=row.reason)
    return row


def _add_correction(
    kind: CorrectionKind,
    entity: Entity,
    *,
    reason: str,
    by: User | None,
    names: Sequence[str] = (),
    into: Sequence[str] = (),
    value: str = "",
) -> EntityCorrection:
    corrected = list(names) or _handles(entity)
    if not corrected:
        raise WrongState("No article names this entity any more, so there is nothing to correct.")
    with transaction.atomic():
        row = EntityCorrection.objects.create(
            corpus_id=entity.corpus_id,
            kind=kind.value,
            names=corrected,
            into=list(into),
            value=value,
            entity_name=entity.name,
            entity_type=entity.type,
            reason=_reason(reason),
            made_by=by,
        )
        _mark_reviewed(entity.corpus, [*corrected, *into])
        before: Json = {"name": entity.name, "type": entity.type, "names": [*_handles(entity)]}
        audit.record(f"{kind.value} entity", entity, by=by, before=before, after=_as_json(row), reason=row.reason)
    return row


def _reason(text: str) -> str:
    reason = " ".join(storable(text).split())[:LONGEST_REASON]
    if not reason:
        raise InvalidInput("give a reason in a few words", field="reason")
    return reason


def _handles(entity: Entity) -> list[str]:
    return sorted(entity.names.values_list("folded", flat=True))


def _mark_reviewed(corpus: Corpus, names: Sequence[str]) -> None:
    """Take entities off the review list, or put them back on it, as soon as a correction is made or undone."""
    corrected = {handle for correction in corrections_to_apply(corpus) for handle in correction.handles}
    for entity in Entity.objects.filter(corpus=corpus, names__folded__in=names).distinct():
        Entity.objects.filter(pk=entity.pk).update(is_reviewed=bool(corrected & set(_handles(entity))))


def _as_json(row: EntityCorrection) -> dict[str, Json]:
    return {"correction": row.pk, "kind": row.kind, "names": row.names, "into": row.into, "value": row.value}
