"""Recognizing names in articles without tags, with a trained spaCy pipeline.

Nothing is ever downloaded: the pipeline is an installed package or a folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.article_tags import RECOGNIZED
from corpus.articles import EntityType, Tag
from corpus.folding import fold
from corpus.homonyms import PLACES
from corpus.lexicon import DAYS, TITLES, word_set
from corpus.name_words import GROUP_WORDS, ORDINARY_WORDS
from corpus.names import parse_name
from corpus.names.casing import SMALL_WORDS
from kernel.errors import InvalidInput
from kernel.spacy_pipelines import DEFAULT, DEFAULT_REQUIREMENT, folder_of

if TYPE_CHECKING:
    from spacy.language import Language

TYPES = {
    "PERSON": EntityType.PERSON,
    "PER": EntityType.PERSON,
    "GPE": EntityType.LOCATION,
    "LOC": EntityType.LOCATION,
    "ORG": EntityType.ORGANIZATION,
}
# Parts that a statistical recognizer does not use; a rule-based one may.
NOT_NEEDED = ("parser", "senter", "tagger", "morphologizer", "attribute_ruler", "lemmatizer", "textcat")
LONGEST_TEXT = 50_000  # characters that are read of a paragraph
LONGEST_NAME = 100
ENDINGS = ".!?:;\"”’'…"  # what may precede the first word of a sentence
FIRST_PERSON = re.compile(r"I(['’]\w+)?\W*")  # "I", "I’m"
# Abbreviations as common as the name. Each must be an alias of the name (`names/locations.py`).
ABBREVIATED = {
    "US": "United States", "U.S.": "United States", "UK": "United Kingdom", "U.K.": "United Kingdom",
}  # fmt: skip
ORG = EntityType.ORGANIZATION
COMMON = GROUP_WORDS | {"corps"}  # alone they are short for the body in whose name they come first or last
NATIONAL = ("us", "uk", "un", "united states", "united nations")  # "Capitol Police" beside "The U.S. Capitol Police"
NAMED_DAYS = word_set("ash bad black bloody cyber easter fat good green holy palm red super whit")  # Black Friday
DIRECTIONS = word_set("north south east west northern southern eastern western central")
# The last words of companies' names without a legal form: their first words alone may name the same company.
FIRMS = word_set("""
    airlines airways associates bank brothers chemicals church college communications electronics energy enterprises
    entertainment
    financial foods group holding holdings industries insurance international media mining motor motors oil partners
    party university petroleum pharmaceuticals pictures records resources software steel stores systems technologies
    technology telecom
    """)
POSSESSIVES = ("'s", "’s", "'", "’")
SETTING = "TESA_SPACY_PIPELINE"
RULES = 2  # the version of the rules below: names recognized by earlier ones are recognized again


@dataclass(frozen=True)
class RecognizedName:
    """A span of a text, with the name in it without titles and the like."""

    start: int
    end: int
    type: EntityType
    name: str


def check(name: str) -> None:
    """Raise InvalidInput if there is no such pipeline; the pipeline is not loaded."""
    if folder_of(name) is None:
        if name == DEFAULT:
            problem = f"the English pipeline is not installed: pip install {DEFAULT_REQUIREMENT}"
        else:
            problem = f"no spaCy pipeline {name!r} is installed: install it, give its folder, or unset the variable"
        raise InvalidInput(problem, field=SETTING)


def load(name: str) -> Language:
    """Load a pipeline without the parts that recognition does not need; raise InvalidInput if it recognizes no names.

    It takes about 150 MB, so only `recognition_process` and the benchmark call this.
    """
    import spacy

    check(name)
    try:
        nlp = spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise InvalidInput(f"the spaCy pipeline {name!r} cannot be loaded ({error})", field=SETTING) from error
    naming = [pipe for pipe in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(pipe).assigns]
    if not naming:
        raise InvalidInput(f"the spaCy pipeline {name!r} recognizes no names", field=SETTING)
    if all(nlp.get_pipe_meta(pipe).factory == "ner" for pipe in naming):
        nlp.select_pipes(disable=[pipe for pipe in nlp.pipe_names if pipe in NOT_NEEDED])
    return nlp


def may_hold_names(texts: Iterable[str]) -> bool:
    """Return whether a word inside a sentence, other than "I", begins with a capital letter. Needs no pipeline."""
    for text in texts:
        for before, word in pairwise(text.split()):
            start = word.lstrip("\"'“‘([")
            if start[:1].isupper() and before[-1] not in ENDINGS and not FIRST_PERSON.fullmatch(start):
                return True
    return False


def recognize(nlp: Language, articles: Sequence[Sequence[str]]) -> list[tuple[Tag, ...]]:
    """Return the names in the texts of each article, in order of first mention, each with its most frequent type."""
    texts = [(text, number) for number, texts in enumerate(articles) for text in texts]
    names: list[list[tuple[str, EntityType]]] = [[] for _ in articles]
    for (_, number), spans in zip(texts, find_spans(nlp, [text for text, _ in texts]), strict=True):
        names[number] += [(span.name, span.type) for span in spans]
    return [tags_of(own) for own in names]


def find_spans(nlp: Language, texts: Iterable[str]) -> Iterator[list[RecognizedName]]:
    """Yield the persons, locations and organizations in each text."""
    for doc in nlp.pipe((text[:LONGEST_TEXT] for text in texts), batch_size=64):
        yield [
            RecognizedName(entity.start_char, entity.end_char, TYPES[entity.label_], name)
            for entity in doc.ents
            if entity.label_ in TYPES and (name := _without_days(clean_name(entity.text), TYPES[entity.label_]))
        ]


def clean_name(text: str) -> str:
    """Return the name in a span, without "the", "Mr.", "'s" and the like; "" if there is no name."""
    words = text.split()
    while words and (words[0] in {"the", "a", "an"} or fold(words[0]) in TITLES):
        words.pop(0)
    name = " ".join(words)
    name = next((name.removesuffix(ending) for ending in POSSESSIVES if name.endswith(ending)), name)
    name = name.strip(' ,;:.-"“”()[]') + ("." if name.endswith((".", ".”")) and "." in name[:-1] else "")
    has_capital = any(letter.isupper() for letter in name)
    return name if has_capital and 1 < len(name) <= LONGEST_NAME else ""


def _without_days(name: str, type: EntityType) -> str:
    """Return a name without the day of the week beside it, which is part of the name of few bodies ("Sunday Post")."""
    words = name.split()
    days = [word for word in words if fold(word.strip(",.")) in DAYS]
    while words and words[-1] in days:
        words.pop()
    while words and words[0] in days and type is not EntityType.ORGANIZATION:
        words.pop(0)
    is_holiday = len(words) < 2 and days and fold(" ".join(words)) in NAMED_DAYS
    return "" if is_holiday else " ".join(words).strip(" ,")


def tags_of(names: Sequence[tuple[str, EntityType]]) -> tuple[Tag, ...]:
    """Return the names of one article as tags, without short forms of other names in it.

    These are a surname (whatever it was taken for) or first name beside the full name, an acronym beside what it stands
    for, another name of the same place, "The Arden Times" beside "Arden Times", "North" beside "North Arden", "Council"
    beside "Arden Council", "House" beside "House of Lords". The tag of a company has its short form in brackets.
    """
    types: dict[str, Counter[EntityType]] = {}
    for name, type in names:
        types.setdefault(ABBREVIATED.get(name, name), Counter())[type] += 1
    chosen = {name: _type_of(name, seen) for name, seen in types.items()}
    short = {(form, type) for name, type in chosen.items() for form in _short_forms(name, type)}
    kept = {name: type for name, type in chosen.items() if (fold(name), type) not in short}
    first_words = {fold(name).partition(" ")[0] for name in kept if " " in name}
    common = {fold(word) for name, type in kept.items() if type is ORG for word in _ends(name)} & COMMON
    surnames = {fold(_ends(name)[-1]) for name, type in kept.items() if type is EntityType.PERSON and " " in name}
    parts = (DIRECTIONS & first_words) | common | (surnames - PLACES.keys())
    kept = {name: type for name, type in kept.items() if fold(name) not in parts}
    companies = _companies(kept)
    tags = (Tag(_with_short_forms(name, companies), type, RECOGNIZED) for name, type in kept.items())
    return tuple(tag for name, tag in zip(kept, tags, strict=True) if name not in companies)


def _ends(name: str) -> tuple[str, ...]:
    """Return the first and the last word of a name of several words."""
    words = name.split()
    return (words[0], words[-1]) if len(words) > 1 else ()


def _with_short_forms(name: str, companies: Mapping[str, str]) -> str:
    """Return a name with the short forms that mean it in brackets, where it does not say itself that it has them."""
    known = parse_name(name, ORG).strict
    return name + "".join(f' ("{short}")' for short in companies if companies[short] == name and short not in known)


def _type_of(name: str, seen: Counter[EntityType]) -> EntityType:
    """Return the most frequent type; a name that ends with a legal form is that of a company."""
    is_company = " " in name and parse_name(name, ORG).detail
    return ORG if is_company else max(EntityType, key=lambda type: seen[type])


def _companies(names: Mapping[str, EntityType]) -> dict[str, str]:
    """Return the company that a short name means, by the short name: "Vantor" beside "Vantor Mining Co.".

    If no legal form shows that the longer name is a company, both must have been taken for organizations.
    """
    companies: dict[str, set[str]] = {}
    for name in (name for name, type in names.items() if type is ORG and " " in name):
        is_company, folded = bool(parse_name(name, ORG).detail), fold(name)
        for short, type in names.items():
            if folded.startswith(f"{fold(short)} ") and _may_be_short_for(short, name, type, is_company=is_company):
                companies.setdefault(short, set()).add(name)
    whole = {short: longer - companies.keys() for short, longer in companies.items()}
    return {short: longer.pop() for short, longer in whole.items() if len(longer) == 1}


def _may_be_short_for(short: str, name: str, type: EntityType, *, is_company: bool) -> bool:
    if fold(short) in PLACES or fold(short) in ORDINARY_WORDS or short.lower() in SMALL_WORDS:
        return False
    is_firm = is_company or fold(name).split()[-1] in FIRMS
    return is_firm and (is_company or type is ORG)


def _short_forms(name: str, type: EntityType) -> Iterator[str]:
    """Yield the short forms of a name of several words that an article may use."""
    words = name.split()
    if len(words) < 2:
        return
    if type is EntityType.PERSON:
        yield from (fold(words[-1]), fold(words[0]))
    else:
        yield f"the {fold(name)}"
        yield "".join(word[0] for word in words if word[0].isupper()).lower()
        bare = words[words[0] == "The" :]
        aliases = {fold(alias) for alias in parse_name(name, type).strict if len(alias) < len(name)}
        yield from aliases - {fold(" ".join(bare))}  # of "The Arden Times" and "Arden Times" the second stays
        whole = fold(" ".join(bare))
        yield from (whole.removeprefix(f"{prefix} ") for prefix in NATIONAL if whole.startswith(f"{prefix} "))
        if bare[1:2] == ["of"]:
            yield fold(bare[0])
