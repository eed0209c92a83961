"""What pages show about the pipeline that recognizes names."""

from __future__ import annotations

from django.conf import settings

from corpus.services import recognizing
from kernel import spacy_pipelines


def pipeline_context() -> dict[str, object]:
    """Return what pages show about the pipeline; checked every time, because it may have been installed since."""
    return {
        "pipeline": settings.SPACY_PIPELINE,
        "pipeline_is_available": recognizing.is_available(),
        "default_pipeline": spacy_pipelines.DEFAULT,
        "default_requirement": spacy_pipelines.DEFAULT_REQUIREMENT,
    }
