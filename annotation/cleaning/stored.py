"""From a stored answer to its cleaned forms: which pipelines there are, and how an answer's JSON is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.cleaning.paper import PAPER
from annotation.cleaning.pipeline import Pipeline, RawAnnotation
from annotation.cleaning.predicates import About
from annotation.cleaning.tesa import TESA
from tesa_site.kernel.errors import UnknownPlugin

PIPELINES: Mapping[str, Pipeline] = {pipeline.name: pipeline for pipeline in (PAPER, TESA)}
DEFAULT = TESA.name


def pipeline_named(name: str) -> Pipeline:
    try:
        return PIPELINES[name]
    except KeyError as error:
        known = " and ".join(PIPELINES)
        raise UnknownPlugin(f"There is no cleaning pipeline {name!r}; there are {known}.") from error


def raw_annotation(question: Mapping[str, Any], answer: Mapping[str, Any], key: str = "") -> RawAnnotation:
    """Return what one person gave, as the rules take it."""
    about = About(tuple(map(str, question.get("entities") or ())), str(question.get("entity_type") or ""))
    phrases = answer.get("phrases")
    texts = tuple(str(phrase) for phrase in phrases) if isinstance(phrases, list) else ()
    return RawAnnotation(texts, bool(answer.get("impossible")), about, key)
