"""The pages under /models/: an experiment from its start to its end, its instances, errors and notes."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from modeling.models import ErrorNote, Experiment, Run, Split, TaskRow
from modeling.services import experiments
from tests.make import execute_all, make_experiment, make_job
from tests.modeling.page_text import text_of
from tests.pages import shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_an_instance_shows_every_run_s_ranks_and_marks_the_golds(researcher, experiment):
    task = TaskRow.objects.filter(part="valid").first()

    page = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]))

    assert len(page.context["lines"]) == 24
    assert sum(line.is_gold for line in page.context["lines"]) == sum(task.labels)
    for n in range(3):
        ranges = Counter((line.places[n].best, line.places[n].worst) for line in page.context["lines"])
        assert sorted(rank for best, worst in ranges for rank in range(best, worst + 1)) == [*range(1, 25)]
        assert all(held == worst - best + 1 for (best, worst), held in ranges.items())
    order = [line.places[0].best for line in page.context["lines"]]
    assert order == sorted(order)
    assert b"entity--a" in page.content
    everything = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]), {"all": "1"})
    assert len(everything.context["predictions"]) == 5
    heads = re.findall(r'/">([\w-]+),\s+([^<]+)</a></th>', shown(everything))
    assert set(heads) == {
        ("random", "seed 1"), ("random", "seed 2"), ("logistic-tesa", "penalty 1"), ("logistic-tesa", "penalty 100"),
    }  # fmt: skip


def test_methods_of_one_group_stand_side_by_side_and_the_best_of_all_is_first(researcher):
    experiment = execute_all(make_experiment("Groups", "context-count", "random", "logistic-tesa", "frequency"))
    task = TaskRow.objects.filter(task_set=experiment.task_set, part="valid").first()

    page = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]))

    columns = [prediction.run for prediction in page.context["predictions"]]
    assert columns[0].metrics["valid"]["ap"]["mean"] == max(run.metrics["valid"]["ap"]["mean"] for run in columns)
    groups = {name: [prediction.run.ranker for prediction in held] for name, held in page.context["groups"].items()}
    assert [ranker for held in groups.values() for ranker in held] == [run.ranker for run in columns]
    assert {name: {*held} for name, held in groups.items()} == {
        "Trained": {"logistic-tesa"}, "Single features": {"context-count"}, "Baselines": {"random", "frequency"},
    }  # fmt: skip
    heads = re.findall(r'scope="colgroup" colspan="(\d)"><span>([^<]+)', shown(page))
    assert heads == [(str(len(held)), name) for name, held in groups.items()]


def test_an_experiment_says_on_each_tab_how_many_runs_have_finished(researcher):
    experiment = make_experiment("State", "random", "frequency")
    tabs = ("experiment", "experiment-runs", "experiment-setup", "experiment-instances", "experiment-paper")
    for name in tabs:
        assert "0 of 2 runs finished" in text_of(researcher.get(reverse(name, args=[experiment.pk]))), name

    execute_all(experiment)

    for name in tabs:
        assert "State Finished" in text_of(researcher.get(reverse(name, args=[experiment.pk]))), name
    errors = reverse("run-errors", args=[experiment.runs.first().pk])
    assert "State Finished" in text_of(researcher.get(errors))


def test_an_instance_leads_to_the_ones_before_and_after_it_in_its_part(researcher, experiment):
    tasks = TaskRow.objects.filter(task_set=experiment.task_set, part="valid").order_by("position")
    keys = [*tasks.values_list("key", flat=True)]

    def place(key: str) -> tuple[int, int, str, str]:
        position = researcher.get(reverse("model-instance", args=[experiment.pk, key])).context["place"]
        return position.number, position.size, position.before, position.after

    assert place(keys[0]) == (1, len(keys), "", keys[1])
    assert place(keys[1]) == (2, len(keys), keys[0], keys[2])
    assert place(keys[-1]) == (len(keys), len(keys), keys[-2], "")


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
    errors = researcher.get(reverse("run-errors", args=[experiment.runs.first().pk]), filters).context["errors"]

    expected = {"type": "type", "size": "size", "seen": "is_seen"}
    name, value = next(iter(filters.items()))
    for error in errors:
        held = getattr(error.task, expected[name])
        assert held == {"2": 2, "seen": True, "unseen": False}.get(value, value)
    assert errors or value == "seen"


def test_runs_of_different_tasks_are_not_compared(researcher, experiment):
    other = execute_all(make_experiment("Other", "random", split=experiment.split, candidate_seed=2))

    answer = researcher.get(reverse("compare"), {"a": experiment.runs.first().pk, "b": other.runs.get().pk})

    assert answer.status_code == 409
    assert "cannot be compared" in text_of(answer)


def test_two_ticked_methods_are_compared_and_any_other_number_is_asked_for_again(researcher, experiment):
    first, second, third = (
        experiment.runs.filter(ranker=name).first().pk for name in ("random", "frequency", "logistic-tesa")
    )

    assert researcher.get(reverse("compare"), {"run": [first, second]}).context["second"].pk == second
    for ticked in ([first], [first, second, third]):
        answer = researcher.get(reverse("compare"), {"run": ticked}, follow=True)
        assert answer.redirect_chain[0][0] == reverse("experiment", args=[experiment.pk])
        assert "Tick two methods to compare them." in text_of(answer)


def test_methods_are_ordered_by_the_column_that_is_asked_for(researcher, experiment):
    address = reverse("experiment", args=[experiment.pk])
    for sort, part, metric in (("", "valid", "ap"), ("test-rr", "test", "rr"), ("nonsense", "valid", "ap")):
        rows = researcher.get(address, {"sort": sort}).context["rows"]

        values = [line.cells[part][metric].mean for line, _ in rows]
        assert values == sorted(values, reverse=True)


def test_an_open_experiment_is_followed_and_the_page_comes_anew_at_its_end(researcher):
    experiment = make_experiment("Open", "random", is_queued=True)
    address = reverse("experiment", args=[experiment.pk])
    assert b'hx-trigger="every 2s"' in researcher.get(address).content
    moving = researcher.get(address, HTTP_HX_REQUEST="true").content.decode()
    assert 'id="experiment-state" hx-swap-oob="true"' in moving  # the header counts with the page
    assert "0 of 1 run finished" in " ".join(moving.split())

    execute_all(experiment)

    assert researcher.get(address, HTTP_HX_REQUEST="true").headers["HX-Refresh"] == "true"


def test_runs_that_nobody_has_begun_are_said_to_wait_not_to_have_failed(researcher):
    experiment = make_experiment("Later", "random", "frequency")

    page = researcher.get(reverse("experiment", args=[experiment.pk])).content.decode()

    assert "2 runs not started" in page
    assert "did not finish" not in page
    assert "Start unfinished runs" in page


def test_a_run_that_failed_says_why_and_can_be_started_again(researcher):
    experiment = make_experiment("Broken", "random")
    experiment.runs.update(job=make_job(kind="run_ranker", status="failed", error="The disk is full."))

    assert "The disk is full." in text_of(researcher.get(reverse("experiment", args=[experiment.pk])))
    researcher.post(reverse("experiment-resume", args=[experiment.pk]))
    assert experiment.runs.get().status == "queued"


def test_runs_that_failed_for_the_same_reason_are_named_together(researcher):
    experiment = make_experiment("Broken", "random", "frequency", "boosting", "logistic-tesa", "all-count")
    for run in experiment.runs.all():
        why = "The disk is full." if run.ranker == "random" else "The training part is empty."
        Run.objects.filter(pk=run.pk).update(job=make_job(kind="run_ranker", status="failed", error=why))

    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))

    assert "5 runs did not finish." in page
    assert page.count("The training part is empty.") == page.count("The disk is full.") == 1
    assert page.index("boosting") < page.index("logistic-tesa") < page.index("The training part is empty.")
    assert page.index("The training part is empty.") < page.index("The disk is full.")


def test_a_run_says_on_its_page_that_an_unlucky_start_taught_it_nothing(researcher, experiment):
    run = experiment.runs.first()
    with default_storage.open(f"{run.folder}/log.txt", "a") as file:
        file.write("seed 1 began where the double softmax has no slope")

    page = text_of(researcher.get(reverse("run", args=[run.pk])))

    assert "fitting scoring done seed 1 began where the double softmax has no slope" in page


def test_a_split_is_deleted_from_its_page_but_not_while_it_is_used(researcher):
    experiment = make_experiment()
    address = reverse("split-delete", args=[experiment.split_id])
    assert f'href="{address}"' in shown(researcher.get(reverse("split", args=[experiment.split_id])))
    assert "1 experiment uses this split" in text_of(researcher.get(address))
    assert "delete them first" in text_of(researcher.post(address, follow=True))
    of_release = shown(researcher.get(reverse("release-delete", args=[experiment.release_id])))
    assert f'<a href="{reverse("split", args=[experiment.split_id])}">split' in of_release

    experiments.delete_experiment(experiment, by=None)
    answer = researcher.post(address, follow=True)

    assert "was deleted" in text_of(answer)
    assert not Split.objects.exists()


def test_an_experiment_is_deleted_after_a_question(researcher, experiment):
    address = reverse("experiment-delete", args=[experiment.pk])
    assert "5 runs" in text_of(researcher.get(address))

    researcher.post(address)

    assert not Experiment.objects.exists()
