"""Splits, and experiments before anything runs."""

from __future__ import annotations

import pytest

from kernel.errors import InvalidInput, WrongState
from kernel.models import Job
from modeling.candidates import CandidateOptions
from modeling.grids import Grid, parse_entries
from modeling.models import Experiment
from modeling.rankers import usable_rankers
from modeling.services import experiments, splits
from modeling.splits import split_from_json
from tests.make import make_experiment, make_split, make_synthetic_release

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_the_same_split_is_made_once_and_keeps_its_statistics():
    release = make_synthetic_release()

    first, again = make_split(release), make_split(release)

    assert first == again
    assert [first.statistics[part]["instances"] for part in ("train", "valid", "test")] == [30, 15, 15]
    assert split_from_json(first.value).content_hash() == first.content_hash


def test_folds_share_one_test_part():
    made = splits.make_splits(make_synthetic_release(), 3, rule="paper", seed=1, by=None)

    assert [split.fold for split in made] == [0, 1, 2]
    assert len({tuple(split.value["parts"]["test"]) for split in made}) == 1
    assert str(made[0]) == "paper, seed 1, fold 1 of 3"


def test_a_release_that_is_not_frozen_is_not_split():
    with pytest.raises(WrongState, match="not frozen"):
        make_split(make_synthetic_release(content_hash=""))


# ---- Making an experiment -------------------------------------------------------------------------


def test_an_experiment_has_a_queued_run_for_each_cell_of_its_grid():
    experiment = make_experiment("Grid", "random", "logistic-tesa penalty=1,10", seeds=(1, 2), is_queued=True)

    runs = list(experiment.runs.all())
    assert [run.label for run in runs] == [
        "random, seed 1",
        "random, seed 2",
        "logistic-tesa, penalty 1",
        "logistic-tesa, penalty 10",
    ]
    assert {run.status for run in runs} == {"queued"}
    assert [job.parameters["run"] for job in Job.objects.order_by("pk")] == [run.pk for run in runs]
    assert len(experiments.open_jobs(experiment)) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": " "}, "name"),
        ({"grid": Grid(parse_entries(["logistic-tesa nonsense=1"]))}, "no such parameter"),
        ({"grid": Grid(parse_entries(["embedding"]))}, "needs word vectors"),
        ({"options": CandidateOptions(size=1)}, "size"),
        ({"options": CandidateOptions(hard=30)}, "hard"),
        ({"vectors": "text:/nowhere"}, "there is no file"),
    ],
)
def test_an_experiment_that_cannot_run_is_not_made(change, message):
    plan = {"name": "New", "split": make_split(), "grid": Grid(parse_entries(["random"]))} | change

    with pytest.raises(InvalidInput, match=message):
        experiments.create_experiment(experiments.ExperimentPlan(**plan), by=None)

    assert not Experiment.objects.exists()
    assert not Job.objects.exists()


def test_a_name_is_taken_once():
    taken = make_experiment("Twice")

    with pytest.raises(WrongState, match="choose another name"):
        make_experiment("Twice", split=taken.split)


def test_without_word_vectors_all_rankers_but_those_that_need_them_are_offered():
    usable = usable_rankers(has_vectors=False)

    assert len(usable) == 14
    assert not [name for name in usable if "embedding" in name]
