"""How far entities have backgrounds."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from corpus.backgrounds.base import BackgroundStatus
from corpus.models import Background, Corpus, Entity


def background_counts(corpus: Corpus) -> dict[str, int]:
    """Return the number of backgrounds by status."""
    rows = Background.objects.filter(entity__corpus=corpus).values_list("status").annotate(n=Count("id")).order_by()
    counts = dict(rows)
    return {status.value: counts[status.value] for status in BackgroundStatus if status.value in counts}


def entities_not_looked_up(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities of instances whose background nobody has looked up."""
    return Entity.objects.filter(corpus=corpus, instances__gt=0, background=None)
