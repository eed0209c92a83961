"""What a page is: an article, which can be chosen, or a page that only leads to others."""

from __future__ import annotations

import re
from enum import StrEnum

from corpus.lexicon import word_set


class PageKind(StrEnum):
    """What stands behind a title. Values are stored: never rename one."""

    ARTICLE = "article"
    REDIRECT = "redirect"  # leads to another title
    DISAMBIGUATION = "disambiguation"
    LIST = "list"
    OTHER = "other"  # of a namespace beside that of articles: files, categories, talk …


WHY_NOT = {
    PageKind.DISAMBIGUATION: "This page only lists pages that are called alike: choose one of those.",
    PageKind.LIST: "This page is a list: choose the page of what is meant.",
    PageKind.OTHER: "This page is no article.",
}
_LIST = re.compile(r"(?:lists?|index|outline|glossary|timeline) of ", re.IGNORECASE)
_LIST_NAMES = ("(list)", "(set index)")
_DISAMBIGUATION = "(disambiguation)"
_NAMESPACES = word_set(
    "book category draft file gadget help image media mediawiki mos module portal special talk template timedtext "
    "topic user wikipedia wp"
)


def kind_of_page(title: str, *, is_disambiguation: bool = False) -> PageKind:
    """Return what a page with this title is; `is_disambiguation` is what its source says."""
    namespace, colon, rest = title.partition(":")
    space = namespace.strip().lower().replace("_", " ").removesuffix(" talk")
    if colon and rest.strip() and space in _NAMESPACES:
        return PageKind.OTHER
    small = title.lower()
    if is_disambiguation or small.endswith(_DISAMBIGUATION):
        return PageKind.DISAMBIGUATION
    return PageKind.LIST if _LIST.match(title) or small.endswith(_LIST_NAMES) else PageKind.ARTICLE
