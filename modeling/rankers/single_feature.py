"""A single feature as the score: the paper's fourteen baselines besides frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.features import FeatureExtractor
from modeling.rankers import EMBEDDING_FEATURES, TEXT_FEATURES
from modeling.rankers.base import Curve, Resources, State, check_saved
from modeling.rankers.settings import SingleFeatureSettings, settings_from
from modeling.words import preparation


class SingleFeatureRanker:
    """Learns nothing: the score is the feature."""

    def __init__(self, feature: str, extractor: FeatureExtractor) -> None:
        self._feature, self._extractor = feature, extractor

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        return ()

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        table = self._extractor.table(tasks, progress)
        return table.per_task(table.values[:, table.names.index(self._feature)])

    def state(self) -> State:
        return {"feature": self._feature, "preparation": self._extractor.preparation.label}

    def load(self, state: Mapping[str, Json]) -> None:
        if state.get("feature") != self._feature:
            raise InvalidInput(f"the saved model is of the feature {state.get('feature')!r}, not {self._feature!r}")
        check_saved(state, self._extractor.preparation)


def _from_config(feature: str, parameters: Mapping[str, Json], resources: Resources) -> SingleFeatureRanker:
    settings = settings_from(SingleFeatureSettings, parameters)
    if feature in EMBEDDING_FEATURES and resources.vectors is None:
        raise InvalidInput(f"the method {feature!r} needs word vectors: choose some, or another method")
    return SingleFeatureRanker(
        feature, FeatureExtractor(preparation(settings.preparation), resources.vectors, resources.cache)
    )


(
    background_count, background_unique, background_shared, background_active, background_embedding,
    background_shared_embedding, context_count, context_unique, context_embedding, all_count, all_unique,
    context_shared_unique, all_embedding, context_shared_embedding,
) = (partial(_from_config, name) for name in TEXT_FEATURES)  # fmt: skip
