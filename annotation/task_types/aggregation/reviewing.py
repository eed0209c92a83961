"""What a reviewer of phrases is told: likely spellings, and objections to their own words."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.task_types.aggregation.cleaning.checks import check_answer
from annotation.task_types.aggregation.cleaning.predicates import About
from annotation.task_types.aggregation.cleaning.spelling import Vocabulary, suggest_spelling
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.base import FieldFinding, Finding, Level
from annotation.task_types.cleaned import CleanedAnswer
from corpus.frozen import FrozenInstance


def objections(phrases: Sequence[str], about: About) -> list[FieldFinding]:
    """Return what the annotator's checks and the cleaning rules object to in a reviewer's phrases. All of it asks."""
    found = []
    for number, phrase in enumerate(phrases, 1):
        checks = check_answer(phrase, entities=about.entities, entity_type=about.entity_type)
        whys = [(finding.code, finding.why) for finding in checks] or [
            (mark.rule, f"From an annotator, a rule would discard this. {mark.why}")
            for mark in TESA.clean_phrase(phrase, about).offences
        ]
        found += [FieldFinding(f"phrase_{number}", Finding(code, Level.ASK, why)) for code, why in whys]
    return found


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
