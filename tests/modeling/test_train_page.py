"""The Train page: what is chosen there is what runs, and what cannot run is said before anything is made."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

from annotation.models import Release
from kernel.models import Job
from kernel.progress import Silent
from modeling.grids import SHARES
from modeling.models import Experiment, Split
from modeling.rankers import usable_rankers
from modeling.services import running
from tests.make import NO_ROW, make_experiment, make_split, make_synthetic_release
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]
NEURAL = ("", ".settings", ".checkpoint_folders", ".work_folder", ".fairseq_python")  # none imports torch
LIGHT = {"modeling.rankers.base", "modeling.rankers.settings", *(f"modeling.rankers.neural{name}" for name in NEURAL)}


def test_one_click_trains_every_cpu_ranker(researcher):
    release = make_synthetic_release()
    page = researcher.get(reverse("experiment-new"))
    data = {"name": page.context["form"].initial["name"], "action": "all", "seeds": "1 2 3"}

    answer = researcher.post(f"{reverse('experiment-new')}?release={release.pk}", data)

    experiment = Experiment.objects.get()
    assert answer.url == reverse("experiment", args=[experiment.pk])
    assert {run.ranker for run in experiment.runs.all()} == set(usable_rankers(has_vectors=False))
    assert experiment.runs.count() == 14 + 2 * 2
    assert Job.objects.filter(kind="run_ranker", status="queued").count() == 18
    assert experiment.split.rule == "paper"
    assert "Waiting for a worker" in text_of(researcher.get(answer.url))


@pytest.mark.parametrize(("size", "is_told"), [(19, True), (20, False)])
def test_somebody_with_too_few_instances_is_told_before_training(researcher, size, is_told):
    make_synthetic_release(instances=size)

    page = text_of(researcher.get(reverse("experiment-new")))

    assert ("That is too few to say which method is better." in page) == is_told


def test_the_train_page_loads_no_ranker(researcher, monkeypatch):
    make_synthetic_release()
    for name in [name for name in sys.modules if name.startswith("modeling.rankers.") and name not in LIGHT]:
        monkeypatch.delitem(sys.modules, name)

    page = researcher.get(reverse("experiment-new"))
    data = {
        "name": "Mine",
        "action": "chosen",
        "rankers": ["boosting"],
        "grid": "logistic-tesa penalty=1",
        "seeds": "1",
    }
    researcher.post(reverse("experiment-new"), data)

    assert page.context["usable"][-1] == "boosting"
    assert Experiment.objects.get().runs.count() == 2
    assert {name for name in sys.modules if name.startswith("modeling.rankers.")} == LIGHT


@pytest.mark.processes
def test_a_web_process_starts_without_numpy_and_without_any_ranker():
    code = (
        "import sys, django\ndjango.setup()\nimport tesa_site.urls, tesa_site.job_kinds, modeling.jobs\n"
        "print(sorted(name for name in sys.modules if name == 'numpy' or name.startswith('modeling.rankers.')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == str(sorted(LIGHT))


def test_options_of_the_page_arrive_in_the_runs(researcher):
    split = make_split(rule="grouped", seed=7)
    data = {
        "name": "Mine", "action": "chosen", "split": str(split.pk), "size": "12", "hard": "3", "candidate_seed": "9",
        "train_vocabulary": "on", "rankers": ["frequency", "random"], "grid": "logistic-tesa penalty=1,2", "seeds": "4",
        "size_curve": "on",
    }  # fmt: skip

    answer = researcher.post(reverse("experiment-new"), data)

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
    ("change", "message"),
    [
        ({"name": ""}, "required"),
        ({"seeds": "one"}, "Give 1 to 20 seeds: whole numbers from 0"),
        ({"seeds": ""}, "Give 1 to 20 seeds"),
        ({"seeds": "1 -5"}, "Give 1 to 20 seeds"),
        ({"seeds": " ".join(map(str, range(499)))}, "Give 1 to 20 seeds"),
        ({"grid": "nonsense x=1"}, "there is no method"),
        ({"grid": "logistic-tesa nonsense=1"}, "no such parameter"),
        ({"grid": "logistic-tesa penalty=NaN"}, "'NaN' cannot be tried"),
        ({"grid": "logistic-tesa penalty=1e999"}, "'1e999' cannot be tried"),
        ({"rankers": [], "grid": ""}, "at least one method"),
        ({"name": "Taken"}, "choose another name"),
        ({"rankers": ["embedding"]}, "needs word vectors"),
    ],
)
def test_what_cannot_be_trained_is_said_on_the_page(researcher, change, message):
    make_experiment("Taken")
    data = {"name": "New", "action": "chosen", "rankers": ["random"], "seeds": "1", "grid": ""} | change

    answer = researcher.post(reverse("experiment-new"), data)

    assert answer.status_code == 422
    assert message in text_of(answer)
    assert Experiment.objects.count() == 1


def test_the_release_of_the_list_is_trained_on_whatever_the_page_was_opened_for(researcher):
    old, new = make_synthetic_release("Old"), make_synthetic_release("New", seed=6)
    page = researcher.get(reverse("experiment-new"), {"release": old.pk})
    name = page.context["form"].initial["name"]
    data = {"release": new.pk, "name": name, "action": "chosen", "rankers": ["random"], "seeds": "1"}

    of_another = researcher.post(reverse("experiment-new"), data | {"split": make_split(old).pk})
    researcher.post(f"{reverse('experiment-new')}?release={old.pk}", data)

    assert "This split belongs to another release" in text_of(of_another)
    experiment = Experiment.objects.get()
    assert experiment.release == new
    assert experiment.name == "New v1, experiment 1"


def test_choosing_another_release_keeps_what_was_filled_in(researcher):
    make_synthetic_release("Old")
    new = make_synthetic_release("New", seed=6)
    split = make_split(new)
    data = {"release": new.pk, "name": "Mine", "action": "choose", "rankers": ["random"], "seeds": "7", "hard": "2"}

    page = researcher.post(reverse("experiment-new"), data)

    assert page.status_code == 200
    assert f'<option value="{split.pk}">' in page.content.decode()
    form = page.context["form"]
    assert [form[name].value() for name in ("name", "seeds", "hard", "rankers")] == ["Mine", "7", "2", ["random"]]
    assert not Experiment.objects.exists()


@pytest.mark.parametrize("asked", [str(NO_ROW), "x"])
def test_a_release_that_is_not_there_is_not_replaced_by_another(researcher, asked):
    make_synthetic_release()

    answer = researcher.get(reverse("experiment-new"), {"release": asked})

    assert answer.status_code == 404
    assert "no frozen release with this number" in text_of(answer)


def test_more_than_a_hundred_runs_are_started_by_a_second_click_only(researcher):
    make_synthetic_release()
    grid = "logistic-paper epochs=" + ",".join(map(str, range(1, 7)))
    seeds = " ".join(map(str, range(20)))
    data = {"name": "Many", "action": "chosen", "rankers": [], "grid": grid, "seeds": seeds}

    asked = researcher.post(reverse("experiment-new"), data)
    assert "This makes 120 runs." in text_of(asked)
    assert not Split.objects.exists()
    answer = researcher.post(reverse("experiment-new"), data | {"confirmed": asked.context["confirm"]}, follow=True)

    assert "This makes 120 runs on" in text_of(answer)
    assert Experiment.objects.get().runs.count() == 120


def write_vectors(path: Path, release: Release) -> None:
    """Write a GloVe file that knows every word of a release's answers and texts."""
    words = sorted({word for value in release.items.values_list("value", flat=True) for word in words_of(value)})
    lot = random.Random(3)
    path.parent.mkdir(exist_ok=True)
    lines = (f"{word} {' '.join(f'{lot.gauss(0, 1):.4f}' for _ in range(8))}" for word in words)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def words_of(value: object) -> set[str]:
    return set(re.findall(r"[a-z]+", json.dumps(value).lower()))


def test_word_vectors_are_chosen_on_the_page_and_bring_the_features_that_need_them(researcher, settings):
    release = make_synthetic_release()
    write_vectors(settings.VECTORS_FOLDER / "small.glove.txt", release)
    page = researcher.get(reverse("experiment-new"))
    offered = dict(page.context["form"].fields["vectors"].choices)
    chosen = next(value for value, label in offered.items() if label == "small.glove.txt")

    for vectors, rankers in ((chosen, len(usable_rankers(has_vectors=True))), ("", 14)):
        data = {"name": f"With {rankers} rankers", "action": "all", "seeds": "1", "vectors": vectors}
        researcher.post(f"{reverse('experiment-new')}?release={release.pk}", data)
        experiment = Experiment.objects.latest("pk")
        assert experiment.runs.count() == rankers
        run = running.execute_run(experiment.runs.get(ranker="logistic-tesa").pk, Silent())
        run_page = text_of(researcher.get(reverse("run", args=[run.pk])))

        names = {name for name in run.weights["names"] if name != "bias"}
        assert len(names) == (15 if vectors else 10)
        assert ("these features are absent, not zero: background-embedding" in run_page) == (not vectors)


def test_without_vectors_the_train_page_says_what_cannot_run_and_how_to_get_them(researcher, settings):
    make_synthetic_release()

    page = text_of(researcher.get(reverse("experiment-new")))

    assert "Without word vectors these methods cannot run: background-embedding" in page
    assert f"Put a GloVe or word2vec file into {settings.VECTORS_FOLDER}" in page


def test_a_release_of_another_task_type_is_refused_in_one_sentence(researcher):
    release = make_synthetic_release("Choices", recipe={"task_type": "choice"})  # of a type that is gone
    data = {"name": "Mine", "action": "chosen", "rankers": ["random"], "seeds": "1", "release": release.pk}

    page = researcher.post(reverse("experiment-new"), data)

    sentence = (
        "“Choices, version 1” holds answers of the task choice: TESA’s models learn to rank the phrases of "
        "the task Aggregation."
    )
    assert page.status_code == 409
    assert sentence in text_of(page)
    assert not Split.objects.exists()


def test_without_a_release_the_pages_say_what_to_do(researcher):
    for name in ("experiments", "experiment-new"):
        assert "Run a campaign on a sample" in text_of(researcher.get(reverse(name)))
