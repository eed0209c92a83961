"""Paragraphs that are not prose: headings, captions, signatures, credits, and notes about the writer.

No context contains one. People who are named only there wrote the article or worked on it: they are not its subjects.

A paragraph of prose is long or ends like a sentence. A short paragraph that does not is a heading, a caption or a name.
If no paragraph of an article ends like a sentence, this test says nothing, and such paragraphs count as prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from corpus.articles import SourceArticle
from corpus.bylines import is_named, words_of
from corpus.folding import folded_words
from corpus.lexicon import word_set
from corpus.sentences import split_sentences
from corpus.tables import ends_like_sentence


class Aside(StrEnum):
    """The kinds of paragraphs that are not prose."""

    HEADING = "heading"  # or a caption, or a line of a list
    SIGNATURE = "signature"  # a name alone or with a place, or a note about the writer
    CREDIT = "credit"  # who reported, compiled, photographed
    CAST = "cast"  # who played, directed, produced


HEADING_WORDS = 12  # a longer one is a sentence whose full stop was lost, unless it is a list of names
NAME_WORDS = 8  # of a signature that ends with a full stop ("Ida Lind, Arden, Conn.")
LIST_SHARE = 0.8  # of the words in a list of names begin with a capital letter
CREDIT_WORDS, NOTE_WORDS = 45, 70

_IN_NAMES = word_set("and & of the de da del della der den di do dos du la le van von y al el bin")
_IN_CREDITS = _IN_NAMES | word_set(
    "by with for from in at to as told a compiled edited reported written reviewed translated special staff writer"
)
_IN_ROWS = _IN_NAMES | word_set("at by for from in on or through to vs with")
_CREDIT_STARTS = word_set("by compiled edited reported written reviewed translated text photographs photos")
# Words that are common in credits and rare elsewhere: a text without them is not examined further.
_CREDIT_HINTS = (
    "contributed ",
    "eporting ",
    "esearch by",
    "reported ",
    " was written",
    " was compiled",
    "ten by",
    "ed by",
)
_CREDIT = re.compile(
    r"\bcontributed (?:additional )?(?:reporting|research|to th(?:is|ese))\b"
    r"|\b(?:[Rr]eporting|[Rr]esearch) (?:was |were )?(?:contributed )?by\b"
    r"|\b(?:article|report|story|column|survey) (?:was|is) (?:reported|written|compiled)\b"
    r"|^(?:[A-Z][\w.'’-]* ){2,4}(?:also )?reported from\b(?!.* that )"
    r"|^(?:Compiled|Written|Reported|Reviewed) by\b"
)
_CAPTION = re.compile(
    r"^(?:photo|photograph|drawing|chart|map|graph|graphic|diagram|cartoon|caption)s?\s?:"
    r"|\b(?:image|photo|photograph|picture|illustration)s?(?: credit)?\s?:",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(?:direct(?:ed|ion)|written|produced|edited|music|lyrics|book|story|screenplay|sets?|scenery|costumes?|"
    r"lighting|sound|choreograph(?:y|ed)|photography|cinematography|design(?:ed|s)?|translated|adapted|conducted|"
    r"presented|released|staged)(?: and \w+)? by\b",
    re.IGNORECASE,
)
_CAST = re.compile(r"(?:WITH|CAST|STARRING|CREDITS?|PERFORMERS)\s?:|(?:With|Cast|Starring|Credits?|Performers)\s?: ")
_LETTER = re.compile(
    r"(?:[A-Z][A-Z.'’-]*,? ){2,}.*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}\b"
)
_SALUTATION = re.compile(r"(?:to the editors?|dear [\w. ]{2,30}|letters?)\s?[:,]", re.IGNORECASE)
_WRITER = re.compile(r"[Tt]he (?:writers?|author) (?:is|are|was|were|teach(?:es)?|has|have)\b")
_ABOUT = re.compile(
    r"['’]s\b|(?:,[^;]{1,160}?,)? (?:is|are|writes?|teach(?:es)?|covers?|reports?|reviews?|contributes?|lives?|"
    r"works?|edits?|directs?|last wrote|has (?:written|covered|reported)|can be reached)\b"
)
_NOTE = re.compile(
    r"((?:[A-Z][\w.'’-]+ ){1,4}[A-Z][\w'’-]+)(?:['’]s (?:last|latest|previous|most recent) "
    r"(?:article|column|essay|piece|review|story)\b|(?:,[^;]{1,160}?,)? (?:"
    r"(?:writes|covers|reviews|reports|last wrote)\b.*\bfor\b|teach(?:es)?\b.*\bat\b|contributes\b.*\bto\b|edits\b|"
    r"(?:is|was)\b.{0,80}\b(?:author of|contributor|columnist|critic|correspondent|reporter|staff writer|"
    r"editor (?:of|at)|writing a (?:book|novel|biography)|at work on|professor of)))"
)
_SECTION = re.compile(r"(?:(?:[A-Z][A-Z'’-]+|&),? )+(?=[A-Z][a-z])")  # before a note: "MUSIC Ida Lind writes"


def asides_of(article: SourceArticle) -> Mapping[int, Aside]:
    """Return the kind of each paragraph of the body that is not prose, by number."""
    return _asides(article.paragraphs, article.byline, article.title, article.headline)


@lru_cache(maxsize=64)  # needed twice for each article of a chunk
def _asides(paragraphs: tuple[str, ...], byline: str, *titles: str) -> Mapping[int, Aside]:
    asides = {number: aside for number, text in enumerate(paragraphs) if (aside := aside_of(text))}
    if Aside.HEADING in asides.values() and not any(map(ends_like_sentence, paragraphs)):
        asides = {number: aside for number, aside in asides.items() if aside is not Aside.HEADING}
    if len(paragraphs) > 1 and paragraphs[0] in titles:
        asides[0] = Aside.HEADING
    return MappingProxyType(asides | dict.fromkeys(_notes(paragraphs, byline, asides), Aside.SIGNATURE))


def aside_of(text: str) -> Aside | None:
    """Return the kind of a paragraph, judged by its own words; None for prose."""
    words = text.split()
    is_row = len(words) > NAME_WORDS and _is_list_row(text, words)
    if len(words) > CREDIT_WORDS:
        return Aside.CAST if _is_cast(text) else Aside.HEADING if is_row else None
    if ":" in text and (_CAPTION.search(text) or _SALUTATION.fullmatch(text)):
        return Aside.HEADING
    if _is_credit(text, words):
        return Aside.CREDIT
    is_ended = ends_like_sentence(text)
    if 1 < len(words) <= (NAME_WORDS if is_ended else HEADING_WORDS) and _are_capital(words, _IN_NAMES):
        return Aside.SIGNATURE
    if _LETTER.match(text) or _WRITER.search(text):
        return Aside.SIGNATURE
    if _is_cast(text):
        return Aside.CAST
    return Aside.HEADING if is_row or (words and not is_ended and _is_heading(text, words)) else None


def _is_list_row(text: str, words: Sequence[str]) -> bool:
    """Return whether a text has names and numbers only, and no word in lower case that could be a verb."""
    return _are_capital(words, _IN_ROWS) and not text.isupper()


def split_sign_off(paragraph: str) -> tuple[str, str]:
    """Return a paragraph without the name after its last sentence, and that name: "… sang well. IDA LIND"."""
    if not ends_like_sentence(paragraph):
        *others, (start, _) = split_sentences(paragraph) or [(0, 0)]
        if others and is_sign_off(paragraph[start:]):
            return paragraph[:start], paragraph[start:]
    return paragraph, ""


def is_sign_off(sentence: str) -> bool:
    """Return whether the last sentence of a paragraph is only a name."""
    words = sentence.split()
    return len(words) < NAME_WORDS and not ends_like_sentence(sentence) and _are_capital(words, _IN_NAMES)


def _is_heading(text: str, words: Sequence[str]) -> bool:
    """Return whether an unfinished paragraph is a heading or a list of names, rather than prose that was cut off."""
    if len(words) <= HEADING_WORDS:
        sentences = [text[start:end].split() for start, end in split_sentences(text)]
        return all(_are_capital(sentence, _IN_NAMES) for sentence in sentences[:-1])
    return sum(word.lstrip("(\"“'‘")[:1].isupper() for word in words) >= LIST_SHARE * len(words)


def _are_capital(words: Sequence[str], besides: Collection[str]) -> bool:
    """Return whether all words begin with a capital letter, except those that join names."""
    return all(
        not (bare := word.strip("(\"“”'‘’),.;:-–—/")) or bare[0].isupper() or bare[0].isdigit() or bare in besides
        for word in words
    )


def _is_credit(text: str, words: Sequence[str]) -> bool:
    if words and words[0].strip("(-–—").casefold() in _CREDIT_STARTS and len(words) > 1:
        return _are_capital(words[1:], _IN_CREDITS)
    return any(hint in text for hint in _CREDIT_HINTS) and _CREDIT.search(text) is not None


def _is_cast(text: str) -> bool:
    return _CAST.match(text) is not None or (text.count(" by ") > 2 and len(_ROLE.findall(text)) > 2)


def _notes(paragraphs: Sequence[str], byline: str, asides: Collection[int]) -> Iterator[int]:
    """Yield the paragraphs at the start or the end that introduce the writer."""
    prose = [number for number in range(len(paragraphs)) if number not in asides]
    for number in {*prose[:1], *prose[-2:]} if len(prose) > 1 else ():
        text, others = paragraphs[number], [paragraphs[other] for other in prose if other != number]
        text = text.removeprefix(label[0]) if (label := _SECTION.match(text)) else text
        if len(text.split()) <= NOTE_WORDS and (_introduces_writer(text, byline) or _is_note(text, others)):
            yield number


def _introduces_writer(text: str, byline: str) -> bool:
    """Return whether a paragraph begins with a name from the byline and says who that is."""
    about = _ABOUT.search(text) if byline else None
    name = text[: about.start()].split() if about else []
    return 1 < len(name) <= NAME_WORDS and is_named(words_of(" ".join(name)), words_of(byline))


def _is_note(text: str, others: Sequence[str]) -> bool:
    """Return whether a paragraph introduces a contributor whom the other paragraphs do not name."""
    match = _NOTE.match(text)
    if match is None:
        return False
    surname = folded_words(match[1].split()[-1])
    return not any(surname in folded_words(other) for other in others)
