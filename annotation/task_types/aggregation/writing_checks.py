"""Gentle checks while somebody answers: what to look at again, and one kind sentence why. Reviewers get hints, too.

The same predicates stand behind the `tesa` cleaning rules, so that nobody is told "fine" and discarded later. Only
what can never be an answer blocks; everything else asks, and a person who is sure goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.task_types.aggregation.cleaning import predicates
from annotation.task_types.aggregation.cleaning.predicates import About
from annotation.task_types.aggregation.cleaning.spelling import Vocabulary, suggest_spelling
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.aggregation.cleaning.word_lists import MOST_WORDS
from annotation.task_types.base import FieldRemark, Level, Remark
from annotation.task_types.cleaned import CleanedAnswer
from corpus.frozen import FrozenInstance

NO_PHRASE = "Please write a noun phrase."
POINTS = "This only points at them; please write what they are, without “they” or “these”."


def check_answer(text: str, *, entities: Sequence[str], entity_type: str, first_answer: str = "") -> tuple[Remark, ...]:
    """Return what is odd about one answer, blocking remarks first; empty when nothing is.

    The code is one of empty, letters, pronoun, list (these block), type, entity, and, long, nonsense, same
    (these ask).
    """
    if predicates.is_no_answer(text):
        return (Remark("empty", Level.BLOCK, _why_empty(text)),)
    about = About(tuple(entities), entity_type)
    blocking = tuple(_blocking(text, about))
    return blocking or tuple(_asking(text, about, first_answer))


def _why_empty(text: str) -> str:
    if predicates.words(text):
        return "If no phrase fits, leave this empty and choose “I can't find a relevant phrase”."
    return "Please write a phrase that names all of them, or choose “I can't find a relevant phrase”."


def _blocking(text: str, about: About) -> Iterator[Remark]:
    if not predicates.has_letter(text):
        yield Remark("letters", Level.BLOCK, NO_PHRASE)
    elif predicates.is_pronoun(text):
        yield Remark("pronoun", Level.BLOCK, NO_PHRASE if predicates.is_only_an_article(text) else POINTS)
    elif predicates.lists_entities(text, about):
        yield Remark("list", Level.BLOCK, "This lists the names; please find one phrase for all of them together.")


def _asking(text: str, about: About, first_answer: str) -> Iterator[Remark]:
    if predicates.is_only_the_type(text):
        yield Remark("type", Level.ASK, "This would fit almost anything; can you be more specific?")
    if named := predicates.named_entities(text, about):
        yield Remark("entity", Level.ASK, f"“{named[0]}” is one of them; does the phrase still name all of them?")
    if predicates.has_and(text):
        yield Remark("and", Level.ASK, "“and” often joins two phrases that fit only some of them; is it one phrase?")
    if predicates.is_too_long(text, MOST_WORDS):
        yield Remark("long", Level.ASK, f"This has more than {MOST_WORDS} words; would a shorter phrase do?")
    if odd := predicates.nonsense(text):
        yield Remark("nonsense", Level.ASK, f"“{odd}” does not look like a word; is it spelt as you meant?")
    if first_answer and predicates.is_same(text, first_answer):
        yield Remark("same", Level.ASK, "This says the same as your first phrase; a second one is not needed.")


def objections(phrases: Sequence[str], about: About) -> list[FieldRemark]:
    """Return what the annotator's checks and the cleaning rules object to in a reviewer's phrases. All of it asks."""
    remarks = []
    for number, phrase in enumerate(phrases, 1):
        checks = check_answer(phrase, entities=about.entities, entity_type=about.entity_type)
        whys = [(remark.code, remark.why) for remark in checks] or [
            (mark.rule, f"A rule would discard this from a participant. {mark.why}")
            for mark in TESA.clean_phrase(phrase, about).offences
        ]
        remarks += [FieldRemark(f"phrase_{number}", Remark(code, Level.ASK, why)) for code, why in whys]
    return remarks


def spelling_hints(instance: FrozenInstance, answers: Sequence[CleanedAnswer]) -> list[tuple[str, ...]]:
    """Return suggestions for words that neither English, the passage nor the other answers know."""
    texts = [instance.title, instance.context, *(background.text for background in instance.backgrounds if background)]
    vocabulary = Vocabulary.of([*texts, *instance.entities], [unit for answer in answers for unit in answer.units])
    return [
        tuple(
            f"Spelling: for “{suggestion.word}” perhaps {' or '.join(suggestion.instead)}?"
            for unit in answer.units
            for suggestion in suggest_spelling(unit, vocabulary)
        )
        for answer in answers
    ]
