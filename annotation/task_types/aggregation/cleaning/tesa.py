"""Our own rules: gentler with what people mean, stricter with what cannot be an aggregation.

Where and why they differ from the published dataset's (`paper`):
- "and", "are", "have" and a slash no longer discard ("people involved in trade and defence", "countries that have
  left"): only a real clause does, and "and" or a slash is noted for the reviewer.
- a, an, both, all, these …, "couple of", digits and seven to twelve open a phrase as "the" and "two" do.
- an acronym survives capitals ("US POLITICIANS" is shown as "US politicians"), and so does a name ("McKay voters").
- pronouns, lists of the entities with or without titles, an entity's own name, and "the people mentioned above" are
  seen for what they are.
- many spellings of "not applicable" count, in any case and with any dots.
- tags such as <b> go, and &amp; is "&".
- a number that belongs to a name stays ("Six Nations rugby teams").
- typographic quotes, dashes, odd blanks and invisible characters do not make two phrases out of one.
Cleaning what is displayed once more gives the same phrase.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from annotation.task_types.aggregation.cleaning import predicates, word_lists
from annotation.task_types.aggregation.cleaning.pipeline import CleaningStep, Pipeline, Rule
from corpus.folding import TYPEWRITER

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
DISCUSSED = re.compile(r"^[^.]*\b(?:are|is) discussed\b[.:,;…\s]*", re.IGNORECASE)
HALF_HYPHEN = re.compile(r"(?<=\w)-\s+(?=\w)|(?<=\w)\s+-(?=\w)")
EDGES = " \t\"'`*_~,;:!?-|\\/&+=#"
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
TURNED = str.maketrans({**BRACKETS, **{closes: opens for opens, closes in BRACKETS.items()}})
QUOTED_FIRST = re.compile(r"""^(["'`])([^"'`]+)\1(?=\s)""")
QUOTED_LAST = re.compile(r"""(\s)(["'`])([^"'`]+)\2$""")
TAG = re.compile(
    r"</?(?:[biupas]|br|em|strong|span|div|font|small|big|su[bp]|h[1-6]|li|[uo]l|t[dr]|color\d)(?:\s[^<>]*)?/?>", re.I
)
NAMED_SIGNS = {"&amp;": "&", "&nbsp;": " ", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&lt;": "<", "&gt;": ">"}
NAMED_SIGN = re.compile("|".join(NAMED_SIGNS), re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:^|\s)(?:[^\W\d_]\.){2,}$")


def tidy_characters(step: CleaningStep) -> CleaningStep:
    """Quotes and dashes are the typewriter's, blanks single, invisible and control characters gone."""
    text = unicodedata.normalize("NFKC", step.phrase).translate(TYPEWRITER)
    text = INVISIBLE.sub("", text).replace("…", "...")
    text = "".join(" " if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} else sign for sign in text)
    return step.text(" ".join(text.split()))


def markup(step: CleaningStep) -> CleaningStep:
    """HTML tags go ("<b>ministers</b>"), and signs that are spelt out (&amp;) become signs."""
    text, before = step.phrase, ""
    while text != before:
        before, text = text, TAG.sub(" ", NAMED_SIGN.sub(lambda match: NAMED_SIGNS[match[0].lower()], text))
    return step.text(" ".join(text.split()))


def no_answer(step: CleaningStep) -> CleaningStep:
    """Nothing, only signs, or one of the ways to write "not applicable" is no answer."""
    is_none = predicates.is_no_answer(step.phrase)
    return step.mark("no_answer", "Says that no phrase fits, or nothing at all.", when=is_none, ends=True)


def copied_prompt(step: CleaningStep) -> CleaningStep:
    """A beginning that ends in "are discussed" was copied from the prompt, and goes."""
    return step.text(DISCUSSED.sub("", step.phrase, count=1))


def capitals(step: CleaningStep) -> CleaningStep:
    """An answer all in capitals is written small, acronyms and one short word ("NATO") excepted."""
    parts = step.phrase.split()
    if not step.phrase.isupper() or (len(parts) == 1 and len(step.phrase) <= 5):
        return step
    return step.text(
        " ".join(part if part.strip(".,").lower() in word_lists.ACRONYMS else part.lower() for part in parts)
    )


def stray_signs(step: CleaningStep) -> CleaningStep:
    """Signs around the phrase go, dots at its end unless they abbreviate ("companies of the U.S."), brackets unless
    they hold some of its words, and quotes around its first or last words."""
    return step.text(_without_signs(step.phrase))


def broken_hyphens(step: CleaningStep) -> CleaningStep:
    """A hyphen with a blank on one side is a hyphen ("ex- ministers"); with blanks on both it is a dash and stays."""
    return step.text(HALF_HYPHEN.sub("-", step.phrase))


def opening(step: CleaningStep) -> CleaningStep:
    """Leading determiners and numerals go: the, a, both, these, two to twelve, 2 to 9, "both of", "a couple of".

    A number that belongs to a name stays.
    """
    text, before = step.phrase, ""
    while text != before:  # signs may stand behind them: the "old" ports
        before, text = text, _without_signs(" ".join(predicates.without_opening(text.split())))
    return step.text(text)


def casing(step: CleaningStep) -> CleaningStep:
    """The displayed form begins with a capital, the rest as typed; the phrase is in small letters."""
    first, small = step.phrase[:1].upper(), step.phrase.lower()
    if len(first) > 1 or first.lower() != small[:1]:  # a letter without one capital of its own, as ß
        first = step.phrase[:1]
    return replace(step, display=first + step.phrase[1:], phrase=small)


def nothing_left(step: CleaningStep) -> CleaningStep:
    """What the rules above leave without a word is no answer."""
    why = "Nothing is left once prompt, signs and determiners are gone."
    return step.mark("nothing_left", why, when=predicates.is_no_answer(step.phrase), ends=True)


def pronoun(step: CleaningStep) -> CleaningStep:
    """Discarded: only points at the entities ("both of them"), or begins as a sentence does ("they lead …")."""
    why = "Points at them without saying what they are."
    return step.mark("pronoun", why, when=predicates.is_pronoun(step.display))


def list_of_entities(step: CleaningStep) -> CleaningStep:
    """Discarded: begins by listing two or more of the entities."""
    return step.mark("list_of_entities", "Lists the entities.", when=predicates.lists_entities(step.phrase, step.about))


def only_the_type(step: CleaningStep) -> CleaningStep:
    """Discarded: nothing but the generic type ("the people mentioned in the article")."""
    return step.mark("only_the_type", "Names only the generic type.", when=predicates.is_only_the_type(step.phrase))


def name_of_an_entity(step: CleaningStep) -> CleaningStep:
    """Discarded when it is nothing but one entity's name; noted when the name is part of a phrase."""
    named = predicates.named_entities(step.phrase, step.about)
    if not named or predicates.lists_entities(step.phrase, step.about):
        return step
    name = named[0].removesuffix(".")  # "Jr." ends with the sentence's own full stop
    if predicates.is_only_names(step.phrase, step.about):
        return step.mark("name_of_an_entity", f"Is the name of {name}.")
    return step.mark("name_of_an_entity", f"Contains the name of {name}.", discards=False)


def clause(step: CleaningStep) -> CleaningStep:
    """Discarded: a sentence with its verb, unless "who", "that" or "which" makes the verb part of a phrase."""
    return step.mark("clause", "Is a sentence, not a phrase.", when=predicates.is_clause(step.phrase))


def joined(step: CleaningStep) -> CleaningStep:
    """Noted: "and", a slash or a comma, where two phrases may stand that fit only some of the entities."""
    joins = any(has(step.phrase) for has in (predicates.has_and, predicates.has_slash, predicates.has_comma))
    return step.mark("joined", "May be two phrases that fit only some of them.", when=joins, discards=False)


def nonsense(step: CleaningStep) -> CleaningStep:
    """Noted: a word that nobody means, typed along a row of keys ("asdf") or without a vowel."""
    odd = predicates.nonsense(step.display)
    return step.mark("nonsense", f"“{odd}” does not look like a word.", when=odd, discards=False)


def too_long(step: CleaningStep) -> CleaningStep:
    """Noted: more words than a phrase usually has."""
    is_long = predicates.is_too_long(step.phrase, word_lists.MOST_WORDS)
    return step.mark("too_long", f"Has more than {word_lists.MOST_WORDS} words.", when=is_long, discards=False)


def repeated(step: CleaningStep) -> CleaningStep:
    """Skipped: the same phrase as the person's other answer."""
    is_same = any(predicates.is_same(step.phrase, other) for other in step.earlier)
    return step.mark("repeated", "The same as the other answer.", when=is_same)


def _without_signs(text: str) -> str:
    before = None
    while text != before:
        before, text = text, QUOTED_LAST.sub(r"\1\3", QUOTED_FIRST.sub(r"\2", text))
        text = _without_brackets(text.strip(EDGES).lstrip(")]}>").rstrip("([{<")).lstrip(".")
        text = text if ABBREVIATION.search(text) else text.rstrip(".")
    return text


def _without_brackets(text: str) -> str:
    """Brackets at an end go, alone or around everything; those around some words ("ministers (Nordic)") stay."""
    while text and (text[0] in BRACKETS or text[-1] in BRACKETS.values()):
        first, last = _partner(text), len(text) - 1 - _partner(text[::-1].translate(TURNED))
        is_first = text[0] in BRACKETS and first in (len(text), len(text) - 1)
        is_last = text[-1] in BRACKETS.values() and last in (-1, 0)
        if not is_first and not is_last:
            return text
        text = text[is_first : len(text) - is_last]
    return text


def _partner(text: str) -> int:
    """Return where the bracket that the text begins with is closed; behind the end where it never is."""
    opens, closes, depth = text[0], BRACKETS.get(text[0], ""), 0
    for place, sign in enumerate(text):
        depth += (sign == opens) - (sign == closes)
        if depth == 0:
            return place
    return len(text)


TESA = Pipeline(
    "tesa",
    3,
    (
        Rule(tidy_characters),
        Rule(markup),
        Rule(no_answer, {"phrases": word_lists.NOT_AN_ANSWER, "openings": word_lists.NOT_AN_ANSWER_OPENINGS}),
        Rule(copied_prompt),
        Rule(capitals, {"acronyms": word_lists.ACRONYMS}),
        Rule(stray_signs),
        Rule(broken_hyphens),
        Rule(
            opening,
            {
                "determiners": word_lists.DETERMINERS,
                "numerals": word_lists.NUMERALS,
                "collectives": word_lists.COLLECTIVES,
            }
            | {"demonstratives": word_lists.DEMONSTRATIVES, "headed by": word_lists.HEADED_BY}
            | {"numbered names": word_lists.NUMBERED_NAMES},
        ),
        Rule(casing),
        Rule(nothing_left, {"phrases": word_lists.NOT_AN_ANSWER}),
        Rule(pronoun, {"pointers": word_lists.POINTERS, "subjects": word_lists.SUBJECTS}),
        Rule(
            list_of_entities,
            {"joiners": word_lists.JOINERS, "separators": word_lists.SEPARATORS, "titles": word_lists.TITLES}
            | {"title tails": [" ".join(tail) for tail in word_lists.TITLE_TAILS]},
        ),
        Rule(only_the_type, {"types": word_lists.GENERIC, "mentioned": word_lists.MENTIONED}),
        Rule(name_of_an_entity, {"suffixes": word_lists.SUFFIXES, "forms": word_lists.COMPANY_FORMS}),
        Rule(clause, {"verbs": word_lists.FINITE_VERBS, "relatives": word_lists.RELATIVES}),
        Rule(joined),
        Rule(nonsense),
        Rule(too_long, {"words": [str(word_lists.MOST_WORDS)]}),
        Rule(repeated),
    ),
)
