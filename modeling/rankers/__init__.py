"""Every ranker, described without importing it. A new ranker is one module here and one entry in DESCRIPTIONS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernel.errors import InvalidInput, UnknownPlugin
from kernel.registry import Registry
from kernel.values import Json
from modeling.rankers import settings
from modeling.rankers.base import RankerFactory
from modeling.rankers.neural.settings import SETTINGS as NEURAL
from modeling.words import preparation

FREQUENCY = "frequency"
# The paper's text features, in its order; each is a ranker too. "all" is entities, context and backgrounds; "shared" is
# what the backgrounds have in common.
TEXT_FEATURES = (
    "background-count", "background-unique", "background-shared", "background-active", "background-embedding",
    "background-shared-embedding", "context-count", "context-unique", "context-embedding", "all-count", "all-unique",
    "context-shared-unique", "all-embedding", "context-shared-embedding",
)  # fmt: skip
VECTORS, TORCH = "vectors", "torch"  # what a ranker may need
EMBEDDING_FEATURES = tuple(name for name in TEXT_FEATURES if name.endswith("-embedding"))


@dataclass(frozen=True)
class Description:
    """What pages, forms and grids need to know of a ranker."""

    path: str  # package.module:factory
    settings: type[object] = settings.NoSettings
    preparation: str = ""  # of words, unless a parameter says otherwise; "" for rankers that read no words
    needs: frozenset[str] = frozenset()
    is_seeded: bool = False  # the others give the same result for every seed
    is_learning: bool = False
    group: str = "Trained"  # under which head it stands beside other methods
    methods: tuple[str, ...] = ()  # parameters whose values are methods of their own: results compare, not choose, them

    @property
    def is_neural(self) -> bool:
        return TORCH in self.needs


def _feature(name: str) -> Description:
    path = f"modeling.rankers.single_feature:{name.replace('-', '_')}"
    needs = frozenset({VECTORS} if name in EMBEDDING_FEATURES else ())
    return Description(path, settings.SingleFeatureSettings, "paper", needs, group="Single features")


def _neural(name: str) -> Description:
    learns = NEURAL[name]().epochs > 0
    return Description(
        f"modeling.rankers.neural_runs:{name.replace('-', '_')}",
        NEURAL[name],
        needs=frozenset({TORCH}),
        is_seeded=learns,
        is_learning=learns,
        group="Trained" if learns else "Pretrained",
        methods=("text_format", "backend"),
    )


DESCRIPTIONS: Mapping[str, Description] = {
    "random": Description("modeling.rankers.chance:from_config", is_seeded=True, group="Baselines"),
    FREQUENCY: Description("modeling.rankers.frequency:from_config", is_learning=True, group="Baselines"),
    **{name: _feature(name) for name in TEXT_FEATURES},
    "logistic-paper": Description(
        "modeling.rankers.logistic_paper:from_config",
        settings.LogisticPaperSettings,
        "paper",
        is_seeded=True,
        is_learning=True,
    ),
    "logistic-tesa": Description(
        "modeling.rankers.logistic_tesa:from_config", settings.LogisticTesaSettings, "tesa", is_learning=True
    ),
    "embedding": Description(
        "modeling.rankers.embedding:from_config",
        settings.EmbeddingSettings,
        "paper",
        frozenset({VECTORS}),
        is_learning=True,
    ),
    "boosting": Description(
        "modeling.rankers.boosting:from_config", settings.BoostingSettings, "tesa", is_learning=True
    ),
    **{name: _neural(name) for name in NEURAL},
}
RANKERS: Registry[RankerFactory] = Registry("ranker", {name: ranker.path for name, ranker in DESCRIPTIONS.items()})


def describe(name: str) -> Description:
    if name not in DESCRIPTIONS:
        raise UnknownPlugin(f"unknown method {name!r}; known: {', '.join(sorted(DESCRIPTIONS))}")
    return DESCRIPTIONS[name]


def usable_rankers(*, has_vectors: bool) -> list[str]:
    """Return the names of the rankers that any worker can run: some need word vectors, others torch."""
    has = {VECTORS} if has_vectors else set()
    return [name for name, ranker in DESCRIPTIONS.items() if ranker.needs <= has]


def neural_rankers() -> list[str]:
    return [name for name, ranker in DESCRIPTIONS.items() if ranker.is_neural]


def check_ranker(name: str, parameters: Mapping[str, Json], *, has_vectors: bool) -> None:
    """Raise InvalidInput if the ranker cannot run with these parameters."""
    ranker = describe(name)
    settings.settings_from(ranker.settings, parameters)
    if VECTORS in ranker.needs and not has_vectors:
        raise InvalidInput(f"the method {name!r} needs word vectors: choose some, or another method")


def preparation_label(name: str, parameters: Mapping[str, Json]) -> str:
    """Return how the ranker prepares words, as “name version”; "" if it reads no words."""
    chosen = str(parameters.get("preparation") or describe(name).preparation)
    return preparation(chosen).label if chosen else ""
