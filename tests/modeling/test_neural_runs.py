"""Neural runs as runs like any other: a job, a child process, files, pages. A stand-in takes the command's place."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import replace

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.urls import reverse

from kernel.clock import now
from kernel.errors import Cancelled, InvalidInput, TesaError
from kernel.progress import Silent
from modeling import devices, machine
from modeling.generations import read_generations
from modeling.models import Run
from modeling.rankers import neural_command, neural_runs
from modeling.rankers.base import Resources
from modeling.rankers.neural.work_folder import WorkFolder
from modeling.run_folder import NEURAL
from modeling.services import run_files, running, watching
from tests.make import execute_all, make_experiment, make_running_job, make_user
from tests.modeling.run_files import predictions
from tests.modeling.values import synthetic_dataset
from tests.product import wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder"), pytest.mark.processes]
MARKS = [(True, False), (False, False), (False, True)]  # of the stand-in's phrases
LINE = "cross-encoder checkpoint=tiny"


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    monkeypatch.setattr(neural_command, "COMMAND", (sys.executable, "-m", "tests.modeling.stand_in_command"))
    monkeypatch.setattr(neural_command, "SECONDS_BETWEEN_LOOKS", 0.05)
    monkeypatch.setattr(neural_runs, "has_torch", lambda: True)
    monkeypatch.setattr(watching, "SECONDS_BETWEEN_WRITES", 0.0)
    monkeypatch.delenv("TESA_STAND_IN", raising=False)


def make_run(line: str = LINE) -> Run:
    return make_experiment("One", line).runs.get()


def text_of(run: Run, name: str) -> str:
    with default_storage.open(f"{run.folder}/{name}") as file:
        return str(file.read().decode())


class Ears(Silent):
    """Progress that keeps what is logged, and does something when a step begins with a word."""

    def __init__(self, word: str = "", happens=lambda: None) -> None:
        self.lines: list[str] = []
        self.word, self.happens = word, happens

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        if self.word and step and step.startswith(self.word):
            self.happens()

    def log(self, text: str) -> None:
        self.lines.append(text)


def cancel() -> None:
    raise Cancelled("asked to stop")


def test_a_neural_run_ends_with_the_files_and_figures_of_any_other_and_its_weights():
    run = running.execute_run(make_run().pk, Silent())

    assert run.metrics["test"]["ap"]["mean"] > 0
    assert len(predictions(run.pk)) == run.predictions.count() == 30
    model = json.loads(text_of(run, "model.json"))
    assert run.hashes["model/model.safetensors"] == model["files"]["model.safetensors"]["sha256"]
    assert text_of(run, "model/model.safetensors") == "weights" * 1000
    assert [row["valid_ap"] for row in run.curve] == [0.6]
    assert (run.hardware["device"], run.versions["torch"]) == ("CPU (stand-in)", "9.9")
    live = Run.objects.get().live
    assert (live["last"]["loss"], live["valid"][0]["valid_ap"]) == (0.7, 0.6)
    assert not run_files.work_folder(run.pk).exists()


def test_generated_phrases_are_a_file_of_the_run_and_keep_the_test_part_closed(client):
    experiment = make_experiment("Two", "seq2seq checkpoint=tiny learning_rate=0.1,0.2")
    run = experiment.runs.all()[0]  # the other one is still to come
    running.execute_run(run.pk, Silent())
    rows = read_generations(text_of(run, "generations.jsonl").splitlines())
    client.force_login(make_user())

    handed_out = client.get(reverse("run-file", args=[run.pk, "generations.jsonl"]))

    assert [(row.part, row.key) for row in rows] == [*run.predictions.values_list("part", "task__key").order_by("id")]
    assert all([(phrase.is_gold, phrase.lists_entities) for phrase in row.phrases] == MARKS for row in rows)
    assert {json.loads(line)["part"] for line in b"".join(handed_out).splitlines()} == {"valid"}
    assert running.verify_run(run.pk, Silent())["generations.jsonl"]


def test_a_ranker_that_writes_no_phrases_has_no_file_of_them():
    run = running.execute_run(make_run().pk, Silent())

    assert "generations.jsonl" not in run.hashes
    assert not default_storage.exists(f"{run.folder}/generations.jsonl")


def test_an_installation_that_keeps_no_weights_stores_none_and_clean_up_removes_old_ones(settings):
    run = running.execute_run(make_run().pk, Silent())
    settings.KEEP_WEIGHTS = "none"
    other = running.execute_run(make_experiment("Other", LINE, split=run.experiment.split).runs.get().pk, Silent())

    assert not other.weight_names
    assert run_files.remove_unkept_weights() == 1
    assert not default_storage.exists(f"{run.folder}/model/model.safetensors")
    assert default_storage.exists(f"{run.folder}/predictions.jsonl")
    assert Run.objects.get(pk=run.pk).hashes.keys() == other.hashes.keys()


def test_deleting_a_run_deletes_its_weights():
    run = running.execute_run(make_run().pk, Silent())

    run_files.remove_files(run.pk, run.folder)

    assert not default_storage.exists(f"{run.folder}/model/model.safetensors")
    assert not default_storage.exists(f"{run.folder}/spec.json")


def test_a_cancelled_run_ends_the_whole_group_of_its_command_and_continues_later(monkeypatch):
    monkeypatch.setenv("TESA_STAND_IN", "waits")
    run = make_run()
    folder = run_files.work_folder(run.pk) / NEURAL

    def cancel_once_it_has_a_child() -> None:
        wait_for((folder / "grandchild").exists)
        cancel()

    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Ears("Epoch", cancel_once_it_has_a_child))
    grandchild = int((folder / "grandchild").read_text())
    assert WorkFolder(folder).state().state == "interrupted"
    wait_for(lambda: not is_alive(grandchild))

    monkeypatch.setenv("TESA_STAND_IN", "")
    ears = Ears()
    assert running.execute_run(run.pk, ears).finished_at
    assert "continued at update 1" in ears.lines


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_run_that_is_asked_to_stop_after_this_epoch_scores_and_finishes(monkeypatch):
    monkeypatch.setenv("TESA_STAND_IN", "waits")
    run = make_run()

    ask = Ears("Epoch", lambda: Run.objects.update(stop_requested=True))
    run = running.execute_run(run.pk, ask)

    assert run.finished_at
    assert json.loads(text_of(run, "model.json"))["ended"] == "asked to stop"


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("refuses", InvalidInput, "The tasks have no distractors."),
        ("stuck", TesaError, "ran out of memory; a batch of 4 fits. Retry the job to continue"),
        ("crashes", TesaError, "ended with code 1; the log shows its last lines"),
    ],
)
def test_a_command_that_fails_is_told_in_a_sentence_and_its_folder_stays(how, error, message, monkeypatch):
    monkeypatch.setenv("TESA_STAND_IN", how)
    run, ears = make_run(), Ears()

    with pytest.raises(error, match=message):
        running.execute_run(run.pk, ears)

    assert any("seven by zero" in line for line in ears.lines) == (how == "crashes")
    assert run_files.work_folder(run.pk).exists()
    assert not Run.objects.get().finished_at


def test_a_machine_without_torch_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(neural_runs, "has_torch", lambda: False)

    with pytest.raises(InvalidInput, match="needs torch, which this machine lacks: run make worker-gpu"):
        running.execute_run(make_run().pk, Silent())


def test_a_checkpoint_that_this_machine_lacks_is_named(settings):
    with pytest.raises(InvalidInput, match=r"no checkpoint 'bart.large.cnn'.*models_add"):
        running.execute_run(make_run("bart-generative").pk, Silent())


def test_a_device_is_taken_by_one_run_at_a_time(tmp_path):
    with devices.reserved(tmp_path) as device:
        assert device is not None
        assert devices._first_free(tmp_path) is None
        with devices.reserved(tmp_path) as again:
            assert again == device
    assert devices._held.get() is None
    with devices.reserved(tmp_path) as free:
        assert free is not None


def test_gpus_are_known_by_their_numbers_and_the_cpu_stands_in(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(devices, "GPU_FILES", tmp_path)
    assert devices.devices() == ["cpu"]
    for name in ("nvidia0", "nvidia10", "nvidia2", "nvidiactl"):
        (tmp_path / name).touch()
    assert devices.devices() == ["0", "2", "10"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,3")
    assert devices.devices() == ["1", "3"]


def test_a_run_is_verified_by_its_bytes_on_a_processor_and_within_a_tolerance_on_a_gpu():
    run = running.execute_run(make_run().pk, Silent())
    assert all(running.verify_run(run.pk, Silent()).values())

    Run.objects.update(hardware={**run.hardware, "device": "NVIDIA H200"})
    (verdict,) = running.verify_run(run.pk, Silent()).items()
    assert verdict == (f"scores (more than {machine.TOLERANCE} apart)", True)
    shifted = run.predictions.order_by("pk").first()
    shifted.scores[0] += 2 * machine.TOLERANCE
    shifted.save()
    assert [*running.verify_run(run.pk, Silent()).values()] == [False]


def test_a_trained_model_scores_tasks_that_nobody_told_it_of(tmp_path):
    dataset = synthetic_dataset()
    resources = Resources(work=tmp_path / "work", locks=tmp_path)
    ranker = neural_runs.cross_encoder({"checkpoint": "tiny"}, resources)
    ranker.fit(dataset["train"], dataset["valid"], seed=1, progress=Silent())
    later = ranker.score_all(dataset["test"], progress=Silent())

    assert [len(scores) for scores in later] == [len(task.candidates) for task in dataset["test"]]
    again = neural_runs.cross_encoder({"checkpoint": "tiny"}, replace(resources))
    again.load(ranker.state())
    assert again.score_all(dataset["valid"], progress=Silent()) == ranker.score_all(dataset["valid"], progress=Silent())


def test_what_a_text_format_leaves_out_is_a_method_of_its_own_and_seeds_are_not():
    experiment = execute_all(make_experiment("Ablated", f"{LINE} text_format=v0,vc", seeds=(1, 2)))

    from modeling.selectors import results

    lines = results.results_table(results.runs_of(experiment))

    assert [(line.label, line.runs) for line in lines] == [("cross-encoder", 2), ("cross-encoder vc", 2)]


def test_tasks_from_files_are_ranked_by_neural_rankers_too(tmp_path):
    lines = synthetic_dataset().to_lines()
    (tmp_path / "tasks.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    out, printed = tmp_path / "out", io.StringIO()

    call_command("rank_files", tmp_path / "tasks.jsonl", ranker=[LINE], out=out, stdout=printed)

    assert "cross-encoder" in printed.getvalue()
    assert sorted(os.listdir(out / "cross-encoder" / "model")) == ["model.safetensors"]
    assert not (out / "cross-encoder" / NEURAL).exists()


def test_lists_of_runs_and_the_papers_tables_name_the_backend_where_a_method_has_one(researcher):
    experiment = execute_all(make_experiment("Two", "random", LINE))
    without = make_experiment("Plain", "random", split=experiment.split)

    for tab in ("experiment-runs", "experiment-paper"):
        text = researcher.get(reverse(tab, args=[experiment.pk])).content.decode()
        assert ">Backend</th>" in text
        assert ">transformers</td>" in text
    assert "Backend" not in researcher.get(reverse("experiment-runs", args=[without.pk])).content.decode()


def test_the_page_of_a_run_that_trains_shows_how_it_goes_and_offers_to_stop(researcher):
    run = make_run()
    run.job = make_running_job(kind="run_neural_ranker", queue="gpu", worker="gpu1:7")
    last = {"loss": 0.41, "epoch": 2, "update": 30, "updates": 90, "samples_per_second": 12.5, "seconds_left": 60}
    rows = [{"update": n, "loss": 1 / n, "learning_rate": 1e-5} for n in range(1, 4)]
    run.live = {"last": last, "curve": rows, "valid": [], "seconds": 3600, "device": "NVIDIA H200"}
    run.save()

    page = researcher.get(reverse("run", args=[run.pk])).content.decode()
    part = researcher.get(reverse("run", args=[run.pk]), headers={"HX-Request": "true"}).content.decode()

    for shown in (page, part):
        assert all(text in shown for text in ("0.410", "12.5", "NVIDIA H200", "1.00 device hours", "training loss"))
        assert "Stop after this epoch" in shown
    assert "<html" not in part
    researcher.post(reverse("run-stop", args=[run.pk]))
    assert Run.objects.get().stop_requested
    assert "Ends after this epoch" in researcher.get(reverse("run", args=[run.pk])).content.decode()


def test_the_page_turns_to_the_results_as_soon_as_the_run_is_whole_even_if_its_job_is_still_closing(researcher):
    run = make_run()
    Run.objects.update(job=make_running_job(kind="run_neural_ranker", queue="gpu"))
    address, asking = reverse("run", args=[run.pk]), {"HX-Request": "true"}
    assert "HX-Refresh" not in researcher.get(address, headers=asking)

    Run.objects.update(finished_at=now())

    assert researcher.get(address, headers=asking)["HX-Refresh"] == "true"


def test_a_run_that_failed_says_why_and_is_resumed_from_its_page(researcher):
    run = make_run()
    job = make_running_job(kind="run_neural_ranker", queue="gpu")
    type(job).objects.update(status="failed", error="The disk is full.")
    Run.objects.update(job=job)

    page = researcher.get(reverse("run", args=[run.pk])).content.decode()
    assert "The disk is full." in page
    assert "Resume" in page
    researcher.post(reverse("run-resume", args=[run.pk]))

    job.refresh_from_db()
    assert (job.status, job.attempt) == ("queued", 2)


def test_weights_are_downloaded_by_name_and_nothing_else_is(researcher):
    run = running.execute_run(make_run().pk, Silent())

    answer = researcher.get(reverse("run-weights", args=[run.pk, "model.safetensors"]))

    assert b"".join(answer.streaming_content) == b"weights" * 1000
    assert researcher.get(reverse("run-weights", args=[run.pk, "spec.json"])).status_code == 404
    assert (
        reverse("run-weights", args=[run.pk, "model.safetensors"])
        in researcher.get(reverse("run", args=[run.pk])).content.decode()
    )
