"""Trying a trained run: what may be typed, the job that answers, the page that waits and keeps the answer."""

from __future__ import annotations

import sys

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from kernel.errors import InvalidInput, WrongState
from kernel.models import Job, JobStatus
from kernel.progress import Silent
from modeling import jobs as modeling_jobs
from modeling.models import Run, TaskRow, Trial
from modeling.rankers import neural_command, neural_runs
from modeling.services import running, trials
from modeling.trials import LONGEST_TEXT, question_from, question_of
from tests.make import make_experiment, make_worker
from tests.modeling.page_text import text_of

TYPED = {
    "entity_type": "person",
    "entities": "Ida Lind\nOlaf Brandt",
    "backgrounds": "Ida Lind is a painter.",
    "title": "In the north",
    "text": "Ida Lind met Olaf Brandt.",
    "candidates": "painters\nkings\npainters",
}


@pytest.fixture
def run(own_folder, monkeypatch) -> Run:
    """A finished generative run; a stand-in takes the place of the command."""
    monkeypatch.setattr(neural_command, "COMMAND", (sys.executable, "-m", "tests.modeling.stand_in_command"))
    monkeypatch.setattr(neural_command, "SECONDS_BETWEEN_LOOKS", 0.05)
    monkeypatch.setattr(neural_runs, "has_torch", lambda: True)
    return running.execute_run(make_experiment("Try", "seq2seq checkpoint=tiny").runs.get().pk, Silent())


def test_what_was_typed_becomes_a_question():
    question = question_of(**TYPED)

    assert question.entities == ("Ida Lind", "Olaf Brandt")
    assert question.backgrounds == ("Ida Lind is a painter.", "")
    assert question.candidates == ("painters", "kings")
    assert question_from(question.to_json()) == question
    assert question.task().item.context == "Ida Lind met Olaf Brandt."


def test_an_empty_line_is_an_entity_without_background():
    assert question_of(**TYPED | {"backgrounds": "\nOlaf is a king."}).backgrounds == ("", "Olaf is a king.")


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        ("entities", "Ida Lind", "write 2 to 6 entities, one per line; there are 1"),
        ("entities", "\n".join("abcdefg"), "there are 7"),
        ("entities", "Ida\nida", "an entity is there twice"),
        ("entities", f"Ida\n{'x' * 201}", "a line is longer than 200 characters"),
        ("backgrounds", "a\nb\nc", "there are 3 lines for 2 entities"),
        ("text", "x" * (LONGEST_TEXT + 1), "longer than 20,000 characters"),
        ("candidates", "\n".join(map(str, range(101))), "100 phrases at most; there are 101"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_field(field, typed, problem):
    with pytest.raises(InvalidInput, match=problem) as error:
        question_of(**TYPED | {field: typed})
    assert error.value.field == field


@pytest.mark.django_db
@pytest.mark.processes
class TestPages:
    def test_a_trial_is_a_job_on_the_gpu_queue_whose_answer_has_an_address(self, run, researcher):
        make_worker(queues=("gpu",))
        started = researcher.post(reverse("run-try", args=[run.pk]), TYPED)
        trial = Trial.objects.get()
        waiting = researcher.get(trial.get_absolute_url())
        assert started.url == trial.get_absolute_url()
        assert (trial.job.queue, trial.job.kind) == ("gpu", "try_run")
        assert "Waiting for a free GPU worker" in text_of(waiting)
        assert "No worker takes jobs" not in text_of(waiting)
        assert "hx-get" in waiting.content.decode()

        result = modeling_jobs.try_run(trial.job.parameters, Silent())

        answered = researcher.get(result.url)
        assert [phrase for phrase, _ in answered.context["ranked"]] in (["painters", "kings"], ["kings", "painters"])
        assert [phrase.text for phrase in answered.context["generated"]][1:] == [
            "visitors from afar",
            "Ida Lind, Olaf Brandt",
        ]
        assert answered.context["generated"][2].lists_entities
        assert "hx-get" not in answered.content.decode()
        part = researcher.get(result.url, headers={"HX-Request": "true"}).content.decode()
        assert "Ranked phrases" in part
        assert "<html" not in part

    def test_without_candidates_the_usual_answers_are_ranked(self, run, researcher):
        researcher.post(reverse("run-try", args=[run.pk]), TYPED | {"candidates": ""})

        ranked = Trial.objects.get().question["candidates"]

        golds = {
            phrase
            for task in TaskRow.objects.all()
            for phrase, label in zip(task.phrases, task.labels, strict=True)
            if label
        }
        assert len(ranked) == 24
        assert {*ranked} <= golds

    def test_an_instance_of_the_release_fills_the_form(self, run, researcher):
        task = TaskRow.objects.filter(part="test").first()

        page = researcher.get(reverse("run-try", args=[run.pk]), {"instance": task.key})

        assert page.context["form"].initial["entities"].splitlines() == task.entities
        assert page.context["form"].initial["candidates"].splitlines() == task.phrases
        typed = {**page.context["form"].initial}
        assert researcher.post(reverse("run-try", args=[run.pk]), typed).status_code == 302

    def test_bad_input_is_said_at_its_field(self, run, researcher):
        page = researcher.post(reverse("run-try", args=[run.pk]), TYPED | {"entities": "Ida"})

        assert page.status_code == 422
        assert "Write 2 to 6 entities" in text_of(page) or "write 2 to 6 entities" in text_of(page)
        assert not Trial.objects.exists()

    def test_without_a_worker_both_pages_say_so(self, run, researcher):
        form = researcher.get(reverse("run-try", args=[run.pk]))
        waiting = researcher.post(reverse("run-try", args=[run.pk]), TYPED, follow=True)

        assert "No worker takes jobs from gpu" in text_of(form)
        assert "No worker takes jobs from gpu" in text_of(waiting)

    def test_a_run_whose_weights_are_gone_says_so(self, run, researcher):
        trial = trials.start_trial(run, question_of(**TYPED), by=None)
        default_storage.delete(f"{run.folder}/model/model.safetensors")

        page = researcher.get(reverse("run-try", args=[run.pk]))

        assert "The weights of this run are gone" in text_of(page)
        with pytest.raises(WrongState, match="The weights of this run are gone"):
            trials.carry_out(trial.pk, Silent())
        with pytest.raises(WrongState):
            trials.start_trial(run, question_of(**TYPED), by=None)

    def test_a_failed_trial_shows_the_sentence_of_its_job(self, run, researcher):
        trial = trials.start_trial(run, question_of(**TYPED), by=None)
        Job.objects.filter(pk=trial.job_id).update(status=JobStatus.FAILED, error="The GPU ran out of memory.")

        page = researcher.get(trial.get_absolute_url())

        assert "The GPU ran out of memory." in text_of(page)
        assert "hx-get" not in page.content.decode()

    def test_the_second_delivery_changes_nothing_and_no_folder_is_left(self, run, settings, monkeypatch):
        trial = trials.start_trial(run, question_of(**TYPED), by=None)
        first = trials.carry_out(trial.pk, Silent()).answer

        monkeypatch.setattr(trials, "_fetch_weights", None)
        assert trials.carry_out(trial.pk, Silent()).answer == first
        assert not [*(settings.VAR / "work").glob("trial-*")]
