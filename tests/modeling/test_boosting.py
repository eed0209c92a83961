from __future__ import annotations

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

from kernel.progress import Silent
from modeling.features import FeatureExtractor
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.rankers.design import Designer
from modeling.rankers.frequency import GoldCounts
from modeling.words import preparation
from tests.modeling.values import synthetic_dataset


def test_the_trees_read_back_give_scikit_learns_own_scores():
    dataset = synthetic_dataset()
    ranker = RANKERS["boosting"]({"trees": 12}, Resources())
    ranker.fit(dataset["train"], (), seed=2, progress=Silent())
    designer = Designer(FeatureExtractor(preparation("tesa")), True, GoldCounts())
    design = designer.learn(dataset["train"], Silent())
    model = GradientBoostingClassifier(n_estimators=12, random_state=0).fit(design.values, design.labels)

    scores = ranker.score_all(dataset["test"], progress=Silent())

    theirs = model.decision_function(designer.design(dataset["test"], Silent()).values)
    assert np.allclose(np.concatenate([np.array(row) for row in scores]), theirs)


def test_the_number_of_trees_is_the_one_with_the_best_validation_ap():
    dataset = synthetic_dataset()
    ranker = RANKERS["boosting"]({"trees": 12}, Resources())

    curve = ranker.fit(dataset["train"], dataset["valid"], seed=0, progress=Silent())

    best = max(row["valid_ap"] for row in curve)
    assert curve[len(ranker.state()["trees"]) - 1]["valid_ap"] == best
