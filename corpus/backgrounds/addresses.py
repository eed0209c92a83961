"""Reading what somebody writes to name a page: its title, or a pasted address of the English Wikipedia in any form."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote_to_bytes, urlsplit

LONGEST_WRITTEN = 2_000  # characters, of an address
LONGEST_TITLE = 300  # characters, as in a dump
LANGUAGE = "en"
_HOST = re.compile(r"(?:(?:www|m)\.)?(?:(?P<language>[a-z][a-z-]{1,11})\.)?(?:(?:www|m)\.)?wikipedia\.org")
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|(?:javascript|vbscript|data|file|mailto|blob):(?=\S)", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}/\S*", re.IGNORECASE)  # "en.wikipedia.org/wiki/Arden"
_PATH = re.compile(r"/(?:wiki|zh-[a-z]+|[a-z]{2}-[a-z]+)/(?P<title>.+)")
_SCRIPT = ("/w/index.php", "/wiki/index.php", "/index.php", "/", "")
_HIGHLIGHT = ":~:"  # browsers add it to a link to words of a page
_FORBIDDEN = re.compile(r"[<>\[\]{}|\x00-\x1f\x7f]")
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")  # directions, which copying adds


class NotAPage(ValueError):
    """Says in a sentence why what somebody wrote names no page."""


@dataclass(frozen=True)
class WrittenPage:
    """A page as somebody named it: by its title, or by its number (`curid`)."""

    title: str = ""
    page_id: int | None = None


def read_page(written: str) -> WrittenPage:
    """Return the page that a title or an address names, or raise NotAPage."""
    if len(written) > LONGEST_WRITTEN:
        raise NotAPage(f"This is longer than {LONGEST_WRITTEN:,} characters: write the title of a page.")
    text = " ".join(_INVISIBLE.sub("", written).split())
    if not text:
        raise NotAPage("Write the title of a page, or paste its address.")
    if _SCHEME.match(text) or _BARE_HOST.fullmatch(text):
        return _of_address(text)
    return WrittenPage(read_title(text))


def read_title(text: str) -> str:
    """Return a title as Wikipedia writes it, or raise NotAPage: blanks for “_”, and a capital first."""
    title, _, section = text.partition("#")
    if section.strip() and title.strip():
        raise NotAPage(f"This leads to a section, and a page is meant as a whole: leave out “#{_shortened(section)}”.")
    title = " ".join(unicodedata.normalize("NFC", _INVISIBLE.sub("", title)).replace("_", " ").split())
    title = title.removeprefix(":").lstrip()
    if not title:
        raise NotAPage("Write the title of a page, or paste its address.")
    if sign := _FORBIDDEN.search(title):
        raise NotAPage(f"No title has a “{sign[0]}”." if sign[0].isprintable() else "No title has such a sign.")
    if len(title) > LONGEST_TITLE:
        raise NotAPage(f"No title is longer than {LONGEST_TITLE} characters.")
    first = title[0].upper()
    return first + title[1:] if len(first) == 1 else title


def _of_address(text: str) -> WrittenPage:
    try:
        address = urlsplit(text if _SCHEME.match(text) else f"//{text}")
        is_plain = address.username is None and address.port in (None, 80, 443)
        host = address.hostname or ""
    except ValueError:
        raise NotAPage("This address cannot be read: write the title of the page.") from None
    known = _HOST.fullmatch(host)
    if address.scheme not in ("", "http", "https") or not is_plain or not known:
        raise NotAPage("This is no address of Wikipedia: write the title of a page, or paste its address there.")
    if (known["language"] or LANGUAGE) not in (LANGUAGE, "www", "m"):
        raise NotAPage(f"This page is of another Wikipedia ({known['language']}): choose one of the English Wikipedia.")
    section = address.fragment.partition(_HIGHLIGHT)[0]
    page = _page_at(address)
    return page if not section else WrittenPage(read_title(f"{page.title or 'X'}#{_decoded(section)}"))


def _page_at(address: SplitResult) -> WrittenPage:
    if address.path in _SCRIPT:
        asked = parse_qs(address.query, errors="replace")
        if title := asked.get("title", [""])[0]:
            return WrittenPage(read_title(title))
        number = asked.get("curid", [""])[0]
        if re.fullmatch("[0-9]{1,18}", number):
            return WrittenPage(page_id=int(number))
    elif place := _PATH.fullmatch(address.path):
        return WrittenPage(read_title(_decoded(place["title"])))
    raise NotAPage("This address leads to no page: write the title of a page.")


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise NotAPage("This address cannot be read: write the title of the page.") from None


def _shortened(text: str) -> str:
    text = " ".join(text.replace("_", " ").split())
    return f"{text[:40]}…" if len(text) > 40 else text
