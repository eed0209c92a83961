"""Frozen instances, read from a corpus or from samples, and what is left to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import PROTECT, Count, ForeignObjectRel, Manager, Model, Q, QuerySet

from corpus.articles import EntityType
from corpus.frozen import ACCEPTED, SIZES, FrozenBackground, FrozenInstance, FrozenMention
from corpus.models import Article, Background, Corpus, Entity, Instance, Sample, SampledInstance
from corpus.sampling import Draw, Drawable, SampleFilters, draw
from kernel.models import OPEN_STATUSES, Job
from kernel.values import canonical_json

PAGE = 250  # instances per query


# ---- Freezing -------------------------------------------------------------------------------------


def with_article_data(instances: QuerySet[Instance]) -> QuerySet[Instance]:
    """Return the query with those fields of the article that freezing needs, without its text."""
    needed = {"id", "source_id", "published"}
    unread = [f"article__{field.name}" for field in Article._meta.concrete_fields if field.name not in needed]
    return instances.select_related("article", "corpus").defer(*unread)


def frozen_instances(instances: Sequence[Instance]) -> Iterator[FrozenInstance]:
    """Yield instances of one corpus as values, with their current backgrounds. Query them by `with_article_data`."""
    if not instances:
        return
    backgrounds = _backgrounds(instances[0].corpus_id, {key for row in instances for key in row.entity_keys})
    for instance in instances:
        yield _frozen(instance, backgrounds)


def _backgrounds(corpus_id: int, keys: Iterable[str]) -> dict[str, FrozenBackground]:
    """Return the accepted backgrounds by the key of their entity.

    The query filters by entity ids alone: with a join, or a condition on the status, SQLite scans all backgrounds.
    """
    ids = dict(Entity.objects.filter(corpus_id=corpus_id, key__in=keys).order_by().values_list("pk", "key"))
    rows = Background.objects.filter(entity_id__in=ids).defer("reasons", "candidates")
    return {ids[row.entity_id]: _background(row) for row in rows if row.status in ACCEPTED and row.text}


def _background(row: Background) -> FrozenBackground:
    return FrozenBackground(**{name: getattr(row, name) for name in FrozenBackground.__dataclass_fields__})


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
        mentions=tuple(FrozenMention(**mention) for mention in row.mentions),
        backgrounds=tuple(backgrounds.get(key) for key in row.entity_keys),
        names_from=row.names_from,
    )


def frozen_in_pages(instances: QuerySet[Instance]) -> Iterator[FrozenInstance]:
    """Yield the instances of a query as values in the order of their ids, reading one page of rows at a time."""
    rows, last = with_article_data(instances).order_by("id"), 0
    while page := list(rows.filter(id__gt=last)[:PAGE]):
        yield from frozen_instances(page)
        last = page[-1].pk


def instance_lines(values: Iterable[FrozenInstance]) -> Iterator[str]:
    """Yield each instance as a line of canonical JSON: the same values give the same bytes."""
    return (canonical_json(value.to_json()) + "\n" for value in values)


def member_lines(sample: Sample) -> Iterator[str]:
    """Yield the members of a sample as lines of JSON; the SHA-256 of all lines is the sample's content hash."""
    rows, first = SampledInstance.objects.filter(sample=sample).order_by("position"), 0
    while page := list(rows.filter(position__gte=first)[:PAGE]):
        yield from (canonical_json(member.value) + "\n" for member in page)
        first = page[-1].position + 1


# ---- Drawing --------------------------------------------------------------------------------------


def preview(corpus: Corpus, n: int, *, seed: int, filters: SampleFilters) -> Draw:
    """Return what would be drawn now; nothing is stored."""
    taken = SampledInstance.objects.order_by()
    return draw(
        _candidates(corpus, filters),
        n,
        seed=seed,
        taken_keys=set(taken.values_list("key", flat=True).iterator()),
        taken_groups=set(taken.values_list("group", flat=True).distinct().iterator()),
    )


def _candidates(corpus: Corpus, filters: SampleFilters) -> Iterator[Drawable]:
    allowed = {
        "type__in": filters.types,
        "size__in": filters.sizes,
        "kind__in": filters.kinds,
        "names_from__in": filters.names_from,
    }
    chosen = {field: values for field, values in allowed.items() if values}
    instances = Instance.objects.filter(corpus=corpus, **chosen).order_by()
    if filters.without_background:
        yield from map(Drawable._make, instances.values_list("key", "group", "type", "size").iterator(chunk_size=5_000))
        return
    accepted = Background.objects.filter(entity__corpus=corpus, status__in=[*map(str, ACCEPTED)]).exclude(text="")
    known = set(accepted.values_list("entity__key", flat=True))
    rows = instances.values_list("key", "group", "type", "size", "entity_keys")
    for key, group, type_, size, entities in rows.iterator(chunk_size=5_000):
        if known.issuperset(entities):
            yield Drawable(key, group, type_, size)


@dataclass(frozen=True)
class TableRow:
    """One type of entity: a number for each size, and the total."""

    type: str
    cells: tuple[tuple[int, int], ...]  # drawn, available; by size
    drawn: int
    available: int


def type_size_table(drawn: Counter[tuple[str, int]], available: Counter[tuple[str, int]]) -> list[TableRow]:
    """Return the numbers by type and size; the last row is for all types."""
    table = []
    for label, types in [*((type_.value, [type_]) for type_ in EntityType), ("all", [*EntityType])]:
        cells = tuple((sum(drawn[t, size] for t in types), sum(available[t, size] for t in types)) for size in SIZES)
        table.append(TableRow(label, cells, sum(cell[0] for cell in cells), sum(cell[1] for cell in cells)))
    return table


# ---- Samples --------------------------------------------------------------------------------------


def samples() -> QuerySet[Sample]:
    """Return the samples, newest first. One without a content hash is being filled, or filling it was interrupted."""
    return Sample.objects.select_related("corpus", "created_by").order_by("-created_at", "-id")


def members(sample: Sample, *, type: str = "", size: int = 0, names_from: str = "") -> QuerySet[SampledInstance]:
    members = SampledInstance.objects.filter(sample=sample).order_by("position")
    members = members.filter(type=type) if type in list(EntityType) else members
    members = members.filter(value__names_from=names_from) if names_from else members
    return members.filter(size=size) if size else members


def counts_by_type_and_size(rows: Manager[Any]) -> Counter[tuple[str, int]]:
    """Return the number of instances or members by type and size."""
    counts = rows.order_by().values_list("type", "size").annotate(n=Count("id"))
    return Counter({(type_, size): n for type_, size, n in counts})


def users_of(sample: Sample) -> list[str]:
    """Return, in words, the objects that keep a sample from being deleted; at most three of each kind.

    Apps that build on samples protect them by a foreign key, so this app need not know them by name.
    """
    return _protectors(Sample, [sample.pk]) or _protectors(SampledInstance, sample.members.values("pk"))


def filling(sample: Sample) -> Job | None:
    """Return the open job that fills this sample."""
    ours = Q(kind__in=("draw_sample", "import_instances"), parameters__name=sample.name)
    return Job.objects.filter(ours | Q(parameters__sample=sample.pk), status__in=OPEN_STATUSES).first()


def _protectors(model: type[Model], rows: object) -> list[str]:
    protectors: list[str] = []
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is PROTECT:
            other = relation.field.model
            users = other._default_manager.filter(**{f"{relation.field.name}__in": rows})[:3]
            protectors += [f"{other._meta.verbose_name} “{user}”" for user in users]
    return protectors
