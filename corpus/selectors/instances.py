"""Instances of a corpus."""

from __future__ import annotations

from django.db.models import QuerySet

from corpus.articles import EntityType
from corpus.display import passage
from corpus.frozen import FrozenMention
from corpus.highlights import Piece
from corpus.models import Corpus, Instance


def instances_in(
    corpus: Corpus, *, type: str = "", size: int = 0, names_from: str = "", words: str = ""
) -> QuerySet[Instance]:
    """Return the instances of a corpus; an unknown type and the size 0 are ignored."""
    instances = Instance.objects.filter(corpus=corpus).order_by("id")
    instances = instances.filter(type=type) if type in list(EntityType) else instances
    instances = instances.filter(size=size) if size else instances
    instances = instances.filter(names_from=names_from) if names_from else instances
    return instances.filter(names_text__icontains=words) if words else instances


def instance_pieces(instance: Instance) -> tuple[tuple[Piece, ...], ...]:
    """Return the paragraphs of the passage, split at the mentions."""
    mentions = [FrozenMention(**mention) for mention in instance.mentions]
    return passage(instance.context, mentions, instance.entity_names)
