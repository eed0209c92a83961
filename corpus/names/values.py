"""The parts of a name, and text functions shared by all three types of names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.folding import TYPEWRITER

CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
BRACKETS = re.compile(r"([()])")
EDGES = " ,;:"  # left over when the brackets of an index name are removed


@dataclass(frozen=True, slots=True)
class Name:
    """A parsed index name. Aliases are sorted, do not include the canonical name, and are either strict or loose.

    Names of one `family` may be one entity, depending on their `detail` (middle names, the legal form of a company).
    """

    canonical: str
    type: EntityType
    strict: tuple[str, ...]  # in one article they hardly ever name another entity ("George Bush")
    loose: tuple[str, ...]  # may name another entity, so the rest of the article decides ("Bush")
    information: tuple[str, ...]  # what the index adds to the name ("Pres", "Mass"), in its order
    family: str
    detail: tuple[str, ...]


def build_name(
    canonical: str,
    type: EntityType,
    *,
    strict: Iterable[str] = (),
    loose: Iterable[str] = (),
    information: Iterable[str] = (),
    family: str,
    detail: tuple[str, ...] = (),
) -> Name:
    """Return the Name with its aliases sorted, each alias either strict or loose."""
    strict = {*strict} - {canonical, ""}
    loose = {*loose} - {canonical, ""} - strict
    information = tuple(dict.fromkeys(filter(None, information)))
    return Name(canonical, type, tuple(sorted(strict)), tuple(sorted(loose)), information, family, detail)


def clean(text: str) -> str:
    """Return the text with typewriter quotes and dashes, single spaces, no control characters, in NFC."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(TYPEWRITER))
    if not text.isprintable():
        text = CONTROLS.sub("", text)
    return " ".join(text.split())


def split_brackets(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text outside round brackets, and the text inside each pair.

    A bracket that is never closed extends to the end. If everything is in brackets, that text is the name.
    """
    if "(" not in text and ")" not in text:
        return text.strip(EDGES), ()
    depth, outside, groups = 0, [""], [""]
    for piece in BRACKETS.split(text):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(depth - 1, 0)
            groups += [""] if depth == 0 else []
        elif depth:
            groups[-1] = f"{groups[-1]} {piece}"
        else:
            outside.append(piece)
    name, inside = tidy(outside), tuple(filter(None, (tidy([group]) for group in groups)))
    return (name, inside) if name else (tidy(inside), ())


def tidy(pieces: Iterable[str]) -> str:
    """Return the pieces as one text with single spaces, without punctuation at the ends."""
    return " ".join(" ".join(pieces).split()).replace(" ,", ",").strip(EDGES)


def split_commas(text: str) -> list[str]:
    """Return the parts between commas, without empty ones."""
    return [part for part in (part.strip(EDGES) for part in text.split(",")) if part]
