"""Experiments and runs through the API."""

from __future__ import annotations

import pytest

from modeling.models import Experiment
from tests.make import NO_ROW, execute_all, make_experiment, make_synthetic_release
from tests.modeling.recompute import recompute
from tests.modeling.run_files import predictions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_the_api_starts_an_experiment_and_tells_its_results(researcher):
    release = make_synthetic_release()
    data = {"name": "By program", "release": release.pk, "rankers": ["frequency", "random"], "seeds": [1, 2]}

    answer = researcher.post("/api/v1/experiments/", data, content_type="application/json")

    assert answer.status_code == 202, answer.json()
    assert (answer.json()["runs"], answer.json()["whole_runs"]) == (3, 0)
    execute_all(Experiment.objects.get())
    results = researcher.get(f"/api/v1/experiments/{answer.json()['id']}/").json()["results"]
    assert [result["method"] for result in results] == ["frequency", "random"]
    for result in results:
        recomputed = recompute(predictions(result["run"]))
        assert result["figures"]["test"]["ap"]["mean"] == pytest.approx(recomputed["test", "MAP"])
    runs = researcher.get(f"/api/v1/runs/?experiment={answer.json()['id']}").json()["results"]
    assert sorted("test" in run["metrics"] for run in runs) == [False, True, True]


def test_the_api_names_the_backend_of_neural_runs(researcher):
    release = make_synthetic_release()
    data = {"name": "By program", "release": release.pk, "rankers": ["random", "seq2seq"], "backend": "fairseq"}

    answer = researcher.post("/api/v1/experiments/", data, content_type="application/json")

    assert answer.status_code == 202, answer.json()
    runs = researcher.get(f"/api/v1/runs/?experiment={answer.json()['id']}").json()["results"]
    assert {run["ranker"]: run["backend"] for run in runs} == {"random": "", "seq2seq": "fairseq"}


def test_the_api_lists_many_runs_with_as_few_queries_as_few(researcher, experiment, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):  # two of them for permissions: of groups, and of the user
        runs = researcher.get(f"/api/v1/runs/?experiment={experiment.pk}").json()["results"]

    assert sum("test" in run["metrics"] for run in runs) == 3
    assert len(runs) == 5


@pytest.mark.parametrize(
    ("change", "status"),
    [({"release": NO_ROW}, 404), ({"split": NO_ROW}, 404), ({"rankers": ["x"]}, 422), ({"seeds": []}, 422),
     ({"m": 1}, 422), ({"vectors": "text:/etc/passwd"}, 409), ({"rankers": ["embedding"]}, 409),
     ({"grid": ["x y=1"]}, 409), ({"grid": ["logistic-tesa penalty=Infinity"]}, 409), ({"name": "Taken"}, 409)],
)  # fmt: skip
def test_the_api_refuses_what_cannot_be_run(researcher, change, status):
    release = make_experiment("Taken").release
    data = {"name": "New", "release": release.pk, "rankers": ["random"]} | change

    answer = researcher.post("/api/v1/experiments/", data, content_type="application/json")

    assert answer.status_code == status, answer.json()
    assert Experiment.objects.count() == 1
