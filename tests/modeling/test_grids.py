"""A grid names each run once, and refuses what cannot be run with a sentence."""

from __future__ import annotations

import pytest

from kernel.errors import InvalidInput
from kernel.progress import Silent
from kernel.vectors import VECTORS
from kernel.vectors.base import WordVectors
from modeling.execution import training_share
from modeling.grids import LEARNING, SEEDED, Entry, Grid, check_grid, merge_entries, parse_entries
from modeling.rankers import DESCRIPTIONS, RANKERS, usable_rankers
from modeling.rankers.base import Resources
from tests.modeling.values import refusal, synthetic_dataset, synthetic_items
from tests.synthetic.vectors import write_synthetic_vectors


def test_a_grid_multiplies_parameters_seeds_and_shares_where_they_matter():
    grid = Grid(parse_entries(["random", "logistic-tesa penalty=0.1,1", "context-count"]), (1, 2), (50, 100))

    cells = [(cell.ranker, dict(cell.parameters), cell.seed, cell.share) for cell in grid.cells()]

    assert cells == [
        ("random", {}, 1, 100),
        ("random", {}, 2, 100),
        ("logistic-tesa", {"penalty": 0.1}, 1, 50),
        ("logistic-tesa", {"penalty": 0.1}, 1, 100),
        ("logistic-tesa", {"penalty": 1}, 1, 50),
        ("logistic-tesa", {"penalty": 1}, 1, 100),
        ("context-count", {}, 1, 100),
    ]


def test_a_run_that_is_named_twice_is_run_once():
    assert len(Grid(parse_entries(["frequency", "frequency"]), (1, 1)).cells()) == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["nonsense"], "there is no method 'nonsense'"),
        (["random x"], "should read name=value"),
        ([], "at least one method"),
        (["logistic-tesa penalty=" + ",".join(map(str, range(1, 502)))], "501 runs"),
        (["logistic-tesa penalty=1,NaN"], "'NaN' cannot be tried"),
        (["logistic-tesa penalty=-Infinity"], "'-Infinity' cannot be tried"),
        (["logistic-tesa penalty=1e999"], "'1e999' cannot be tried"),
        (["logistic-tesa penalty=1" + "0" * 400], "cannot be tried"),
    ],
)
def test_what_cannot_be_run_is_refused(lines, message):
    assert message in refusal(lambda: Grid(parse_entries(lines)).cells())


@pytest.mark.parametrize(
    "grid",
    [
        Grid((), ()),
        Grid((), (2**32,)),
        Grid((), (-1,)),
        Grid((), tuple(range(21))),
        Grid((), (1,), (50,)),
        Grid((), (1,), (0, 100)),
    ],
)
def test_seeds_and_shares_are_checked(grid):
    with pytest.raises(InvalidInput):
        check_grid(grid)


def test_of_two_entries_of_a_ranker_the_one_with_parameters_stays():
    plain, tuned = Entry("boosting"), Entry("boosting", {"trees": [10]})

    assert merge_entries([plain, tuned]) == merge_entries([tuned, plain]) == (tuned,)


def test_all_entries_of_a_ranker_with_parameters_stay_and_the_plain_one_goes():
    first, second = parse_entries(["logistic-tesa penalty=1 steps=5", "logistic-tesa penalty=10"])
    plain, other = Entry("logistic-tesa"), Entry("random")

    assert merge_entries([plain, other, first, second]) == (first, second, other)
    assert merge_entries([first, other, plain, second, other]) == (first, second, other)


def test_smaller_shares_are_part_of_larger_ones_and_nothing_else_changes():
    whole = synthetic_dataset()
    held = [{task.key for task in training_share(whole["train"], share)} for share in (10, 50, 90, 100)]

    assert [len(keys) for keys in held] == [6, 30, 54, 60]
    assert held[0] < held[1] < held[2] < held[3]
    assert training_share(whole["train"], 100) == whole["train"]


def test_no_method_that_learns_nothing_is_called_trained():
    trained = {name for name, ranker in DESCRIPTIONS.items() if ranker.group == "Trained"}

    assert trained == {name for name, ranker in DESCRIPTIONS.items() if ranker.is_learning} - {"frequency"}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory) -> WordVectors:
    path = tmp_path_factory.mktemp("vectors") / "words.txt"
    return VECTORS["text"](str(write_synthetic_vectors(path, synthetic_items(), dimension=8)))


def scores(name: str, vectors: WordVectors, seed: int, share: int) -> list[list[float]]:
    dataset = synthetic_dataset()
    ranker = RANKERS[name]({}, Resources(vectors))
    ranker.fit(training_share(dataset["train"], share), dataset["valid"], seed=seed, progress=Silent())
    return ranker.score_all(dataset["test"], progress=Silent())


@pytest.mark.parametrize("name", [name for name in usable_rankers(has_vectors=True) if name not in SEEDED])
def test_rankers_that_are_not_called_seeded_give_the_same_for_every_seed(name, vectors):
    assert scores(name, vectors, 1, 100) == scores(name, vectors, 2, 100)


@pytest.mark.parametrize("name", [name for name in usable_rankers(has_vectors=True) if name not in LEARNING])
def test_rankers_that_are_not_called_learning_give_the_same_for_every_share(name, vectors):
    assert scores(name, vectors, 1, 100) == scores(name, vectors, 1, 20)
