"""Names that share their last word: "the Hale and Corvo foundations" mentions two foundations."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.lexicon import OPENERS
from corpus.name_tree import Alias, NameForm, NameIndex
from corpus.surroundings import is_capital
from corpus.tokens import Tokens

_CONJUNCTIONS = frozenset({"and", "or", "&"})
_BETWEEN = _CONJUNCTIONS | {","}


def coordinated(index: NameIndex, tokens: Tokens) -> Iterator[tuple[int, int, Alias]]:
    """Yield the first token, last token and alias of each name that shares the last word of a later name.

    An unknown name directly before the plural gets an alias without an entity, so that no surname is found there.
    """
    if index.plurals.keys().isdisjoint(tokens.keys):
        return
    for number, key in enumerate(tokens.keys):
        heads = index.plurals.get(key)
        if heads is None:
            continue
        parts = _parts(tokens, number)
        names = [(first, last, heads.get(tuple(tokens.keys[first : last + 1]))) for first, last in parts]
        if len(parts) > 1 and any(alias is not None for _, _, alias in names):
            for first, last, alias in names:
                if alias is not None:
                    yield first, last, Alias(alias.entity, NameForm.ALIAS, alias.type, alias.words)
                elif last == number - 1:
                    yield first, last, Alias(None, NameForm.LOOSE, next(iter(heads.values())).type, ())


def _parts(tokens: Tokens, plural: int) -> list[tuple[int, int]]:
    """Return the (first, last) tokens of each name listed before a plural; only one if no "and" joins them."""
    parts: list[tuple[int, int]] = []
    at = end = plural
    has_conjunction = False
    while at > 0:
        at -= 1
        key = tokens.keys[at]
        if key in _BETWEEN:
            parts += [(at + 1, end - 1)] if at + 1 < end else []
            end = at
            has_conjunction |= key in _CONJUNCTIONS
        elif not is_capital(tokens, at) or key in OPENERS:
            at += 1
            break
    parts += [(at, end - 1)] if at < end else []
    return parts if has_conjunction else parts[:1]
