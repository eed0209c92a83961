"""Reads of frozen releases: rows, facts, files, differences, and what uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core.files import File
from django.core.files.storage import default_storage
from django.db.models import PROTECT, IntegerField, Max, QuerySet
from django.db.models.fields.json import KT
from django.db.models.fields.related import ForeignObjectRel
from django.db.models.functions import Cast

from annotation.models import Release, ReleaseDiscard, ReleaseExport, ReleaseItem, RetiredVersion
from annotation.releasing.facts import Facts, ReleaseRow
from annotation.releasing.hashing import shared_digest_of
from annotation.task_types import type_of
from annotation.task_types.base import item_key
from annotation.task_types.consensus_rules import stored_rules
from corpus.contexts import PARAGRAPH_BREAK, ContextKind
from corpus.models import Article, Corpus, SampledInstance
from kernel.errors import InvalidInput, NotFound, WrongState


def releases() -> QuerySet[Release]:
    """Return all releases; `simulated` counts the simulated participants of each, None where nobody counted."""
    rows = Release.objects.select_related("created_by").defer("statistics")
    return rows.annotate(simulated=Cast(KT("statistics__released__simulated_annotators"), IntegerField()))


def newest(name: str, version: int | None = None) -> Release:
    """Return the finished release of this name: its newest version, or the one asked for."""
    finished = Release.objects.filter(name=name).exclude(content_hash="").order_by("-version")
    release = (finished.filter(version=version) if version else finished).first()
    if release is None:
        known = ", ".join(map(str, Release.objects.exclude(content_hash="").order_by("name", "version"))) or "none"
        raise InvalidInput(f"there is no such release; known: {known}", field="release")
    return release


def last_version(name: str) -> int:
    """Return the highest version this name ever had, deleted ones included; 0 where there was none."""
    queries = (model.objects.filter(name=name) for model in (Release, RetiredVersion))
    return max(rows.aggregate(last=Max("version"))["last"] or 0 for rows in queries)


def retired() -> QuerySet[RetiredVersion]:
    """Return the deleted releases whose numbers are not used again."""
    return RetiredVersion.objects.order_by("name", "version")


def values_in_pages(release: Release, page: int = 1000) -> Iterator[ReleaseRow]:
    """Yield all rows in order: what exports are made of."""
    rows, first = ReleaseItem.objects.filter(release=release).order_by("position"), 0
    while some := list(rows.filter(position__range=(first, first + page - 1)).values_list("value", flat=True)):
        yield from some
        first += page


def facts_of(release: Release) -> Facts:
    """Return a finished release as exports describe it."""
    if not release.content_hash or release.frozen_at is None:
        raise WrongState(f"“{release}” is not frozen yet: wait for its job, or retry it.")
    return Facts(
        name=release.name,
        version=release.version,
        content_hash=release.content_hash,
        recipe=release.recipe,
        statistics=release.statistics,
        size=release.size,
        frozen_on=release.frozen_at.date(),
        facet=type_of(release).release_by(stored_rules(release.recipe)),
        description=release.description,
        licence=release.licence,
    )


def stored_file(release_id: int, format_: str) -> tuple[File[bytes], str]:
    """Return an open file that was made of a release, and its name; raises NotFound if there is none."""
    export = ReleaseExport.objects.filter(release=release_id, format=format_).first()
    if export is None:
        raise NotFound("There is no such file: export the release first.")
    try:
        return default_storage.open(export.file), export.file.rpartition("/")[2]
    except FileNotFoundError as error:
        raise NotFound("The file is gone: export it again.") from error


class ContextPlaces:
    """Says where rows' contexts begin in their articles, if a corpus of that name still holds them unchanged."""

    def __init__(self) -> None:
        self.corpora: dict[str, int] = dict(Corpus.objects.values_list("name", "pk"))

    def __call__(self, rows: Sequence[ReleaseRow]) -> list[int | None]:
        """Return a place, or None, for each of a few hundred rows: one query for each corpus among them."""
        asked: dict[int, set[str]] = {}
        for row in rows:
            if row["corpus"] in self.corpora:
                asked.setdefault(self.corpora[row["corpus"]], set()).add(row["article_id"])
        texts: dict[tuple[int | None, str], tuple[str, str]] = {}
        for corpus, ids in asked.items():
            articles = Article.objects.filter(corpus=corpus, source_id__in=ids)
            for id_, abstract, paragraphs in articles.values_list("source_id", "abstract", "paragraphs").order_by():
                texts[corpus, id_] = abstract, PARAGRAPH_BREAK.join(paragraphs)
        return [_place(row, texts.get((self.corpora.get(row["corpus"]), row["article_id"]))) for row in rows]


def _place(row: ReleaseRow, texts: tuple[str, str] | None) -> int | None:
    if texts is None:
        return None
    start = texts[0 if row["kind"] == ContextKind.ABSTRACT else 1].find(row["context"])
    return None if start < 0 else start


def discards(release: Release, step: str = "") -> QuerySet[ReleaseDiscard]:
    rows = ReleaseDiscard.objects.filter(release=release).order_by("position")
    return rows.filter(step=step) if step else rows


def seen_at(release: Release, keys: Sequence[str]) -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """Return where instances can be seen: their positions in the release, else (sample, position) of a campaign."""
    kept = dict(ReleaseItem.objects.filter(release=release, key__in=keys).values_list("key", "position"))
    others = {key: item_key(key) for key in keys if key not in kept}
    rows = SampledInstance.objects.filter(sample__campaigns__releases=release, key__in=set(others.values()))
    seen = {key: (sample, position) for key, sample, position in rows.values_list("key", "sample_id", "position")}
    return kept, {key: seen[item] for key, item in others.items() if item in seen}


def items(release: Release, *, category: str = "", size: int = 0) -> QuerySet[ReleaseItem]:
    rows = ReleaseItem.objects.filter(release=release).order_by("position")
    rows = rows.filter(type=category) if category else rows
    return rows.filter(size=size) if size else rows


@dataclass(frozen=True)
class ReleaseDifference:
    """Which instances only one of two releases holds, and of which they say something else; by key."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    same: int


def difference(before: Release, after: Release) -> ReleaseDifference:
    """Compare two releases; those of two schemas by what both can say."""
    is_shared = before.recipe["schema"] != after.recipe["schema"]
    old, new = (_digests(release, is_shared=is_shared) for release in (before, after))
    changed = tuple(sorted(key for key in old.keys() & new.keys() if old[key] != new[key]))
    return ReleaseDifference(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=changed,
        same=len(old.keys() & new.keys()) - len(changed),
    )


def _digests(release: Release, *, is_shared: bool) -> dict[str, str]:
    if not is_shared:
        return dict(release.items.order_by().values_list("key", "digest"))
    nothing_fits = type_of(release).release.nothing_fits
    return {row["key"]: shared_digest_of(row, nothing_fits) for row in values_in_pages(release)}


def by_key(release: Release, keys: Sequence[str]) -> dict[str, ReleaseItem]:
    return {item.key: item for item in release.items.filter(key__in=keys)}


NAMED = 3  # of each kind; more are counted


@dataclass(frozen=True)
class Usage:
    """Something that is built on a release, in words; `address` is its page, or nothing."""

    label: str
    address: str = ""

    def __str__(self) -> str:
        return self.label


def users_of(release: Release) -> list[Usage]:
    """Return what keeps a release from being deleted: later apps protect what they are built on. Three of each kind."""
    usages: list[Usage] = []
    for relation in Release._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is PROTECT:
            other = relation.field.model
            users = other._default_manager.filter(**{relation.field.name: release})
            for user in users[:NAMED]:
                address = getattr(user, "get_absolute_url", str)()
                usages.append(Usage(f"{other._meta.verbose_name} “{user}”", address))
            if (more := users.count() - NAMED) > 0:
                usages.append(Usage(f"{more:,} more {other._meta.verbose_name_plural}"))
    return usages
