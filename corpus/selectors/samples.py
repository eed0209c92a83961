"""Frozen instances: read from a corpus, kept in samples; and what is left to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import PROTECT, Count, ForeignObjectRel, Model, QuerySet

from corpus.articles import EntityType
from corpus.frozen import ACCEPTED, SIZES, FrozenBackground, FrozenInstance, FrozenMention
from corpus.models import Article, Background, Corpus, Entity, Instance, Sample, SampledInstance
from corpus.sampling import Candidate, Draw, Filters, draw
from tesa_site.kernel.errors import WrongState
from tesa_site.kernel.values import canonical_json

PAGE = 250  # instances a query


# ---- Freezing -------------------------------------------------------------------------------------


def to_freeze(found: QuerySet[Instance]) -> QuerySet[Instance]:
    """Return the query with what freezing needs of an article, and not its text."""
    needed = {"id", "source_id", "published"}
    unread = [f"article__{field.name}" for field in Article._meta.concrete_fields if field.name not in needed]
    return found.select_related("article", "corpus").defer(*unread)


def frozen(instances: Sequence[Instance]) -> Iterator[FrozenInstance]:
    """Yield instances of one corpus (see `to_freeze`) as values, with the backgrounds as they are now."""
    if not instances:
        return
    backgrounds = _backgrounds(instances[0].corpus_id, {key for one in instances for key in one.entity_keys})
    for instance in instances:
        yield _frozen(instance, backgrounds)


def _backgrounds(corpus_id: int, keys: Iterable[str]) -> dict[str, FrozenBackground]:
    """Return the accepted backgrounds by entity.

    Asked by the entities' ids alone: with a join, or the status as a condition, SQLite walks through all backgrounds.
    """
    ids = dict(Entity.objects.filter(corpus_id=corpus_id, key__in=keys).order_by().values_list("pk", "key"))
    rows = Background.objects.filter(entity_id__in=ids).defer("reasons", "candidates")
    return {ids[row.entity_id]: _background(row) for row in rows if row.status in ACCEPTED and row.text}


def _background(row: Background) -> FrozenBackground:
    return FrozenBackground(
        title=row.title,
        text=row.text,
        url=row.url,
        licence=row.licence,
        status=row.status,
        source=row.source,
        page_id=row.page_id,
        revision_id=row.revision_id,
        retrieved=row.retrieved,
    )


def _frozen(row: Instance, backgrounds: dict[str, FrozenBackground]) -> FrozenInstance:
    return FrozenInstance(
        key=row.key,
        group=row.group,
        corpus=row.corpus.name,
        article_id=row.article.source_id,
        date=row.article.published,
        entity_type=row.type,
        entities=tuple(row.entity_names),
        kind=row.kind,
        title=row.title,
        context=row.context,
        mentions=tuple(FrozenMention(m["entity"], m["start"], m["end"]) for m in row.mentions),
        backgrounds=tuple(backgrounds.get(key) for key in row.entity_keys),
    )


def frozen_in_pages(found: QuerySet[Instance]) -> Iterator[FrozenInstance]:
    """Yield a query's instances as values in the order of their ids, a page of rows at a time."""
    rows, last = to_freeze(found).order_by("id"), 0
    while page := list(rows.filter(id__gt=last)[:PAGE]):
        yield from frozen(page)
        last = page[-1].pk


def lines(values: Iterable[FrozenInstance]) -> Iterator[str]:
    """Yield each instance as a line of JSON: sorted keys, so that the same values give the same bytes."""
    return (canonical_json(value.to_json()) + "\n" for value in values)


def member_lines(sample: Sample) -> Iterator[str]:
    """Yield a sample's members as lines of JSON; the SHA-256 of them all is the sample's content hash."""
    return (canonical_json(member.value) + "\n" for member in members_in_pages(sample))


def members_in_pages(sample: Sample) -> Iterator[SampledInstance]:
    rows, first = SampledInstance.objects.filter(sample=sample).order_by("position"), 0
    while page := list(rows.filter(position__gte=first)[:PAGE]):
        yield from page
        first = page[-1].position + 1


def told_entities(instance: Instance) -> dict[str, int]:
    """Return the id of each entity's page, by the entity's name."""
    rows = Entity.objects.filter(corpus_id=instance.corpus_id, key__in=instance.entity_keys)
    return dict(rows.values_list("name", "pk"))


# ---- Drawing --------------------------------------------------------------------------------------


def preview(corpus: Corpus, n: int, *, seed: int, filters: Filters) -> Draw:
    """Return what a sample would take now."""
    taken = SampledInstance.objects.order_by()
    return draw(
        _candidates(corpus, filters),
        n,
        seed=seed,
        taken_keys=set(taken.values_list("key", flat=True).iterator()),
        taken_groups=set(taken.values_list("group", flat=True).distinct().iterator()),
    )


def _candidates(corpus: Corpus, filters: Filters) -> Iterator[Candidate]:
    found = Instance.objects.filter(corpus=corpus).order_by()
    found = found.filter(type__in=filters.types) if filters.types else found
    found = found.filter(size__in=filters.sizes) if filters.sizes else found
    found = found.filter(kind__in=filters.kinds) if filters.kinds else found
    if filters.without_background:
        for row in found.values_list("key", "group", "type", "size").iterator(chunk_size=5_000):
            yield Candidate(*row)
        return
    known = _entities_with_background(corpus)
    rows = found.values_list("key", "group", "type", "size", "entity_keys")
    for key, group, type_, size, entities in rows.iterator(chunk_size=5_000):
        if known.issuperset(entities):
            yield Candidate(key, group, type_, size)


def _entities_with_background(corpus: Corpus) -> set[str]:
    rows = Background.objects.filter(entity__corpus=corpus, status__in=[*map(str, ACCEPTED)]).exclude(text="")
    return set(rows.values_list("entity__key", flat=True))


@dataclass(frozen=True)
class TableRow:
    """One type of entity: a number for each size, and their sum."""

    type: str
    cells: tuple[tuple[int, int | None], ...]  # drawn, available; by size
    drawn: int
    available: int | None


def table(drawn: Counter[tuple[str, int]], available: Counter[tuple[str, int]] | None = None) -> list[TableRow]:
    """Return the numbers by type and size, the last row for all types."""
    rows = [(type_.value, [type_.value]) for type_ in EntityType] + [("all", [type_.value for type_ in EntityType])]
    return [_table_row(label, types, drawn, available) for label, types in rows]


def _table_row(
    label: str, types: list[str], drawn: Counter[tuple[str, int]], available: Counter[tuple[str, int]] | None
) -> TableRow:
    def total(counts: Counter[tuple[str, int]], sizes: Iterable[int]) -> int:
        return sum(counts[type_, size] for type_ in types for size in sizes)

    cells = tuple((total(drawn, [size]), total(available, [size]) if available is not None else None) for size in SIZES)
    return TableRow(label, cells, total(drawn, SIZES), total(available, SIZES) if available is not None else None)


# ---- Samples --------------------------------------------------------------------------------------


def samples() -> QuerySet[Sample]:
    """Return the samples, the newest first. One without a content hash is being filled, or was left half full."""
    return Sample.objects.select_related("corpus", "created_by").order_by("-created_at", "-id")


def members(sample: Sample, *, type: str = "", size: int = 0) -> QuerySet[SampledInstance]:
    found = SampledInstance.objects.filter(sample=sample).order_by("position")
    found = found.filter(type=type) if type in list(EntityType) else found
    return found.filter(size=size) if size else found


def by_type_and_size(sample: Sample) -> Counter[tuple[str, int]]:
    rows = SampledInstance.objects.filter(sample=sample).order_by().values_list("type", "size").annotate(n=Count("id"))
    return Counter({(type_, size): n for type_, size, n in rows})


def users_of(sample: Sample) -> list[str]:
    """Return what depends on a sample and keeps it from being deleted, in words; at most a few of each kind.

    Later apps protect what they are built on; this app does not know them by name.
    """
    return _protectors(Sample, [sample.pk]) or _protectors(SampledInstance, sample.members.values("pk"))


def _protectors(model: type[Model], rows: object) -> list[str]:
    found: list[str] = []
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is PROTECT:
            other = relation.field.model
            users = other._default_manager.filter(**{f"{relation.field.name}__in": rows})[:3]
            found += [f"{other._meta.verbose_name} “{user}”" for user in users]
    return found


def refuse_in_use(sample: Sample, what: str) -> None:
    if users := users_of(sample):
        raise WrongState(f"“{sample}” is used by {', '.join(users)}: {what}.")
