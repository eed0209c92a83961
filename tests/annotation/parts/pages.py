"""Pages that exist in tests alone, looked up without a database."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.backgrounds.page_kinds import WHY_NOT, PageKind
from corpus.backgrounds.title_lookup import NamedPage, TitleHit, has_words, key_of, unknown_page

ARDEN = "Arden (town)"
REDIRECTS = {"Old Arden": ARDEN, "Lind": "Ada Lind"}
PAGES = {
    "Ada Lind": "Ada Lind was a pilot.",
    ARDEN: "Arden is a town.",
    "Dun": "Dun is a colour.",
    "Bo": "Bo is a name.",
    "أردن": "أردن مدينة.",
}
LISTS = {"Arden": PageKind.DISAMBIGUATION, "List of towns": PageKind.LIST}


class InventedTitles:
    """A few pages, redirects and lists."""

    def search(self, words: str, limit: int = 10) -> Sequence[TitleHit]:
        asked = key_of(words).split(b" ")
        names = [*PAGES, *REDIRECTS, *LISTS]
        return [self._hit(name) for name in names if words.strip() and has_words(key_of(name), asked)][:limit]

    def named(self, written: Sequence[str]) -> Sequence[NamedPage]:
        return [self._named(text) for text in written]

    def _named(self, text: str) -> NamedPage:
        page = unknown_page(text)
        title = REDIRECTS.get(page.title, page.title)
        if page.why_not or title not in {*PAGES, *LISTS}:
            return page
        why_not = WHY_NOT[LISTS[title]] if title in LISTS else ""
        return NamedPage(title, PAGES.get(title, ""), is_known=True, why_not=why_not)

    def _hit(self, name: str) -> TitleHit:
        page = self._named(name)
        kind = LISTS.get(page.title, PageKind.ARTICLE)
        return TitleHit(page.title, page.opening, kind, name if name != page.title else "", page.why_not)
