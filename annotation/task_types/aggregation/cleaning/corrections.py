"""What speaks against a reviewer's words: the annotator's checks and the cleaning rules. It asks, and never refuses."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.task_types.aggregation.cleaning.checks import check_answer
from annotation.task_types.aggregation.cleaning.predicates import About
from annotation.task_types.aggregation.cleaning.tesa import TESA


def doubts_about(phrases: Sequence[str], about: About) -> dict[str, str]:
    """Return a sentence for each doubt by its code, "phrase_1:list"; empty when nothing is odd."""
    found: dict[str, str] = {}
    for number, phrase in enumerate(phrases, 1):
        findings = check_answer(phrase, entities=about.entities, entity_type=about.entity_type)
        told = [(one.code, one.why) for one in findings]
        offences = TESA.clean_phrase(phrase, about).offences
        told = told or [(mark.rule, f"From an annotator, a rule would discard this. {mark.why}") for mark in offences]
        found |= {f"phrase_{number}:{code}": why for code, why in told}
    return found
