"""What can be seen in one answer by its words alone: asked by the checks while answering and by the cleaning rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.task_types.aggregation.cleaning import word_lists
from corpus.folding import fold

TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[,;/&+]")
CAPITALS = re.compile(r"\b[A-Z](?:\.?[A-Z])+\b")
SLASH = re.compile(r"/(?!\d)|(?<!\d)/")
PUNCTUATION = frozenset(",;/&+")
COMMA = re.compile(r"(?<=[^\W\d])['\")\]]?\s*[,;]\s*['\"(\[]?\w")
LATIN_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
LONG = 5  # letters: shorter words may have no vowel, or one letter three times
NO_VOWEL = re.compile(r"[^aeiouy]+", re.IGNORECASE)
STUTTER = re.compile(r"([a-z])\1\1", re.IGNORECASE)
KEYBOARD = re.compile(r"asdf|sdfg|dfgh|qwert|zxcv|hjkl", re.IGNORECASE)
NO_ANSWER_OPENINGS = tuple(f"{opening} " for opening in word_lists.NOT_AN_ANSWER_OPENINGS)


@dataclass(frozen=True)
class About:
    """What an answer is about: the entities' names and their common type."""

    entities: tuple[str, ...] = ()
    entity_type: str = ""


NOTHING_KNOWN = About()


@lru_cache(maxsize=2**12)
def tokens(text: str) -> tuple[str, ...]:
    """Return the folded words, without possessive 's, and the separators between listed things."""
    return tuple(token.removesuffix("'s") for token in TOKEN.findall(fold(text)))


def words(text: str) -> tuple[str, ...]:
    """Return the folded words alone."""
    return tuple(token for token in tokens(text) if token not in PUNCTUATION)


def without_opening(spoken: Sequence[str]) -> tuple[str, ...]:
    """Return the words without the determiners and numerals they begin with; the last word always stays.

    Single words are compared in small letters, so the words may be folded or as typed.
    """
    start = 0
    while length := _opening_length(spoken[start:]):
        start += length
    return tuple(spoken[start:])


def _opening_length(spoken: Sequence[str]) -> int:
    """Return how many words to take off: "the" 1, "both of" 2, "couple of" 2, "those accused" and any other 0."""
    first, second = [word.lower() for word in (*spoken[:2], "", "")][:2]
    if _is_numbered_name(spoken):
        return 0
    if first in word_lists.DEMONSTRATIVES and (second in word_lists.HEADED_BY or second.endswith("ed")):
        return 0
    is_opening = first in word_lists.DETERMINERS | word_lists.NUMERALS
    if second == "of" and len(spoken) > 2 and (is_opening or first in word_lists.COLLECTIVES):
        return 2
    return int(len(spoken) > 1 and is_opening)


def _is_numbered_name(spoken: Sequence[str]) -> bool:
    """Say whether the words as typed begin with a name that has a number: "Six Nations", but not "six nations"."""
    is_capital = len(spoken) > 1 and spoken[1].lstrip("\"'(")[:1].isupper()
    return is_capital and " ".join(tokens(" ".join(spoken[:2]))) in word_lists.NUMBERED_NAMES


def is_no_answer(text: str) -> bool:
    """Say whether the text holds no word, or only one of the ways to write "not applicable"."""
    plain = " ".join(re.sub(r"[^\w\s]|_", "", fold(text).replace("/", "")).split())
    opening = " ".join(plain.split()[:5])
    return not plain or plain in word_lists.NOT_AN_ANSWER or f"{opening} ".startswith(NO_ANSWER_OPENINGS)


def has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def is_only_an_article(text: str) -> bool:
    return all(word in word_lists.ARTICLES for word in tokens(text))


def is_pronoun(text: str) -> bool:
    """Say whether the answer only points ("both of them", "these two") or opens as a sentence does ("they lead")."""
    spoken = tokens(text)
    if not spoken or {word for word in spoken if word in word_lists.NOT_PRONOUNS_IN_CAPITALS} & _in_capitals(text):
        return False
    return spoken[0] in word_lists.SUBJECTS or all(word in word_lists.POINTERS for word in spoken)


def is_only_the_type(text: str) -> bool:
    """Say whether nothing but the generic type is named ("the two people mentioned in this article")."""
    spoken = without_opening(words(text))
    return (
        bool(spoken)
        and spoken[0] in word_lists.GENERIC
        and all(word in word_lists.GENERIC | word_lists.MENTIONED for word in spoken[1:])
    )


def has_slash(text: str) -> bool:
    """Say whether a slash parts words; one between digits is a date ("9/11")."""
    return bool(SLASH.search(text))


def has_comma(text: str) -> bool:
    """Say whether a comma or semicolon parts words; one between digits belongs to a number ("1,000 voters")."""
    return bool(COMMA.search(text))


def has_and(text: str) -> bool:
    return bool({"and", "&"} & set(tokens(text)))


def is_too_long(text: str, longest: int) -> bool:
    """Say whether the text has more words than allowed, as a person counts them: between blanks."""
    return sum(any(map(str.isalnum, word)) for word in text.split()) > longest


def is_same(text: str, other: str) -> bool:
    """Say whether two answers differ in nothing but determiner, numeral, case, accents or punctuation."""
    return bool(words(text)) and without_opening(words(text)) == without_opening(words(other))


def is_clause(text: str) -> bool:
    """Say whether a finite verb makes the answer a sentence; after "who", "that", "which" … it belongs to a phrase.

    Only auxiliary verbs are known ("are", "has", "would"): "politicians met" needs a reader.
    """
    spoken = [word.strip(".,;:!?") for word in fold(text).split()]
    verbs = [position for position, word in enumerate(spoken) if word in word_lists.FINITE_VERBS]
    if not verbs or any(word in word_lists.RELATIVES for word in spoken[: verbs[0]]):
        return False
    return not (verbs[0] > 1 and spoken[verbs[0] - 1] in word_lists.PRONOUNS)  # "the countries they have left"


def lists_entities(text: str, about: About) -> bool:
    """Say whether the answer begins by listing two or more of the entities, or is nothing but their names."""
    named: set[int] = set()
    separated = pending = False
    for label in _labels(text, about):
        if isinstance(label, int):
            separated = separated or (pending and bool(named))
            named.add(label)
            pending = False
        elif label in word_lists.SEPARATORS:
            pending = True
        elif label not in word_lists.JOINERS | word_lists.DETERMINERS | word_lists.NUMERALS | word_lists.GENERIC:
            return len(named) >= 2 and separated  # other words follow
    return len(named) >= 2


def named_entities(text: str, about: About) -> tuple[str, ...]:
    """Return the entities whose own name is in the answer. A surname counts where only one of them bears it."""
    labels = _labels(text, about)
    return tuple(name for position, name in enumerate(about.entities) if position in labels)


def is_only_names(text: str, about: About) -> bool:
    """Say whether nothing but entities' names, determiners and joiners is in the answer."""
    labels = _labels(text, about)
    return any(isinstance(label, int) for label in labels) and all(
        isinstance(label, int) or label in word_lists.JOINERS | word_lists.DETERMINERS | word_lists.NUMERALS
        for label in labels
    )


def _in_capitals(text: str) -> set[str]:
    """Return what is written in capitals on purpose: "US lawyers", "U.S." alone, not a word of "THEY LED US"."""
    if text.isupper() and len(words(text)) > 1:
        return set()
    return {match.replace(".", "").casefold() for match in CAPITALS.findall(text)}


def _labels(text: str, about: About) -> list[str | int]:
    """Return the tokens with each name of an entity replaced by the entity's position, longest name first."""
    forms, spoken, labels, at = _forms(about), tokens(text), list[str | int](), 0
    while at < len(spoken):
        label: str | int = spoken[at]
        length = 1
        for form, entity in forms:
            if spoken[at : at + len(form)] == form:
                label, length = entity, len(form)
                break
        if isinstance(label, int) and about.entity_type == "person":
            _drop_title(labels)
        labels.append(label)
        at += length
    return labels


def _drop_title(labels: list[str | int]) -> None:
    """Take the words of a title off the end: a person's name follows ("vice president", "secretary of state")."""
    while labels:
        if labels[-1] in word_lists.TITLES:
            labels.pop()
        elif tuple(labels[-2:]) in word_lists.TITLE_TAILS and len(labels) > 2 and labels[-3] in word_lists.TITLES:
            del labels[-2:]
        else:
            return


@lru_cache(maxsize=2**10)
def _forms(about: About) -> Sequence[tuple[tuple[str, ...], int]]:
    """Return the spellings that name one entity and no other: the full name, a surname, a company without its form.

    The longest come first.
    """
    owners: dict[tuple[str, ...], set[int]] = {}
    for position, name in enumerate(about.entities):
        for form in _forms_of(words(name), about.entity_type):
            owners.setdefault(form, set()).add(position)
    forms = [(form, min(entities)) for form, entities in owners.items() if len(entities) == 1]
    return tuple(sorted(forms, key=lambda form: -len(form[0])))


def _forms_of(name: tuple[str, ...], entity_type: str) -> set[tuple[str, ...]]:
    forms = {name, name[1:] if name[:1] == ("the",) else name}
    if entity_type == "person":
        plain = tuple(word for word in name if word not in word_lists.SUFFIXES)
        forms |= {plain, plain[-1:] if len(plain) > 1 and len(plain[-1]) > 1 else plain}
    if entity_type == "organization" and len(name) > 1 and name[-1] in word_lists.COMPANY_FORMS:
        forms.add(name[:-1])
    return forms - {()}


def nonsense(text: str) -> str:
    """Return a word that nobody means: without a vowel, a letter three times, or along a keyboard's row; else "".

    One letter alone is no phrase either.
    """
    if len(alone := text.strip()) == 1 and alone.isascii() and alone.isalpha():
        return alone
    for word in LATIN_WORD.findall(text):
        is_long = len(word) >= LONG
        is_made_up = KEYBOARD.search(word) or (is_long and (NO_VOWEL.fullmatch(word) or STUTTER.search(word)))
        if is_made_up and not word.isupper():  # MSNBC is meant
            return str(word)
    return ""
