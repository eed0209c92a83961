"""Neural rankers on the Train page and in the queue: what can run where is known before anything is started."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from kernel import jobs, selectors
from kernel.job_kind import JobKind, JobResult
from kernel.models import Job
from modeling import live
from modeling.grids import Grid, PlannedRun, parse_entries, with_neural
from modeling.models import Experiment
from modeling.presets import PRESETS
from modeling.rankers import neural_rankers, usable_rankers
from modeling.selectors import this_machine
from tesa_site import processes
from tesa_site import settings as site_settings
from tests.make import make_experiment, make_job, make_synthetic_release, make_worker
from tests.modeling.page_text import text_of

FACTS = {
    "device": "NVIDIA H200",
    "devices": 1,
    "memory": 150_000_000_000,
    "versions": {"torch": "2.13.0", "cuda": "13.0"},
    "models": "/data/models",
    "checkpoints": [
        {"name": "bart.large.cnn", "layout": "hugging-face", "problem": "", "parameters": 406291456, "size": 10**9,
         "sha256": "ab" * 32, "licence": "LICENSE"},
        {"name": "half", "layout": "hugging-face", "problem": "half has no weights", "parameters": 0, "size": 0,
         "sha256": "", "licence": ""},
    ],
}  # fmt: skip
FAIRSEQ = {"versions": {"fairseq": "0.12.3", "torch": "2.13.0"}}


def make_gpu_worker(**facts):
    return make_worker("gpu1:7", ("gpu",), facts={**FACTS, **facts})


# ---- Which runs go where --------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_runs_of_neural_rankers_go_to_the_queue_gpu_and_the_others_to_default():
    make_experiment("Both", "random", "seq2seq checkpoint=tiny", is_queued=True)

    assert dict(Job.objects.values_list("kind", "queue")) == {"run_ranker": "default", "run_neural_ranker": "gpu"}


def test_neural_rankers_are_not_among_those_that_any_worker_can_run():
    assert not set(neural_rankers()) & set(usable_rankers(has_vectors=True))
    assert "bart-discriminative" in neural_rankers()


def test_a_worker_serves_the_queue_gpu_only_where_torch_is_installed(monkeypatch):
    monkeypatch.setattr(site_settings, "HAS_TORCH", False)
    monkeypatch.setattr(site_settings, "SERVED_QUEUES", site_settings.QUEUES[:-1])

    assert "default,corpus" in processes.worker()
    with pytest.raises(ImproperlyConfigured, match=r"needs torch.*make worker-gpu"):
        processes.worker(["gpu"])


def test_a_worker_that_does_not_train_says_nothing_of_its_machine():
    assert this_machine.facts_here(["default", "corpus"]) == {}


@pytest.fixture
def reserving(monkeypatch):
    """A kind of job that needs something alone; the dict says whether it is free."""
    state = {"free": True, "ran": []}

    @contextmanager
    def reserve():
        yield state["free"]

    def run(parameters, progress):
        state["ran"].append(parameters["name"])
        return JobResult()

    kinds = {"works": JobKind("Works", "gpu", run, reserve=reserve, repeatable=False)}
    monkeypatch.setattr(selectors, "job_kinds", lambda: kinds)
    return state


@pytest.mark.django_db
def test_a_job_that_does_not_get_its_device_stays_queued_and_is_nudged_when_one_is_free(reserving, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(jobs, "send", lambda job: sent.append(job.pk))
    first, second = (make_job(kind="works", queue="gpu", parameters={"name": name}) for name in "ab")
    reserving["free"] = False

    jobs.run_job(first.pk, 1)
    first.refresh_from_db()
    assert (first.status, first.attempt, sent) == ("queued", 1, [])

    reserving["free"] = True
    jobs.run_job(first.pk, 1)
    first.refresh_from_db()
    assert (first.status, reserving["ran"], sent) == ("succeeded", ["a"], [second.pk])


# ---- Pages ----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_without_a_worker_that_trains_the_page_says_so_and_gives_the_command(researcher):
    make_synthetic_release()
    make_worker("web1:2", ("default", "corpus"))

    page = text_of(researcher.get(reverse("experiment-new")))

    assert f"No running worker can train neural models: {', '.join(neural_rankers())}." in page
    assert "make worker-gpu" in page
    assert "No running worker can train neural models" in text_of(researcher.get(reverse("machines")))


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_the_train_page_offers_the_checkpoints_of_live_workers_that_can_be_used(researcher):
    make_synthetic_release()
    make_gpu_worker()

    page = researcher.get(reverse("experiment-new"))

    offered = [value for value, _ in page.context["form"].fields["checkpoint"].choices]
    assert offered == ["", "bart.large.cnn", "tiny", "random-bart-base", "random-bart-large"]
    assert page.context["form"]["checkpoint"].initial == "bart.large.cnn"
    assert "gpu1:7 (NVIDIA H200)" in text_of(page)


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("name", PRESETS)
def test_each_experiment_of_the_paper_is_one_click(researcher, name):
    make_synthetic_release()
    make_gpu_worker()
    data = {"name": "Mine", "action": name, "seeds": "7", "checkpoint": "tiny"}

    answer = researcher.post(reverse("experiment-new"), data)

    assert answer.status_code == 302, text_of(answer)
    runs = Experiment.objects.get().runs
    assert runs.count() == PRESETS[name].runs
    assert all(run.parameters["checkpoint"] == "tiny" for run in runs.all() if run.is_neural)


@pytest.mark.parametrize(
    ("name", "runs"), [("finals", 14), ("ablations", 8), ("grid-generative", 10), ("grid-discriminative", 12)]
)
def test_the_presets_have_as_many_runs_as_the_appendix_describes(name, runs):
    assert PRESETS[name].runs == runs


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_a_checkpoint_that_no_live_worker_has_is_refused_before_anything_is_made(researcher):
    make_synthetic_release()
    make_gpu_worker(checkpoints=[])
    data = {"name": "Mine", "action": "chosen", "rankers": ["bart-generative"], "seeds": "1"}

    answer = researcher.post(reverse("experiment-new"), data)

    assert answer.status_code == 422
    assert "no running worker has the checkpoint 'bart.large.cnn'" in text_of(answer)
    assert not Experiment.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize(("fairseq", "status"), [({}, 422), ({"problem": "broken"}, 422), (FAIRSEQ, 302)])
def test_runs_with_fairseq_start_only_if_a_live_worker_has_it(researcher, fairseq, status):
    make_synthetic_release()
    make_gpu_worker(fairseq=fairseq)
    data = {"name": "Mine", "action": "chosen", "rankers": ["random", "seq2seq"], "seeds": "1", "backend": "fairseq"}

    answer = researcher.post(reverse("experiment-new"), data)

    assert answer.status_code == status
    if status == 302:
        assert {run.method for run in Experiment.objects.get().runs.all()} == {"random", "seq2seq fairseq"}
        assert "with fairseq 0.12.3" in text_of(researcher.get(reverse("experiment-new")))
    else:
        assert "no running worker has fairseq: run make fairseq-env on a training machine" in text_of(answer)
        assert not Experiment.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_no_neural_run_starts_while_a_worker_of_another_version_could_take_it_up(researcher):
    make_synthetic_release()
    make_worker("gpu9:7", ("gpu",), facts=FACTS, version="0.0.1")
    data = {"name": "Mine", "action": "chosen", "seeds": "1", "checkpoint": "tiny"}
    problem = "he worker gpu9:7 runs TESA 0.0.1, this site"

    answer = researcher.post(reverse("experiment-new"), {**data, "rankers": ["random", "seq2seq"]})

    assert answer.status_code == 422
    assert problem in text_of(answer)
    assert not Experiment.objects.exists()
    assert problem in text_of(researcher.get(reverse("experiment-new")))
    assert problem in text_of(researcher.get(reverse("machines")))
    assert researcher.post(reverse("experiment-new"), {**data, "rankers": ["random"]}).status_code == 302


@pytest.mark.django_db
def test_the_machines_page_says_which_worker_has_fairseq_or_why_not(researcher):
    make_gpu_worker(fairseq=FAIRSEQ)
    make_worker("gpu2:7", ("gpu",), facts={**FACTS, "fairseq": {"problem": "it names /x, which is not a Python"}})

    page = text_of(researcher.get(reverse("machines")))

    assert "0.12.3, torch 2.13.0" in page
    assert "It names /x, which is not a Python" in page


@pytest.mark.django_db
def test_the_machines_page_lists_devices_versions_and_checkpoints_with_their_faults(researcher):
    make_gpu_worker()

    page = text_of(researcher.get(reverse("machines")))

    for text in (
        "gpu1:7",
        "NVIDIA H200",
        "torch 2.13.0",
        "406,291,456",
        "ab" * 32,
        "Half has no weights",
        "models_add",
    ):
        assert text in page


# ---- Small parts ----------------------------------------------------------------------------------


def test_a_chosen_checkpoint_goes_to_neural_rankers_whose_line_names_none():
    entries = parse_entries(["random", "seq2seq", "cross-encoder checkpoint=tiny"])

    chosen = with_neural(entries, checkpoint="bart.base")

    assert [dict(entry.parameters) for entry in chosen] == [{}, {"checkpoint": ["bart.base"]}, {"checkpoint": ["tiny"]}]
    assert with_neural(entries, checkpoint="", backend="") == entries


def test_a_method_is_named_by_the_text_it_reads_unless_that_is_the_usual_one():
    cells = Grid(parse_entries(["bart-generative text_format=v0,vc epochs=3"])).cells()

    assert [(cell.method, cell.detail) for cell in cells] == [
        ("bart-generative", "epochs 3, seed 1"),
        ("bart-generative vc", "epochs 3, seed 1"),
    ]
    assert PlannedRun("random", {}, 1).method == "random"


def test_a_method_is_named_by_its_backend_unless_that_is_the_usual_one():
    first, second = Grid(parse_entries(["seq2seq text_format=va backend=transformers,fairseq"])).cells()

    assert (first.method, second.method) == ("seq2seq va", "seq2seq va fairseq")
    assert (first.backend, second.backend, PlannedRun("random", {}, 1).backend) == ("transformers", "fairseq", "")


def report(kind: str, at: float, **values):
    return {"kind": kind, "time": at, **values}


def test_what_a_page_shows_of_training_is_bounded_and_leaves_out_the_time_nothing_ran():
    rows = [report("update", float(n), update=n, loss=1 / n, busy=None) for n in range(1, 1001)]
    rows += [report("resumed", 5000.0, update=1000), report("update", 5002.0, update=1001, loss=0.5)]
    rows += [report("valid", 5003.0, update=1001, epoch=1, valid_ap=0.7), report("score", 5004.0, done=3, total=9)]

    shown = live.summary(rows)

    assert len(shown["curve"]) <= live.MOST_POINTS + 1
    assert shown["curve"][-1] == shown["last"] == {"update": 1001, "loss": 0.5}
    assert shown["valid"] == [{"update": 1001, "epoch": 1, "valid_ap": 0.7}]
    assert shown["scored"] == {"done": 3, "total": 9}
    assert shown["seconds"] == 999 + 4
    assert live.summary([])["last"] == {}
