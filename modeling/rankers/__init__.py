"""The rankers. A new one is one module here and one line in RANKERS."""

from __future__ import annotations

from modeling.rankers.base import RankerFactory
from tesa_site.kernel.registry import Registry

_FEATURES = "modeling.rankers.single_feature"

RANKERS: Registry[RankerFactory] = Registry(
    "ranker",
    {
        "random": "modeling.rankers.chance:from_config",
        "frequency": "modeling.rankers.frequency:from_config",
        "background-count": f"{_FEATURES}:background_count",
        "background-unique": f"{_FEATURES}:background_unique",
        "background-shared": f"{_FEATURES}:background_shared",
        "background-active": f"{_FEATURES}:background_active",
        "background-embedding": f"{_FEATURES}:background_embedding",
        "background-shared-embedding": f"{_FEATURES}:background_shared_embedding",
        "context-count": f"{_FEATURES}:context_count",
        "context-unique": f"{_FEATURES}:context_unique",
        "context-embedding": f"{_FEATURES}:context_embedding",
        "all-count": f"{_FEATURES}:all_count",
        "all-unique": f"{_FEATURES}:all_unique",
        "context-shared-unique": f"{_FEATURES}:context_shared_unique",
        "all-embedding": f"{_FEATURES}:all_embedding",
        "context-shared-embedding": f"{_FEATURES}:context_shared_embedding",
        "logistic-paper": "modeling.rankers.logistic_paper:from_config",
        "logistic-tesa": "modeling.rankers.logistic_tesa:from_config",
        "embedding": "modeling.rankers.embedding:from_config",
        "boosting": "modeling.rankers.boosting:from_config",
    },
)
