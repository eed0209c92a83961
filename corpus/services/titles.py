"""Storing titles of pages, so that annotators can look them up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from corpus.backgrounds.base import Page
from corpus.backgrounds.dump_index import fingerprint, read_rows
from corpus.backgrounds.page_kinds import PageKind, kind_of_page
from corpus.backgrounds.rows import MAX_TITLE, DumpRow, page_of
from corpus.backgrounds.title_lookup import key_of, opening_of, word_keys
from corpus.models import Background, Corpus, PageTitle, TitleSource, TitleWord
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.services.bulk import insert_rows
from kernel.values import batches, counted, storable

AT_ONCE = 200  # titles in a transaction, which others wait for
MOST_LOGGED = 20  # lines that cannot be read
LARGEST_AT_ONCE = 100_000_000  # bytes of a dump whose titles are stored with every look-up of backgrounds
OF_CORPORA = "corpora"
WIKIPEDIA = ("wikipedia", "dump")  # sources of backgrounds that are pages; people write others
CHANGING = ("kind", "target", "opening", "page_id")


@dataclass(frozen=True)
class Title:
    """A title to store."""

    title: str
    kind: PageKind
    target: str = ""
    opening: str = ""
    page_id: int | None = None


def load_small_dump(path: Path, progress: Progress) -> None:
    """Store the titles of a dump that has just been looked up in, whose problems were told then.

    Storing takes about a minute for 100,000 titles, so those of a large dump wait until somebody asks for them.
    """
    if path.stat().st_size > LARGEST_AT_ONCE:
        megabytes = LARGEST_AT_ONCE // 1_000_000
        progress.log(
            f"{path.name} has more than {megabytes} MB: manage.py load_titles stores its titles for annotators"
        )
        return
    load_dump(path, progress, tells_problems=False)


def load_dump(path: Path, progress: Progress, *, tells_problems: bool = True) -> int:
    """Store the titles of a dump, unless they are; titles that it had before are deleted. Return how many it has."""
    if not path.is_file():
        raise InvalidInput("file not found", field="path", where=str(path))
    source, _ = TitleSource.objects.get_or_create(name=_name_of(path), defaults={"label": path.name})
    mark, started = fingerprint(path), now()
    if source.fingerprint == mark:
        return source.titles.count()
    TitleSource.objects.filter(pk=source.pk).update(fingerprint="")
    for number, batch in enumerate(batches(_in_dump(path, progress, MOST_LOGGED if tells_problems else None), AT_ONCE)):
        _store(source, batch, started)
        progress.report(number * AT_ONCE, None, f"Storing titles: {number * AT_ONCE:,}")
    if not PageTitle.objects.filter(source=source, loaded_at=started).exists():
        raise InvalidInput("no page could be read from it", field="path", where=str(path))
    _delete_older(source, started)
    TitleSource.objects.filter(pk=source.pk).update(fingerprint=mark, loaded_at=started, label=path.name)
    return source.titles.count()


def forget_dump(path: Path) -> None:
    """Delete the titles of a dump, and sources that have none."""
    for source in TitleSource.objects.filter(name=_name_of(path)):
        _delete_older(source, None)
    TitleSource.objects.filter(titles=None).delete()


def _name_of(path: Path) -> str:
    return hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]


def load_backgrounds(corpus: Corpus) -> int:
    """Store the titles of the pages that a corpus has as backgrounds or candidates; return how many there are."""
    source, _ = TitleSource.objects.get_or_create(name=OF_CORPORA, defaults={"label": "Backgrounds of corpora"})
    done = 0
    for batch in batches(_of_corpus(corpus), AT_ONCE):
        _store(source, batch, now(), replaces=False)
        done += len(batch)
    return done


def _in_dump(path: Path, progress: Progress, most_logged: int | None) -> Iterator[Title]:
    problems = 0
    for number, row in read_rows(path, progress):
        if isinstance(row, DumpRow):
            yield from _of_row(row)
            continue
        problems += 1
        if most_logged and problems <= most_logged:
            progress.log(f"{path.name}:{number}: {row}")
    if most_logged and problems > most_logged:
        progress.log(f"{counted(problems - most_logged, 'more line')} could not be read")


def _of_row(row: DumpRow) -> Iterator[Title]:
    if row.page is None:
        yield Title(row.title, PageKind.REDIRECT, row.target.replace("_", " ")[: 2 * MAX_TITLE])
        return
    yield _of_page(row.page)
    for title in row.redirects:
        if 0 < len(title) <= MAX_TITLE:
            yield Title(title.replace("_", " "), PageKind.REDIRECT, row.title)


def _of_page(page: Page) -> Title:
    kind = kind_of_page(page.title, is_disambiguation=page.is_disambiguation)
    return Title(page.title, kind, "", opening_of(page.text), page.page_id)


def _of_corpus(corpus: Corpus) -> Iterator[Title]:
    chosen = Background.objects.filter(entity__corpus=corpus).order_by("pk")
    for own in chosen.iterator(chunk_size=AT_ONCE):
        if own.source in WIKIPEDIA and own.title:
            yield _of_page(Page(own.title, own.text, page_id=own.page_id))
        for row in own.candidates:
            if row.get("source") in WIKIPEDIA:
                yield _of_page(page_of(row))


@transaction.atomic
def _store(source: TitleSource, titles: Iterable[Title], stamp: datetime, *, replaces: bool = True) -> None:
    """Store new titles and what has changed about others. A redirect never replaces a page."""
    wanted: dict[str, Title] = {}
    for own in titles:
        if own.kind != PageKind.REDIRECT or own.title not in wanted:
            wanted[storable(own.title)] = own
    known = {row.title: row for row in PageTitle.objects.filter(title__in=wanted)}
    new = [_row(own, source, stamp) for title, own in wanted.items() if title not in known]
    stored = PageTitle.objects.bulk_create(new)
    words = [(row.pk, key) for row in stored for key in word_keys(row.title)]
    if words:
        insert_rows(TitleWord, ("title", "key"), words)
    if replaces:
        _replace(source, wanted, known, stamp)


def _replace(source: TitleSource, wanted: Mapping[str, Title], known: Mapping[str, PageTitle], stamp: datetime) -> None:
    changed, seen = [], []
    for title, row in known.items():
        own = wanted[title]
        is_weaker = own.kind == PageKind.REDIRECT != row.kind
        if is_weaker and (row.loaded_at == stamp or row.source_id != source.pk):
            continue
        seen.append(row.pk)
        if any(getattr(row, name) != getattr(own, name) for name in CHANGING):
            for name in CHANGING:
                setattr(row, name, getattr(own, name))
            changed.append(row)
    PageTitle.objects.bulk_update(changed, CHANGING)
    PageTitle.objects.filter(pk__in=seen).update(source=source, loaded_at=stamp)


def _row(own: Title, source: TitleSource, stamp: datetime) -> PageTitle:
    return PageTitle(
        title=storable(own.title),
        key=key_of(own.title),
        kind=own.kind.value,
        target=storable(own.target),
        opening=storable(own.opening),
        page_id=own.page_id,
        source=source,
        loaded_at=stamp,
    )


def _delete_older(source: TitleSource, stamp: datetime | None) -> None:
    """Delete the source's titles that were stored before this moment; None: all of them."""
    titles = PageTitle.objects.filter(source=source).order_by("pk")
    older = titles.filter(loaded_at__lt=stamp) if stamp else titles
    while keys := [*older.values_list("pk", flat=True)[:AT_ONCE]]:
        with transaction.atomic():
            TitleWord.objects.filter(title__in=keys).delete()
            PageTitle.objects.filter(pk__in=keys).delete()
