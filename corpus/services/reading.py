"""Storing what a source delivers: each unit in short transactions, repeatable, never the same article twice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from corpus.articles import SourceArticle
from corpus.models import Article, Corpus, ReadProblem, ReadUnit
from corpus.sources import SOURCES
from corpus.sources.base import Problem, Unit
from corpus.sources.sizes import item_bytes, unit_bytes
from tesa_site.kernel.clock import now
from tesa_site.kernel.values import batches, content_hash, storable

CHUNK = 50  # articles a transaction: some 30 ms, so that nobody waits for the database
LONGEST_ID = 300
LONGEST_KEY = 1000
MOST_PROBLEMS = 200  # rows kept for one unit; the count goes on


@dataclass
class UnitCounts:
    added: int = 0
    known: int = 0
    problems: int = 0

    def __add__(self, other: UnitCounts) -> UnitCounts:
        return UnitCounts(self.added + other.added, self.known + other.known, self.problems + other.problems)

    def tell(self) -> str:
        text = f"{self.added:,} article{'' if self.added == 1 else 's'} added"
        text += f", {self.known:,} were there already" if self.known else ""
        return text + (f", {self.problems:,} could not be read." if self.problems else ".")


def unit_key(unit: Unit, size: int) -> str:
    """Return the unit's key and size as a database can hold them: file names may be of any bytes and length.

    With the size, a file that was replaced or went on growing is another unit, and read again.
    """
    key = f"{unit.key} ({size:,} bytes)".encode("utf-8", "backslashreplace").decode()
    return key if len(key) <= LONGEST_KEY else key[: LONGEST_KEY - 65] + "…" + content_hash(key)


def forget_units_besides(corpus: Corpus, keys: Collection[str]) -> None:
    """Drop the notes on units that are no longer listed: a file that changed is another unit, one that went is gone."""
    gone = [pk for pk, key in ReadUnit.objects.filter(corpus=corpus).values_list("pk", "key") if key not in keys]
    ReadUnit.objects.filter(pk__in=gone).delete()


def done_unit_keys(corpus: Corpus) -> set[str]:
    """Return the units that need not be read again; one with problems is, because somebody may have mended them."""
    return set(ReadUnit.objects.filter(corpus=corpus, problems=0).values_list("key", flat=True))


def read_unit(corpus_id: int, unit: Unit, count: Callable[[int, int], None]) -> UnitCounts:
    """Read one unit and store it. Killed half-way, it is read again from its start and adds only what is missing.

    Counts articles and bytes; the bytes of a whole unit always come to `unit_bytes`.
    """
    corpus = Corpus.objects.get(pk=corpus_id)
    counts, problems, left = UnitCounts(), list[Problem](), (whole := unit_bytes(unit))
    for chunk in batches(SOURCES[corpus.source].read(unit), CHUNK):
        articles = [item for item in chunk if isinstance(item, SourceArticle)]
        found = [item for item in chunk if isinstance(item, Problem)]
        found += _store(corpus, articles, counts)
        counts.problems += len(found)
        problems += found[: MOST_PROBLEMS - len(problems)]
        size = min(left, sum(map(item_bytes, chunk)))
        left -= size
        count(len(chunk), size)
    count(0, left)
    _close(corpus, unit_key(unit, whole), counts, problems)
    return counts


def _store(corpus: Corpus, articles: list[SourceArticle], counts: UnitCounts) -> list[Problem]:
    """Store the articles that are not there yet; return those whose id cannot be used."""
    try:
        return _store_once(corpus, articles, counts)
    except IntegrityError:  # another process stored one of them meanwhile: the second look finds it
        return _store_once(corpus, articles, counts)


@transaction.atomic
def _store_once(corpus: Corpus, articles: list[SourceArticle], counts: UnitCounts) -> list[Problem]:
    problems, rows, known = list[Problem](), list[Article](), 0
    ids = [article.source_id for article in articles]
    hashes = dict(Article.objects.filter(corpus=corpus, source_id__in=ids).values_list("source_id", "content_hash"))
    for article in articles:
        digest = article.content_hash()
        if len(article.source_id) > LONGEST_ID:
            problems.append(Problem(article.where, f"its id has over {LONGEST_ID} characters: left out"))
        elif article.source_id not in hashes:
            hashes[article.source_id] = digest
            rows.append(_row(corpus, article, digest))
        elif hashes[article.source_id] == digest:
            known += 1
        else:
            problems.append(Problem(article.where, f"the id {article.source_id} is taken by another text: left out"))
    Article.objects.bulk_create(rows)
    counts.added, counts.known = counts.added + len(rows), counts.known + known
    return problems


def _row(corpus: Corpus, article: SourceArticle, digest: str) -> Article:
    return Article(
        corpus=corpus,
        source_id=article.source_id,
        content_hash=digest,
        title=article.title,
        headline=article.headline,
        abstract=article.abstract,
        lead=article.lead,
        paragraphs=list(article.paragraphs),
        byline=article.byline,
        desk=article.desk,
        published=article.published,
        tags=[{"text": tag.text, "type": tag.type.value, "origin": tag.origin} for tag in article.tags],
        where=storable(article.where)[-1200:],
    )


@transaction.atomic
def _close(corpus: Corpus, key: str, counts: UnitCounts, problems: list[Problem]) -> None:
    values = {"added": counts.added, "known": counts.known, "problems": counts.problems, "read_at": now()}
    row, _ = ReadUnit.objects.update_or_create(corpus=corpus, key=key, defaults=values)
    row.problem_rows.all().delete()
    ReadProblem.objects.bulk_create(
        ReadProblem(unit=row, where=storable(problem.where)[-1200:], reason=storable(problem.reason)[:500])
        for problem in problems
    )
