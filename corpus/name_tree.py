"""The names of an article's entities as a tree of words, in which a text is looked up word by word.

An alias belongs to the entity that has it as canonical name, else as strict alias, else as loose alias. If two entities
have it in the same way, it names neither. "&", "and" and "/" are the same word here. Quotes are ignored, and other
signs may be missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TypeAlias

from corpus.articles import EntityType
from corpus.name_words import SMALL_LAST_WORDS
from corpus.tokens import fold, tokenize

ACRONYM_LENGTH = 5  # a name of up to five capitals is matched in capitals only: "US" is not "us"
JOINERS = ("&", "and", "/")
DASHES = ("-", "–", "‐", "‑")
_ONE_WORD = {key: alike for alike in (JOINERS, DASHES) for key in alike}
QUOTES = frozenset("'\"`“”‘’«»")
SIGNS = frozenset("!*+-")


class NameForm(StrEnum):
    """How a mention names its entity, most certain first. Values are stored: never rename one."""

    NAME = "name"
    ALIAS = "alias"
    TITLED = "titled"
    LOOSE = "loose"


_RANK = {form: rank for rank, form in enumerate(NameForm)}


@dataclass(frozen=True, slots=True)
class Named:
    """The names that a text may use for an entity; `key` is its identity, `loose` are ambiguous names (surnames)."""

    key: str
    type: EntityType
    canonical: str
    strict: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of an entity, with what is needed to decide whether a text mentions it."""

    entity: str | None  # None: several have it, so it names nobody, but it still hides the shorter names inside
    form: NameForm
    type: EntityType
    words: tuple[str, ...]  # as written, to compare capitals
    takes_initial: bool = False  # no middle name is known, so any middle initial fits

    @property
    def is_surname(self) -> bool:
        return self.type is EntityType.PERSON and self.form in {NameForm.LOOSE, NameForm.TITLED}


@dataclass(slots=True)
class NameIndex:
    """One node of the tree of aliases; the root is the index of an article's entities."""

    children: dict[str, NameIndex] = field(default_factory=dict)
    alias: Alias | None = None
    titled: Alias | None = None  # applies after a title
    # Only in the root: "foundations" → ("hale",) → Hale Foundation, for "the Hale and Corvo foundations".
    plurals: dict[str, dict[tuple[str, ...], Alias]] = field(default_factory=dict)


_Keys: TypeAlias = tuple[str, ...]
_Owner: TypeAlias = tuple[NameForm, Named, tuple[str, ...]]


def build_index(named: Iterable[Named]) -> NameIndex:
    """Return the tree of all aliases, each with the entity it names."""
    owners: dict[_Keys, list[_Owner]] = defaultdict(list)
    for entity in named:
        for form, text in _aliases(entity):
            for keys, words in _spellings(text):
                owners[keys].append((form, entity, words))
    root = NameIndex()
    for keys, own in owners.items():
        node = root
        for key in keys:
            node = _child(node, key)
        node.alias, node.titled = _best_alias(own), _titled_alias(own)
        if len(keys) > 1 and keys[-1] in SMALL_LAST_WORDS and keys[-1][-1] != "s":
            root.plurals.setdefault(plural(keys[-1]), {})[keys[:-1]] = node.alias
    return root


def _child(node: NameIndex, key: str) -> NameIndex:
    """Return the child for a word, created if necessary; all joiners share one child, and so do all dashes."""
    child = node.children.get(key)
    if child is None:
        child = NameIndex()
        node.children.update(dict.fromkeys(_ONE_WORD.get(key, (key,)), child))
    return child


def _aliases(entity: Named) -> Iterator[tuple[NameForm, str]]:
    yield NameForm.NAME, entity.canonical
    yield from ((NameForm.ALIAS, alias) for alias in entity.strict)
    yield from ((NameForm.LOOSE, alias) for alias in entity.loose)


def _spellings(text: str) -> Iterator[tuple[_Keys, tuple[str, ...]]]:
    """Yield the keys and words of an alias: as written, initials joined, acronyms spelt out, without signs."""
    tokens = tokenize(text)
    written = tuple(map(tokens.raw, range(len(tokens.keys))))
    words = tuple(word for word in written if word not in QUOTES) or written
    if words:
        yield _keys(words), words
    variants = {*_letter_variants(words), *_sign_variants(words)}
    for variant in variants - {words, ()}:
        yield _keys(variant), variant


def _letter_variants(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not any(len(word) <= 2 or word.isupper() for word in words):
        return
    joined: list[str] = []
    for are_initials, group in groupby(words, key=is_initial):
        run = list(group)
        joined += ["".join(word[0] for word in run)] if are_initials else run
    yield tuple(joined)
    yield tuple(piece for word in words for piece in (word if is_acronym(word) else (word,)))


def _sign_variants(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield "Fizz Pop" and "FizzPop" for "Fizz-Pop", "Yippee" for "Yippee!", "E-Trader" for "E*Trader"."""
    if SIGNS.isdisjoint(words) and "/" not in words:
        return
    yield tuple(word for word in words if word not in SIGNS)
    yield tuple("-" if word in {"*", "/"} else word for word in words)
    glued: list[str] = []
    for word in words:
        if glued and glued[-1][-1] in "-*":
            glued[-1] = glued[-1][:-1] + word
        elif glued and word in {"-", "*"}:
            glued[-1] += word
        else:
            glued.append(word)
    yield tuple(word for word in glued if word not in SIGNS)


def is_initial(word: str) -> bool:
    return word[0].isupper() and len(word.rstrip(".")) == 1


def is_acronym(word: str) -> bool:
    return 1 < len(word) <= ACRONYM_LENGTH and word.isupper() and word.isalpha()


def _keys(words: tuple[str, ...]) -> _Keys:
    keys = (fold(word[:-1] if word[-1] == "." and len(word) > 1 else word) for word in words)
    return tuple(_ONE_WORD[key][0] if key in _ONE_WORD else key for key in keys)


def _best_alias(owners: Sequence[_Owner]) -> Alias:
    best = min((form for form, _, _ in owners), key=_RANK.__getitem__)
    entities = {entity.key: (entity, words) for form, entity, words in owners if form is best}
    entity, words = next(iter(entities.values()))
    key = entity.key if len(entities) == 1 else None
    return Alias(key, best, entity.type, words, takes_initial=_takes_initial(entity, best, words))


def _takes_initial(entity: Named, form: NameForm, words: tuple[str, ...]) -> bool:
    """Return whether a name is the first name and surname of a person whose middle name is unknown."""
    if entity.type is not EntityType.PERSON or form is NameForm.LOOSE or len(words) < 2 or is_initial(words[1]):
        return False
    others = (name.split() for name in (entity.canonical, *entity.strict))
    return not any(len(name) > 2 and name[0] == words[0] and not name[1].startswith(words[1]) for name in others)


def _titled_alias(owners: Sequence[_Owner]) -> Alias | None:
    """Return the alias of the only person with this surname, even if locations and organizations have it too."""
    people = {entity.key: (form, words) for form, entity, words in owners if entity.type is EntityType.PERSON}
    if len(people) != 1:
        return None
    ((key, (form, words)),) = people.items()
    return Alias(key, NameForm.TITLED, EntityType.PERSON, words) if form is NameForm.LOOSE else None


def plural(word: str) -> str:
    """Return the plural of an English noun: "parties", "churches", "banks"."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "sh", "x")) else f"{word}s"
