"""Looking up titles of the installation's background sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corpus.backgrounds.addresses import NotAPage, WrittenPage, read_page
from corpus.backgrounds.page_kinds import WHY_NOT, PageKind
from corpus.backgrounds.title_lookup import (
    BEHIND,
    LONGEST_QUERY,
    MOST_HITS,
    NamedPage,
    TitleHit,
    beginning_of,
    has_words,
    key_of,
    unknown_page,
)
from corpus.models import PageTitle, TitleWord
from kernel.values import batches, storable

MOST_HOPS = 8  # of redirects
MOST_READ = 500  # titles with one of the words, of which those that have the others are kept
AT_ONCE = 500  # titles in a query


def search_titles(words: str, limit: int = MOST_HITS) -> list[TitleHit]:
    """Return pages whose title begins with these words, then pages whose title has them, each page once."""
    key = key_of(_without_address(storable(words[:LONGEST_QUERY])))
    if not key:
        return []
    rows = [*PageTitle.objects.filter(key__gte=key, key__lt=key + BEHIND).order_by("key", "pk")[: 3 * limit]]
    hits = _hits(rows)
    if len(hits) < limit:
        hits = _hits([*rows, *_with_words(key, 3 * limit)])
    return hits[:limit]


def named_pages(written: Sequence[str]) -> list[NamedPage]:
    """Return the page that each title or address names, in order."""
    read = {text: _read(text) for text in dict.fromkeys(written)}
    titles = {own.title for own in read.values() if own and own.title}
    numbers = {own.page_id for own in read.values() if own and own.page_id is not None}
    rows = _rows_of(titles)
    by_number = {row.page_id: row for row in PageTitle.objects.filter(page_id__in=numbers)} if numbers else {}
    ends = _ends([*rows.values(), *by_number.values()])
    alike = _alike(titles - rows.keys())
    named = {}
    for text, own in read.items():
        row = (by_number.get(own.page_id) or rows.get(own.title)) if own else None
        like = alike.get(own.title) if own else None
        named[text] = _named(row, ends) if row else like or unknown_page(storable(text))
    return [named[text] for text in written]


def _read(text: str) -> WrittenPage | None:
    try:
        return read_page(storable(text))
    except NotAPage:
        return None


def _without_address(words: str) -> str:
    """Return the title in a pasted address, or the words themselves."""
    try:
        return read_page(words).title or words
    except NotAPage:
        return words


def _with_words(key: bytes, most: int) -> list[PageTitle]:
    """Return titles with these words in a row, then titles with all of them, the shortest first."""
    words = key.split(b" ")
    rows = _behind(beginning_of(key), most)
    if len(words) > 1:
        longest = max(words, key=len)
        rows += [row for row in _behind(beginning_of(longest), MOST_READ) if has_words(bytes(row.key), words)]
    return sorted({row.pk: row for row in rows}.values(), key=lambda row: (len(row.key), bytes(row.key)))


def _behind(key: bytes, most: int) -> list[PageTitle]:
    words = TitleWord.objects.filter(key__gte=key, key__lt=key + BEHIND).select_related("title").order_by("key", "pk")
    return [word.title for word in words[:most]]


def _hits(rows: Sequence[PageTitle]) -> list[TitleHit]:
    ends = _ends(rows)
    hits: dict[str, TitleHit] = {}
    for row in rows:
        end = ends[row.title]
        hit = TitleHit(
            end.title,
            end.opening,
            PageKind(end.kind),
            row.title if row.title != end.title else "",
            _why_not(end),
        )
        hits.setdefault(end.title, hit)
    return [*hits.values()]


def _why_not(end: PageTitle) -> str:
    """Return why the page at the end of the redirects cannot be chosen; "" if it can."""
    if end.kind != PageKind.REDIRECT:
        return WHY_NOT.get(PageKind(end.kind), "")
    target, sign, section = end.target.partition("#")
    if sign:
        return f"This title leads to a section of “{target}” ({section}), and a page is meant as a whole."
    return f"This title redirects to “{target}”, where this installation has no page."


def _ends(rows: Iterable[PageTitle]) -> Mapping[str, PageTitle]:
    """Return the row at the end of the redirects of each title: the last one that is there."""
    first = {row.title: row for row in rows}
    ends = dict(first)
    for _ in range(MOST_HOPS):
        waiting = {row.target for row in ends.values() if row.kind == PageKind.REDIRECT}
        if not waiting:
            break
        known = _rows_of(waiting)
        ends = {title: known.get(row.target, row) for title, row in ends.items()}
    return ends


def _rows_of(titles: Iterable[str]) -> dict[str, PageTitle]:
    rows: dict[str, PageTitle] = {}
    for some in batches(sorted(titles), AT_ONCE):
        rows |= {row.title: row for row in PageTitle.objects.filter(title__in=some)}
    return rows


def _alike(titles: Iterable[str]) -> dict[str, NamedPage]:
    """Return the pages of titles that are written a little differently, such as in small letters."""
    keys = {title: key_of(title) for title in titles}
    rows: list[PageTitle] = []
    for some in batches(sorted({*keys.values()}), AT_ONCE):
        rows += PageTitle.objects.filter(key__in=some).order_by("pk")
    ends = _ends(rows)
    alike = {}
    for title, key in keys.items():
        pages = {ends[row.title].title: row for row in rows if bytes(row.key) == key}
        same = {end: row for end, row in pages.items() if row.title.casefold() == title.casefold()} or pages
        if len(same) == 1:
            alike[title] = _named(next(iter(same.values())), ends)
        elif same:
            names = ", ".join(f"“{name}”" for name in sorted(same)[:3])
            alike[title] = NamedPage(title, why_not=f"Several pages are called like “{title}”: write {names}.")
    return alike


def _named(row: PageTitle, ends: Mapping[str, PageTitle]) -> NamedPage:
    end = ends[row.title]
    return NamedPage(end.title, end.opening, is_known=True, why_not=_why_not(end))
