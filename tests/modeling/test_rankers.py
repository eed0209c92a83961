"""The contract every ranker of the registry keeps."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.progress import Silent
from kernel.vectors.text_file import from_path
from modeling.evaluation import evaluate
from modeling.rankers import EMBEDDING_FEATURES, RANKERS, neural_rankers, preparation_label
from modeling.rankers.base import Ranker, Resources
from tests.modeling.values import chance_ap, synthetic_dataset, synthetic_items
from tests.synthetic.vectors import write_synthetic_vectors

HERE = [name for name in RANKERS if name not in neural_rankers()]  # the others need torch: see neural/
NEED_VECTORS = {*EMBEDDING_FEATURES, "embedding"}
LEARN = {"logistic-paper", "logistic-tesa", "embedding", "boosting"}
SHORT = {"logistic-paper": {"epochs": 3}, "boosting": {"trees": 5}}


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    folder = tmp_path_factory.mktemp("rankers")
    path = write_synthetic_vectors(folder / "words.txt", synthetic_items(), dimension=12)
    return Resources(from_path(str(path)), folder / "cache")


def fitted(name: str, resources: Resources, seed: int = 3) -> Ranker:
    ranker = RANKERS[name](SHORT.get(name, {}), resources)
    dataset = synthetic_dataset()
    ranker.fit(dataset["train"], dataset["valid"], seed=seed, progress=Silent())
    return ranker


@pytest.mark.parametrize("name", HERE)
def test_every_ranker_gives_one_finite_score_per_candidate(name: str, resources: Resources):
    tasks = synthetic_dataset()["test"]

    scores = fitted(name, resources).score_all(tasks, progress=Silent())

    assert [len(row) for row in scores] == [len(task.candidates) for task in tasks]
    assert len(evaluate(tasks, scores).keys) == len(tasks)


@pytest.mark.parametrize("name", HERE)
def test_every_ranker_repeats_itself_for_one_seed_bit_by_bit(name: str, resources: Resources):
    tasks = synthetic_dataset()["test"]
    first, second = fitted(name, resources), fitted(name, Resources(resources.vectors))

    assert second.score_all(tasks, progress=Silent()) == first.score_all(tasks, progress=Silent())
    assert second.state() == first.state()


@pytest.mark.parametrize("name", HERE)
def test_every_ranker_scores_one_task_as_it_scores_many(name: str, resources: Resources):
    tasks = synthetic_dataset()["test"][:5]
    ranker = fitted(name, resources)

    assert [ranker.score_all([task], progress=Silent())[0] for task in tasks] == ranker.score_all(
        tasks, progress=Silent()
    )


@pytest.mark.parametrize("name", HERE)
def test_every_ranker_survives_being_saved_as_json_and_loaded(name: str, resources: Resources):
    tasks = synthetic_dataset()["test"]
    ranker = fitted(name, resources)
    again = RANKERS[name](SHORT.get(name, {}), resources)

    again.load(json.loads(json.dumps(ranker.state())))

    assert again.score_all(tasks, progress=Silent()) == ranker.score_all(tasks, progress=Silent())
    assert again.state() == ranker.state()


@pytest.mark.parametrize("name", sorted(LEARN))
def test_every_learning_ranker_returns_a_curve(name: str, resources: Resources):
    dataset = synthetic_dataset()
    ranker = RANKERS[name](SHORT.get(name, {}), resources)

    curve = ranker.fit(dataset["train"], dataset["valid"], seed=3, progress=Silent())

    assert [row["epoch"] for row in curve] == [*range(1, len(curve) + 1)]
    assert all({"loss", "valid_ap"} <= set(row) for row in curve)


@pytest.mark.parametrize("name", sorted(LEARN - {"logistic-paper"}))  # that one needs luck: see test_logistic.py
def test_every_learning_ranker_beats_a_random_order(name: str, resources: Resources):
    dataset = synthetic_dataset()

    scores = fitted(name, resources).score_all(dataset["test"], progress=Silent())

    assert evaluate(dataset["test"], scores).values["ap"].mean() > chance_ap(dataset["test"]) + 0.04


@pytest.mark.parametrize("name", HERE)
def test_a_ranker_that_needs_vectors_says_so_and_the_others_do_without(name: str):
    if name in NEED_VECTORS:
        with pytest.raises(InvalidInput, match="needs word vectors"):
            fitted(name, Resources())
    else:
        task = synthetic_dataset()["test"][0]
        assert len(fitted(name, Resources()).score_all([task], progress=Silent())[0]) == len(task.candidates)


@pytest.mark.parametrize("name", sorted({"logistic-paper", "logistic-tesa", "boosting"}))
def test_absent_features_are_told_once_and_not_part_of_the_model(name: str, caplog: pytest.LogCaptureFixture):
    lines: list[str] = []

    class Listening(Silent):
        def log(self, text: str) -> None:
            lines.append(text)

    ranker = RANKERS[name](SHORT.get(name, {}), Resources())
    dataset = synthetic_dataset()
    ranker.fit(dataset["train"], dataset["valid"], seed=0, progress=Listening())

    assert sum("these features are absent: background-embedding" in text for text in lines) == 1
    assert not caplog.records  # a terminal shows the log too
    assert str(ranker.state()["features"]).count(",") == 9  # ten names


@pytest.mark.parametrize("name", sorted(LEARN))
def test_a_cancel_stops_a_learning_ranker(name: str, resources: Resources):
    class Stopping(Silent):
        def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
            raise Cancelled("stop")

    dataset = synthetic_dataset()
    with pytest.raises(Cancelled):
        RANKERS[name]({}, resources).fit(dataset["train"], dataset["valid"], seed=0, progress=Stopping())


@pytest.mark.parametrize("name", sorted(LEARN))
def test_a_learning_ranker_works_without_a_validation_part_and_not_without_training(name: str, resources: Resources):
    dataset = synthetic_dataset()
    ranker = RANKERS[name](SHORT.get(name, {}), resources)

    curve = ranker.fit(dataset["train"], (), seed=0, progress=Silent())

    assert curve
    assert "valid_ap" not in curve[0]
    assert ranker.score_all(dataset["test"][:1], progress=Silent())
    with pytest.raises(InvalidInput, match="training part is empty"):
        ranker.fit((), dataset["valid"], seed=0, progress=Silent())


@pytest.mark.parametrize("name", HERE)
def test_an_unknown_parameter_is_named_and_a_foreign_model_refused(name: str, resources: Resources):
    with pytest.raises(InvalidInput, match="momentum: there is no such parameter"):
        RANKERS[name]({"momentum": 0.9}, resources)
    if name not in ("random", "frequency"):
        with pytest.raises(InvalidInput):
            RANKERS[name]({}, resources).load({"written": "by another"})


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("logistic-paper", {"epochs": 0}),
        ("logistic-paper", {"epochs": "many"}),
        ("logistic-paper", {"epochs": True}),
        ("logistic-tesa", {"penalty": -1.0}),
        ("boosting", {"trees": 0}),
        ("background-count", {"preparation": "stemmed"}),
    ],
)
def test_a_senseless_parameter_is_refused(name: str, parameters, resources: Resources):
    with pytest.raises(InvalidInput):
        RANKERS[name](parameters, resources)


LABELLED = [*((name, {}) for name in HERE), ("all-count", {"preparation": "tesa"})]


@pytest.mark.parametrize(("name", "parameters"), LABELLED)
def test_the_description_of_a_ranker_names_the_words_it_reads(name: str, parameters, resources: Resources):
    label = RANKERS[name](parameters, resources).state().get("preparation") or ""

    assert preparation_label(name, parameters) == label


@pytest.mark.processes
def test_importing_the_registry_pulls_in_no_heavy_library():
    heavy = "{'sklearn', 'scipy', 'spacy'}"
    code = f"import sys, modeling.rankers, kernel.vectors; print({heavy} & {{*sys.modules}})"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert completed.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["all-count", "logistic-tesa", "boosting", "embedding"])
def test_a_model_saved_with_version_1_of_its_preparation_is_refused(name: str, resources: Resources):
    ranker = RANKERS[name]({}, resources)
    state = ranker.state()
    assert str(state["preparation"]).endswith(" 2")

    for old in ({**state, "preparation": "paper 1"}, {key: state[key] for key in state if key != "preparation"}):
        with pytest.raises(WrongState, match="The saved model was made with version 1 of the preparation"):
            ranker.load(old)
