"""Storing what a source delivers, one unit at a time in short transactions; no article is stored twice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from corpus.articles import SourceArticle
from corpus.models import Article, Corpus, ReadProblem, ReadUnit
from corpus.sources import SOURCES
from corpus.sources.base import Problem, Unit
from corpus.sources.sizes import item_bytes, unit_bytes
from kernel.clock import now
from kernel.values import batches, content_hash, counted, storable

CHUNK = 50  # articles per transaction: about 30 ms, so that nobody has to wait for the database
LONGEST_ID = 300
LONGEST_KEY = 1000
MOST_PROBLEMS = 200  # stored for one unit; all are counted
SAME_FIELDS = ("source_id", "title", "headline", "abstract", "lead", "byline", "desk", "published")  # as delivered


@dataclass
class UnitCounts:
    added: int = 0
    known: int = 0
    problems: int = 0

    def __add__(self, other: UnitCounts) -> UnitCounts:
        return UnitCounts(self.added + other.added, self.known + other.known, self.problems + other.problems)

    def sentence(self) -> str:
        text = f"{counted(self.added, 'article')} added"
        text += f", {self.known:,} already there" if self.known else ""
        return text + (f", {self.problems:,} could not be read." if self.problems else ".")


def unit_key(unit: Unit, size: int) -> str:
    """Return the unit's key and size in a form that a database can store: file names may hold any bytes, of any length.

    The size is included so that a file that was replaced or has grown is a new unit and is read again.
    """
    key = f"{unit.key} ({size:,} bytes)".encode("utf-8", "backslashreplace").decode()
    return key if len(key) <= LONGEST_KEY else key[: LONGEST_KEY - 65] + "…" + content_hash(key)


def delete_units_except(corpus: Corpus, keys: Collection[str]) -> None:
    """Delete the rows of units that are no longer in the archive: their files were changed or removed."""
    gone = [pk for pk, key in ReadUnit.objects.filter(corpus=corpus).values_list("pk", "key") if key not in keys]
    ReadUnit.objects.filter(pk__in=gone).delete()


def read_unit(corpus_id: int, unit: Unit, count: Callable[[int, int], None]) -> UnitCounts:
    """Read one unit and store its articles. A unit that was interrupted is read again and adds only what is missing.

    Reports articles and bytes to `count`; the bytes of a unit always add up to `unit_bytes`.
    """
    corpus = Corpus.objects.get(pk=corpus_id)
    counts, problems, left = UnitCounts(), list[Problem](), (whole := unit_bytes(unit))
    for chunk in batches(SOURCES[corpus.source].read(unit), CHUNK):
        articles = [item for item in chunk if isinstance(item, SourceArticle)]
        chunk_problems = [item for item in chunk if isinstance(item, Problem)]
        chunk_problems += _store(corpus, articles, counts)
        counts.problems += len(chunk_problems)
        problems += chunk_problems[: MOST_PROBLEMS - len(problems)]
        size = min(left, sum(map(item_bytes, chunk)))
        left -= size
        count(len(chunk), size)
    count(0, left)
    _close(corpus, unit_key(unit, whole), counts, problems)
    return counts


def _store(corpus: Corpus, articles: list[SourceArticle], counts: UnitCounts) -> list[Problem]:
    """Store the articles that are new; return a problem for each whose id cannot be used."""
    try:
        return _store_once(corpus, articles, counts)
    except IntegrityError:  # another process has just stored one of them: the second try finds it
        return _store_once(corpus, articles, counts)


@transaction.atomic
def _store_once(corpus: Corpus, articles: list[SourceArticle], counts: UnitCounts) -> list[Problem]:
    problems, rows, known = list[Problem](), list[Article](), 0
    ids = [article.source_id for article in articles]
    hashes = dict(Article.objects.filter(corpus=corpus, source_id__in=ids).values_list("source_id", "content_hash"))
    for article in articles:
        digest = article.content_hash()
        if len(article.source_id) > LONGEST_ID:
            problems.append(Problem(article.where, f"its id has more than {LONGEST_ID} characters: skipped"))
        elif article.source_id not in hashes:
            hashes[article.source_id] = digest
            rows.append(_row(corpus, article, digest))
        elif hashes[article.source_id] == digest:
            known += 1
        else:
            problems.append(
                Problem(article.where, f"the id {article.source_id} already belongs to another text: skipped")
            )
    Article.objects.bulk_create(rows)
    counts.added, counts.known = counts.added + len(rows), counts.known + known
    return problems


def _row(corpus: Corpus, article: SourceArticle, digest: str) -> Article:
    return Article(
        **{name: getattr(article, name) for name in SAME_FIELDS},
        corpus=corpus,
        content_hash=digest,
        paragraphs=list(article.paragraphs),
        tags=[tag.to_json() for tag in article.tags],
        where=storable(article.where)[-1200:],
    )


@transaction.atomic
def _close(corpus: Corpus, key: str, counts: UnitCounts, problems: list[Problem]) -> None:
    values = vars(counts) | {"read_at": now()}
    row, _ = ReadUnit.objects.update_or_create(corpus=corpus, key=key, defaults=values)
    row.problem_rows.all().delete()
    ReadProblem.objects.bulk_create(
        ReadProblem(unit=row, where=storable(problem.where)[-1200:], reason=storable(problem.reason)[:500])
        for problem in problems
    )
