"""Corrections of entities: all, those in force, and those that no search has applied yet."""

from __future__ import annotations

from django.db.models import QuerySet

from corpus.corrections import Correction, CorrectionKind
from corpus.models import Corpus, Entity, EntityCorrection, Finding


def corrections_in(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return the corrections to the entities of a corpus, newest first."""
    rows = EntityCorrection.objects.filter(corpus=corpus)
    return rows.select_related("made_by", "undone_by", "undoes").order_by("-id")


def corrections_in_force(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return the corrections that were not undone, oldest first."""
    rows = EntityCorrection.objects.filter(corpus=corpus, undone_by=None).exclude(kind=CorrectionKind.UNDO)
    return rows.order_by("id")


def corrections_to_apply(corpus: Corpus) -> list[Correction]:
    """Return the same corrections as values, for a search."""
    return [
        Correction(CorrectionKind(row.kind), tuple(row.names), tuple(row.into), row.value)
        for row in corrections_in_force(corpus)
    ]


def last_correction_id(corpus: Corpus) -> int:
    """Return the id of the newest correction; 0 if there is none."""
    return EntityCorrection.objects.filter(corpus=corpus).order_by("-id").values_list("id", flat=True).first() or 0


def corrections_waiting(corpus: Corpus) -> int:
    """Return the number of corrections made since the last search, which entities and instances do not reflect yet."""
    finding = Finding.objects.filter(corpus=corpus).first()
    rows = EntityCorrection.objects.filter(corpus=corpus).exclude(kind=CorrectionKind.ACCEPT)
    rows = rows.exclude(undoes__kind=CorrectionKind.ACCEPT)
    return rows.filter(id__gt=finding.last_correction).count() if finding else 0


def corrections_of(entity: Entity) -> list[EntityCorrection]:
    """Return the corrections of an entity that were not undone, newest first."""
    own = set(entity.names.values_list("folded", flat=True))
    rows = corrections_in_force(entity.corpus).select_related("made_by").reverse()
    return [row for row in rows if own & {*row.names, *row.into}]
