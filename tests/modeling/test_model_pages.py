"""The pages under /models/: every number equals a recomputation from predictions.jsonl by code that is not ours."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from modeling.grids import SHARES
from modeling.models import ErrorNote, Experiment, Run, TaskRow
from modeling.services import experiments
from tesa_site.kernel.models import Job
from tests.make import execute_all, make_experiment, make_job, make_split, make_synthetic_release, make_user
from tests.modeling.recompute import COLUMNS, recompute

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.VECTORS_FOLDER = tmp_path / "vectors"


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def experiment() -> Experiment:
    return execute_all(make_experiment("All", "random", "frequency", "logistic-tesa penalty=1,100", seeds=(1, 2)))


def predictions(run_id: int) -> list[str]:
    with default_storage.open(f"runs/{run_id}/predictions.jsonl") as file:
        return str(file.read().decode()).splitlines()


def text_of(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


# ---- Numbers --------------------------------------------------------------------------------------


def test_every_mean_of_the_table_equals_a_recomputation_from_the_files(researcher, experiment):
    page = researcher.get(reverse("experiment", args=[experiment.pk]))
    table = researcher.get(reverse("results-file", args=[experiment.pk, "csv"])).content.decode()

    shown = re.findall(
        r'<tr[^>]*>\s*<th scope="row"><a href="/models/runs/(\d+)/">.*?</tr>', page.content.decode(), re.S
    )
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["run"] for row in rows] == shown
    assert len(rows) == 3
    for row in rows:
        found = recompute(predictions(int(row["run"])))
        for (part, name), value in found.items():
            assert float(row[f"{part} {name} mean"]) == pytest.approx(value, abs=1e-12)
        cells = _cells(page.content.decode(), row["run"])
        assert cells == [f"{found[part, name]:.3f}" for part in ("valid", "test") for name in COLUMNS]


def _cells(page: str, run: str) -> list[str]:
    row = re.search(rf'<th scope="row"><a href="/models/runs/{run}/">.*?</tr>', page, re.S)
    assert row
    return re.findall(r'<td class="number[^>]*>(?:<strong>)?([\d.]+)', row.group())


def test_the_breakdown_of_a_run_equals_a_recomputation_over_those_instances(researcher, experiment):
    run = experiment.runs.get(ranker="frequency")
    lines = predictions(run.pk)

    for by, groups in run.breakdowns["test"].items():
        for value, found in groups.items():
            fields = {"type": {"type": value}, "size": {"size": value}, "seen": {"is_seen": value == "seen"}}[by]
            keys = set(TaskRow.objects.filter(part="test", **fields).values_list("key", flat=True))
            told = recompute(lines, keys)
            assert found["n"] == len(keys)
            assert found["ap"]["mean"] == pytest.approx(told["test", "MAP"], abs=1e-12)
            assert found["rr"]["mean"] == pytest.approx(told["test", "MRR"], abs=1e-12)
    page = text_of(researcher.get(reverse("run", args=[run.pk])))
    assert f"{recompute(lines)['test', 'MAP']:.4f}" in page


def test_the_errors_and_the_comparison_say_what_the_files_say(researcher, experiment):
    first, second = experiment.runs.get(ranker="frequency"), experiment.runs.filter(ranker="random").first()
    means = [recompute(predictions(run.pk))["valid", "MAP"] for run in (first, second)]

    told = text_of(researcher.get(reverse("compare"), {"a": first.pk, "b": second.pk}))

    assert f"MAP {means[0]:.3f} against {means[1]:.3f} on the 15 instances of validation" in told
    errors = researcher.get(reverse("run-errors", args=[first.pk]))
    values = [error.prediction.ap for error in errors.context["errors"]]
    assert values == sorted(values)
    assert sum(values) / len(values) == pytest.approx(means[0])
    for error in errors.context["errors"]:
        key = {error.task.key}
        assert error.prediction.ap == pytest.approx(recompute(predictions(first.pk), key)["valid", "MAP"])


# ---- Validation chooses ---------------------------------------------------------------------------


def test_validation_chooses_and_the_test_figures_of_the_others_are_folded_away(researcher, experiment):
    page = researcher.get(reverse("experiment", args=[experiment.pk]))

    runs = {run.pk: run for run in experiment.runs.all()}
    best = max(runs.values(), key=lambda run: (run.metrics["valid"]["ap"]["mean"], -run.number))
    assert page.context["best"].run == best.pk
    others = list(page.context["others"])
    assert {run.ranker for run in others} == {"random", "logistic-tesa"}
    hidden = researcher.get(reverse("run", args=[others[0].pk]))
    assert "folded away" in text_of(hidden)
    assert f"{runs[others[0].pk].metrics['test']['ndcg10']['mean']:.4f}" not in text_of(hidden)
    assert (
        researcher.get(reverse("run-errors", args=[others[0].pk]), {"part": "test"}).context["filters"].part == "valid"
    )


def test_opening_shows_them_and_says_who_did(researcher, experiment):
    other = researcher.get(reverse("experiment", args=[experiment.pk])).context["others"][0]

    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))

    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))
    assert "opened by ben" in page
    assert "Test MAP" in page
    run = Run.objects.get(pk=other.pk)
    assert f"{run.metrics['test']['ndcg10']['mean']:.4f}" in text_of(researcher.get(reverse("run", args=[run.pk])))


# ---- The Train page -------------------------------------------------------------------------------


def test_one_click_trains_every_cpu_ranker(researcher):
    release = make_synthetic_release()
    page = researcher.get(reverse("experiment-new"))
    given = {"name": page.context["form"].initial["name"], "action": "all", "seeds": "1 2 3"}

    answer = researcher.post(f"{reverse('experiment-new')}?release={release.pk}", given)

    experiment = Experiment.objects.get()
    assert answer.url == reverse("experiment", args=[experiment.pk])
    assert {run.ranker for run in experiment.runs.all()} == set(experiments.usable_rankers())
    assert experiment.runs.count() == 14 + 2 * 3
    assert Job.objects.filter(kind="run_ranker", status="queued").count() == 20
    assert experiment.split.rule == "paper"
    assert "Waiting for a worker" in text_of(researcher.get(answer.url))


def test_options_of_the_page_arrive_in_the_runs(researcher):
    split = make_split(rule="grouped", seed=7)
    given = {
        "name": "Mine", "action": "chosen", "split": str(split.pk), "size": "12", "hard": "3", "candidate_seed": "9",
        "train_vocabulary": "on", "rankers": ["frequency", "random"], "grid": "logistic-tesa penalty=1,2", "seeds": "4",
        "size_curve": "on",
    }  # fmt: skip

    answer = researcher.post(reverse("experiment-new"), given)

    assert answer.status_code == 302
    experiment = Experiment.objects.get()
    assert experiment.split == split
    assert experiment.task_set.options == {
        "size": 12, "hard": 3, "train_vocabulary": True, "spare_same_tuple": False,
    }  # fmt: skip
    assert experiment.task_set.seed == 9
    assert experiment.runs.count() == len(SHARES) + 1 + 2 * len(SHARES)
    assert set(experiment.runs.values_list("seed", flat=True)) == {4}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": ""}, "required"),
        ({"seeds": "one"}, "Whole numbers"),
        ({"grid": "nonsense x=1"}, "there is no ranker"),
        ({"grid": "logistic-tesa nonsense=1"}, "no such parameter"),
        ({"rankers": [], "grid": ""}, "at least one ranker"),
        ({"name": "Taken"}, "choose another name"),
        ({"rankers": ["embedding"]}, "needs word vectors"),
    ],
)
def test_what_cannot_be_trained_is_said_on_the_page(researcher, change, told):
    make_experiment("Taken")
    given = {"name": "New", "action": "chosen", "rankers": ["random"], "seeds": "1", "grid": ""} | change

    answer = researcher.post(reverse("experiment-new"), given)

    assert answer.status_code == 422
    assert told in text_of(answer)
    assert Experiment.objects.count() == 1


def test_without_a_release_the_pages_say_what_to_do(researcher):
    for name in ("experiments", "experiment-new"):
        assert "Annotate a sample in a campaign" in text_of(researcher.get(reverse(name)))


# ---- Looking closer -------------------------------------------------------------------------------


def test_an_instance_shows_every_run_s_ranks_and_marks_the_golds(researcher, experiment):
    task = TaskRow.objects.filter(part="valid").first()

    page = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]))

    assert len(page.context["lines"]) == 24
    assert sum(line.is_gold for line in page.context["lines"]) == sum(task.labels)
    assert all(sorted(line.places[n].rank for line in page.context["lines"]) == [*range(1, 25)] for n in range(3))
    assert [line.places[0].rank for line in page.context["lines"]] == [*range(1, 25)]
    assert b"entity--a" in page.content
    everything = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]), {"all": "1"})
    assert len(everything.context["predictions"]) == 5


def test_a_test_instance_shows_only_the_chosen_runs_until_it_is_opened(researcher, experiment):
    task = TaskRow.objects.filter(part="test").first()
    address = reverse("model-instance", args=[experiment.pk, task.key])

    assert len(researcher.get(address, {"all": "1"}).context["predictions"]) == 3
    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))
    assert len(researcher.get(address, {"all": "1"}).context["predictions"]) == 5


def test_notes_are_kept_and_found_again(researcher, experiment):
    task = TaskRow.objects.filter(part="valid").first()
    address = reverse("note-add", args=[experiment.pk, task.key])

    researcher.post(address, {"kind": "gold", "text": "nobody says so"})
    refused = researcher.post(address, {"kind": "other", "text": " "}, follow=True)

    assert "say what is wrong" in text_of(refused)
    assert [note.author_name for note in ErrorNote.objects.all()] == ["ben"]
    run = experiment.runs.first()
    errors = researcher.get(reverse("run-errors", args=[run.pk]), {"noted": "1"})
    assert [error.task for error in errors.context["errors"]] == [task]
    assert "a gold is wrong 1" in text_of(errors)


@pytest.mark.parametrize("filters", [{"type": "person"}, {"size": "2"}, {"seen": "seen"}, {"seen": "unseen"}])
def test_errors_are_filtered(researcher, experiment, filters):
    found = researcher.get(reverse("run-errors", args=[experiment.runs.first().pk]), filters).context["errors"]

    expected = {"type": "type", "size": "size", "seen": "is_seen"}
    name, value = next(iter(filters.items()))
    for error in found:
        held = getattr(error.task, expected[name])
        assert held == {"2": 2, "seen": True, "unseen": False}.get(value, value)
    assert found or value == "seen"


def test_runs_of_different_tasks_are_not_compared(researcher, experiment):
    other = execute_all(make_experiment("Other", "random", split=experiment.split, candidate_seed=2))

    answer = researcher.get(reverse("compare"), {"a": experiment.runs.first().pk, "b": other.runs.get().pk})

    assert answer.status_code == 409
    assert "cannot be compared" in text_of(answer)


@pytest.mark.parametrize("name", ["methods", "breakdown", "training-size"])
def test_plots_come_with_their_data(researcher, name):
    experiment = execute_all(make_experiment("Sizes", "frequency", "logistic-tesa", shares=(50, 100)))

    drawn = researcher.get(reverse("experiment-plot", args=[experiment.pk, name, "svg"]))
    rows = researcher.get(reverse("experiment-plot", args=[experiment.pk, name, "csv"])).content.decode()

    assert drawn.content.startswith(b"<svg")
    assert {row["method"] for row in csv.DictReader(io.StringIO(rows))} == {"frequency", "logistic-tesa"}


@pytest.mark.parametrize("name", ["learning-curve", "weights"])
def test_plots_of_a_run_come_with_their_data(researcher, experiment, name):
    run = experiment.runs.filter(ranker="logistic-tesa").first()

    assert researcher.get(reverse("run-plot", args=[run.pk, name, "svg"])).content.startswith(b"<svg")
    assert len(researcher.get(reverse("run-plot", args=[run.pk, name, "csv"])).content.splitlines()) > 2


def test_files_of_a_run_are_handed_out_and_no_others(researcher, experiment):
    run = experiment.runs.first()

    sent = researcher.get(reverse("run-file", args=[run.pk, "spec.json"]))

    assert b'"ranker":"random"' in b"".join(sent.streaming_content)
    assert researcher.get(reverse("run-file", args=[run.pk, "..%2Fx"])).status_code == 404


def test_the_table_is_copied_in_three_formats(researcher, experiment):
    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))

    assert r"\begin{tabular}" in page
    assert "| Method | Validation MAP |" in page
    for format in ("tex", "md"):
        assert researcher.get(reverse("results-file", args=[experiment.pk, format])).status_code == 200


def test_an_open_experiment_is_followed_and_the_page_comes_anew_at_its_end(researcher):
    experiment = make_experiment("Open", "random", is_queued=True)
    address = reverse("experiment", args=[experiment.pk])
    assert b'hx-trigger="every 2s"' in researcher.get(address).content

    execute_all(experiment)

    assert researcher.get(address, HTTP_HX_REQUEST="true").headers["HX-Refresh"] == "true"


def test_a_run_that_failed_says_why_and_can_be_started_again(researcher):
    experiment = make_experiment("Broken", "random")
    experiment.runs.update(job=make_job(kind="run_ranker", status="failed", error="The disk is full."))

    assert "The disk is full." in text_of(researcher.get(reverse("experiment", args=[experiment.pk])))
    researcher.post(reverse("experiment-resume", args=[experiment.pk]))
    assert experiment.runs.get().status == "queued"


def test_an_experiment_is_deleted_after_a_question(researcher, experiment):
    address = reverse("experiment-delete", args=[experiment.pk])
    assert "5 runs" in text_of(researcher.get(address))

    researcher.post(address)

    assert not Experiment.objects.exists()


# ---- The API --------------------------------------------------------------------------------------


def test_the_api_starts_an_experiment_and_tells_its_results(researcher):
    release = make_synthetic_release()
    given = {"name": "By program", "release": release.pk, "rankers": ["frequency", "random"], "seeds": [1, 2]}

    answer = researcher.post("/api/v1/experiments/", given, content_type="application/json")

    assert answer.status_code == 202, answer.json()
    assert (answer.json()["runs"], answer.json()["whole_runs"]) == (3, 0)
    execute_all(Experiment.objects.get())
    told = researcher.get(f"/api/v1/experiments/{answer.json()['id']}/").json()["results"]
    assert [one["method"] for one in told] == ["frequency", "random"]
    for one in told:
        found = recompute(predictions(one["run"]))
        assert one["figures"]["test"]["ap"]["mean"] == pytest.approx(found["test", "MAP"])
    runs = researcher.get(f"/api/v1/runs/?experiment={answer.json()['id']}").json()["results"]
    assert sorted("test" in run["metrics"] for run in runs) == [False, True, True]


@pytest.mark.parametrize(
    ("change", "status"),
    [({"release": 99}, 404), ({"split": 99}, 404), ({"rankers": ["x"]}, 422), ({"seeds": []}, 422), ({"m": 1}, 422),
     ({"vectors": "text:/etc/passwd"}, 409), ({"rankers": ["embedding"]}, 409),
     ({"grid": ["x y=1"]}, 409), ({"name": "Taken"}, 409)],
)  # fmt: skip
def test_the_api_refuses_what_cannot_be_run(researcher, change, status):
    release = make_experiment("Taken").release
    given = {"name": "New", "release": release.pk, "rankers": ["random"]} | change

    answer = researcher.post("/api/v1/experiments/", given, content_type="application/json")

    assert answer.status_code == status, answer.json()
    assert Experiment.objects.count() == 1
