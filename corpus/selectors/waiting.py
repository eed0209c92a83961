"""Entities that wait for a person: their background, or a name that only a pipeline found."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from corpus.backgrounds.base import BackgroundStatus
from corpus.models import Corpus, Entity

# Most doubtful first: needs a choice, may have a page after all, needs a glance.
TO_CHECK = (BackgroundStatus.AMBIGUOUS.value, BackgroundStatus.MISSING.value, BackgroundStatus.LIKELY.value)
# What a person should look at: a background that nobody has decided about, a name that only a pipeline knows.
WAITING = {
    "background": Q(background__status__in=TO_CHECK, background__decided_by=None),
    "review": Q(is_recognized=True, is_reviewed=False),
}


def backgrounds_to_check(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities whose background a person should check, those in most instances first."""
    waiting = Entity.objects.filter(WAITING["background"], corpus=corpus)
    return waiting.select_related("background").order_by("-instances", "id")


def entities_to_review(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities that only a pipeline named and nobody has reviewed, those in most articles first."""
    entities = Entity.objects.filter(WAITING["review"], corpus=corpus)
    return entities.order_by("-articles", "-instances", "id")


def entities_waiting(corpora: Sequence[Corpus]) -> dict[str, list[tuple[Corpus, int]]]:
    """Return for each key of WAITING the corpora with entities that wait for a person, with their number."""
    waiting = {}
    for what, waits in WAITING.items():
        rows = Entity.objects.filter(waits, corpus__in=corpora).values_list("corpus").annotate(Count("pk"))
        counts = dict(rows.order_by())
        waiting[what] = [(corpus, counts[corpus.pk]) for corpus in corpora if corpus.pk in counts]
    return waiting
