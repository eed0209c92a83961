"""A person's word on an entity: merge, split, retype, rename, accept, discard, and taking any of it back.

A correction changes no entity by itself: the next search applies all that hold (`in_force`), so that entities, mentions
and instances always fit each other. Until then pages say how many corrections wait (`selectors.corrections_waiting`).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from corpus import selectors
from corpus.articles import EntityType
from corpus.corrections import Correction, CorrectionKind
from corpus.models import Corpus, Entity, EntityCorrection
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import Json, storable

LONGEST_NAME = 300
LONGEST_REASON = 500


def in_force(corpus: Corpus) -> list[Correction]:
    """Return what holds, in the order in which it was said."""
    return [
        Correction(CorrectionKind(row.kind), tuple(row.names), tuple(row.into), row.value)
        for row in selectors.corrections_in_force(corpus)
    ]


def names_in_force(corpus: Corpus) -> set[str]:
    """Return the handles that something is said about."""
    return {name for correction in in_force(corpus) for name in (*correction.names, *correction.into)}


def last(corpus: Corpus) -> int:
    """Return the id of the newest correction; 0 when there is none."""
    return EntityCorrection.objects.filter(corpus=corpus).order_by("-id").values_list("id", flat=True).first() or 0


# ---- Saying something -----------------------------------------------------------------------------


def merge(entities: Sequence[Entity], into: Entity, *, reason: str, by: User | None) -> list[EntityCorrection]:
    """Say that these entities are another one; it keeps its name and type."""
    others = [entity for entity in entities if entity.pk != into.pk]
    if not others:
        raise InvalidInput("choose another entity to merge with", field="others")
    if any(entity.corpus_id != into.corpus_id for entity in others):
        raise InvalidInput("entities of two corpora cannot be merged", field="others")
    with transaction.atomic():
        return [
            _say(CorrectionKind.MERGE, entity, reason=reason, by=by, into=_handles(into), value=into.name)
            for entity in others
        ]


def split(entity: Entity, names: Sequence[str], *, reason: str, by: User | None) -> EntityCorrection:
    """Say that some of an entity's index names (by handle) are an entity of their own."""
    own = _handles(entity)
    chosen = sorted(set(names))
    if not chosen or not set(chosen) <= set(own):
        raise InvalidInput("choose one of its index names", field="names")
    if len(chosen) == len(own):
        raise InvalidInput("leave it one index name at least", field="names")
    return _say(CorrectionKind.SPLIT, entity, reason=reason, by=by, names=chosen)


def retype(entity: Entity, type: str, *, reason: str, by: User | None) -> EntityCorrection:
    if type not in list(EntityType) or type == entity.type:
        raise InvalidInput("choose another type: person, location or organization", field="type")
    return _say(CorrectionKind.RETYPE, entity, reason=reason, by=by, value=type)


def rename(entity: Entity, name: str, *, reason: str, by: User | None) -> EntityCorrection:
    name = " ".join(storable(name).split())
    if not any(map(str.isalnum, name)) or len(name) > LONGEST_NAME or name == entity.name:
        raise InvalidInput(f"write another name, of at most {LONGEST_NAME} characters", field="name")
    return _say(CorrectionKind.RENAME, entity, reason=reason, by=by, value=name)


def accept(entity: Entity, *, reason: str, by: User | None) -> EntityCorrection:
    """Say that an entity a pipeline recognized is right as it stands."""
    return _say(CorrectionKind.ACCEPT, entity, reason=reason, by=by)


def discard(entity: Entity, *, reason: str, by: User | None) -> EntityCorrection:
    """Say that this is no entity: it and its instances go with the next search."""
    return _say(CorrectionKind.DISCARD, entity, reason=reason, by=by)


@transaction.atomic
def undo(correction: EntityCorrection, *, reason: str, by: User | None) -> EntityCorrection:
    """Say that an earlier correction no longer holds. To have it again, say it again."""
    if correction.kind == CorrectionKind.UNDO:
        raise WrongState("What was undone is not redone: make the correction again.")
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
        raise WrongState("This correction was undone before.") from error
    _mark_reviewed(correction.corpus, [*correction.names, *correction.into])
    audit.record(f"undo {correction.kind} entity", row, by=by, before=_told(correction), reason=row.reason)
    return row


def _say(
    kind: CorrectionKind,
    entity: Entity,
    *,
    reason: str,
    by: User | None,
    names: Sequence[str] = (),
    into: Sequence[str] = (),
    value: str = "",
) -> EntityCorrection:
    own = list(names) or _handles(entity)
    if not own:
        raise WrongState("No article names this entity any more: there is nothing to correct.")
    with transaction.atomic():
        row = EntityCorrection.objects.create(
            corpus_id=entity.corpus_id,
            kind=kind.value,
            names=own,
            into=list(into),
            value=value,
            entity_name=entity.name,
            entity_type=entity.type,
            reason=_reason(reason),
            made_by=by,
        )
        _mark_reviewed(entity.corpus, [*own, *into])
        before: Json = {"name": entity.name, "type": entity.type, "names": [*_handles(entity)]}
        audit.record(f"{kind.value} entity", entity, by=by, before=before, after=_told(row), reason=row.reason)
    return row


def _reason(text: str) -> str:
    reason = " ".join(storable(text).split())[:LONGEST_REASON]
    if not reason:
        raise InvalidInput("say why, in a few words", field="reason")
    return reason


def _handles(entity: Entity) -> list[str]:
    return sorted(entity.names.values_list("folded", flat=True))


def _mark_reviewed(corpus: Corpus, names: Sequence[str]) -> None:
    """Take entities off the review list, or put them back on it, as soon as something is said."""
    touched = names_in_force(corpus)
    for entity in Entity.objects.filter(corpus=corpus, names__folded__in=names).distinct():
        Entity.objects.filter(pk=entity.pk).update(is_reviewed=bool(touched & set(_handles(entity))))


def _told(row: EntityCorrection) -> dict[str, Json]:
    return {"correction": row.pk, "kind": row.kind, "names": row.names, "into": row.into, "value": row.value}
