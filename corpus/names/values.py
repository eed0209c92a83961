"""A name taken apart, and the text work that all three types of name share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.folding import TYPEWRITER

CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
BRACKETS = re.compile(r"([()])")
EDGES = " ,;:"  # what an index leaves dangling once its brackets are taken out


@dataclass(frozen=True, slots=True)
class Name:
    """One index name, read. Aliases are sorted, never hold the canonical name, and none is both strict and loose.

    Names of one `family` may be one entity: their `detail` (middle names; a company's legal form) decides.
    """

    canonical: str
    type: EntityType
    strict: tuple[str, ...]  # plausible: names this entity and, in one article, hardly ever another ("George Bush")
    loose: tuple[str, ...]  # possible: needs the rest of the article to be sure ("Bush")
    information: tuple[str, ...]  # what the index says beside the name ("Pres", "Mass"), in its order
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
    """Return the Name with its aliases in order and each alias in one place only."""
    plausible = {*strict} - {canonical, ""}
    possible = {*loose} - {canonical, ""} - plausible
    said = tuple(dict.fromkeys(filter(None, information)))
    return Name(canonical, type, tuple(sorted(plausible)), tuple(sorted(possible)), said, family, detail)


def clean(text: str) -> str:
    """Return the text with typewriter quotes and dashes, single spaces, no control characters, in NFC."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(TYPEWRITER))
    if not text.isprintable():
        text = CONTROLS.sub("", text)
    return " ".join(text.split())


def split_brackets(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what stands outside round brackets and what stands inside, group by group.

    A bracket that is never closed runs to the end. A text that is all brackets is a name without them.
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
    """Return the pieces as one text with single spaces and nothing dangling."""
    return " ".join(" ".join(pieces).split()).replace(" ,", ",").strip(EDGES)


def word_set(words: str) -> frozenset[str]:
    """Return the words between spaces: how this package writes its tables."""
    return frozenset(words.split())


def split_commas(text: str) -> list[str]:
    """Return what stands between commas, without empty parts."""
    return [part for part in (part.strip(EDGES) for part in text.split(",")) if part]
