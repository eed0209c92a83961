"""The rules of the published dataset, in their order and with their word lists, faults included.

Kept to reproduce what the paper did; the dataset itself cannot be had, so the proof is a table of cases for each
rule. The one difference: where the original stops with an error (an answer of nothing but dots), we mark it missing.
"""

from __future__ import annotations

from dataclasses import replace

from annotation.task_types.aggregation.cleaning.pipeline import CleaningStep, Pipeline, Rule

# Read as "missing" by pandas 1.0, before any rule sees the text. Compared exactly: " NA" is not missing.
PANDAS_MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"}
    | {"N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"}
)
ARTICLES = frozenset({"the"})
NUMBERS = frozenset({"two", "three", "four", "five", "six"})
DISCARDED_WORDS = frozenset({"have", "are", "and"})
DISCARDED_PHRASES = frozenset({"the", "na"})
STANDARD_PHRASES = frozenset({"people", "areas", "organizations"})


def pandas_missing(step: CleaningStep) -> CleaningStep:
    """An answer that pandas reads as missing ("NA", "N/A", "null", nothing) is no answer."""
    return step.mark("pandas_missing", "Read as “no answer”.", when=step.phrase in PANDAS_MISSING, ends=True)


def copied_prompt(step: CleaningStep) -> CleaningStep:
    """A first sentence with " are discussed" in it was copied from the prompt, and goes."""
    first, dot, rest = step.phrase.partition(".")
    return step.text(rest) if dot and " are discussed" in first.lower() else step


def all_upper_case(step: CleaningStep) -> CleaningStep:
    """An answer all in capitals is written with one capital."""
    return step.text(step.phrase.capitalize()) if step.phrase.isupper() else step


def stray_dots_and_spaces(step: CleaningStep) -> CleaningStep:
    """Dots and spaces at the end go, and spaces at the beginning. Nothing left is no answer (the original stops)."""
    step = step.text(step.phrase.rstrip(". ").lstrip(" "))
    is_blank = not step.phrase.split()
    return step.mark("stray_dots_and_spaces", "Nothing is left without dots and spaces.", when=is_blank, ends=True)


def first_word_capitalised(step: CleaningStep) -> CleaningStep:
    """The displayed form begins with a capital, the rest of its first word in small letters, and has single spaces."""
    first, *others = step.phrase.split()
    return replace(step, display=" ".join([first.capitalize(), *others]))


def lower_case(step: CleaningStep) -> CleaningStep:
    """The phrase is the displayed form in small letters."""
    return replace(step, phrase=" ".join(step.display.lower().split()))


def leading_the(step: CleaningStep) -> CleaningStep:
    """One leading "the" goes, unless it stands alone."""
    return _without_first(step, ARTICLES)


def leading_number(step: CleaningStep) -> CleaningStep:
    """One leading "two" to "six" goes, unless it stands alone."""
    return _without_first(step, NUMBERS)


def not_conforming(step: CleaningStep) -> CleaningStep:
    """Discarded: with "have", "are" or "and" as a word, with a slash, or only "the" or "na"."""
    discarded = sorted(DISCARDED_WORDS & set(step.phrase.split()))
    if discarded:
        return step.mark("not_conforming", f"Contains the word “{discarded[0]}”.")
    if "/" in step.phrase:
        return step.mark("not_conforming", "Contains a slash.")
    return step.mark("not_conforming", f"Is only “{step.phrase}”.", when=step.phrase in DISCARDED_PHRASES)


def repeated(step: CleaningStep) -> CleaningStep:
    """Skipped: the same phrase as the person's other answer."""
    return step.mark("repeated", "The same as the other answer.", when=step.phrase in step.earlier)


def standard_phrase(step: CleaningStep) -> CleaningStep:
    """Skipped: only the type's name as the prompt shows it."""
    is_standard = step.phrase in STANDARD_PHRASES
    return step.mark("standard_phrase", "Only the type, as the prompt shows it.", when=is_standard)


def _without_first(step: CleaningStep, words: frozenset[str]) -> CleaningStep:
    first, _, rest = step.phrase.partition(" ")
    return replace(step, phrase=rest) if first in words and rest else step


PAPER = Pipeline(
    "paper",
    1,
    (
        Rule(pandas_missing, {"missing": PANDAS_MISSING}),
        Rule(copied_prompt),
        Rule(all_upper_case),
        Rule(stray_dots_and_spaces),
        Rule(first_word_capitalised),
        Rule(lower_case),
        Rule(leading_the, {"articles": ARTICLES}),
        Rule(leading_number, {"numbers": NUMBERS}),
        Rule(not_conforming, {"words": DISCARDED_WORDS, "phrases": DISCARDED_PHRASES}),
        Rule(repeated),
        Rule(standard_phrase, {"phrases": STANDARD_PHRASES}),
    ),
)
