"""Entities of a corpus: where they appear, and which may be the same."""

from __future__ import annotations

from django.db.models import QuerySet

from corpus.articles import EntityType
from corpus.highlights import Piece, Span, pieces
from corpus.models import Appearance, Article, Corpus, Entity


def entities_in(corpus: Corpus, *, type: str = "", words: str = "", sort: str = "") -> QuerySet[Entity]:
    """Return the entities of a corpus, those in most articles first; an unknown type or order is ignored."""
    order = [sort] if sort.removeprefix("-") in ("name", "articles", "instances") else []
    entities = Entity.objects.filter(corpus=corpus).order_by(*order, "-articles", "name", "id")
    entities = entities.filter(type=type) if type in list(EntityType) else entities
    return entities.filter(name__icontains=words) if words else entities


def articles_of(entity: Entity) -> QuerySet[Appearance]:
    return Appearance.objects.filter(entity=entity).select_related("article").order_by("article__published", "id")


def passages_of(entity: Entity, most: int = 3) -> list[tuple[Article, list[list[Piece]]]]:
    """Return some articles, each with the first texts (abstract, paragraphs) that mention the entity, marked."""
    passages = []
    for appearance in articles_of(entity)[:most]:
        spans: dict[tuple[str, int], list[Span]] = {}
        for m in appearance.mentions:
            place = (m["part"], m["paragraph"])  # "abstract" comes before "body"
            spans.setdefault(place, []).append(Span(m["start"], m["end"], 0, entity.name))
        article = appearance.article
        texts = {place: article.abstract if place[0] == "abstract" else article.paragraphs[place[1]] for place in spans}
        passages.append((article, [list(pieces(texts[place], spans[place])) for place in sorted(spans)[:most]]))
    return passages


def merge_candidates(entity: Entity, *, words: str = "", most: int = 12) -> QuerySet[Entity]:
    """Return entities that may be the same: their names contain the words, or else the entity's last word."""
    last = entity.name.split()[-1] if entity.name.split() else entity.name
    others = Entity.objects.filter(corpus=entity.corpus_id, name__icontains=words or last).exclude(pk=entity.pk)
    others = others if words else others.filter(type=entity.type)
    return others.order_by("-articles", "name")[:most]
