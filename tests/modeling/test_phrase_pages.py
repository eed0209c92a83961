"""Generated phrases and Table 7: what a run has written, with marks and figures, and nothing of a closed part."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from modeling.generations import Generation, Phrase, generation_lines
from modeling.models import Experiment, Run, TaskRow
from modeling.run_folder import GENERATIONS
from modeling.views import phrases
from tests.make import execute_all, make_experiment
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def write_phrases(run: Run) -> list[Generation]:
    """Let a finished run have generated, for each instance, its first gold in capitals and its entities."""
    rows = []
    for task in TaskRow.objects.filter(task_set=run.experiment.task_set).order_by("part", "position"):
        golds = tuple(phrase for phrase, label in zip(task.phrases, task.labels, strict=True) if label)
        written = (Phrase(golds[0].upper(), -1.0, is_gold=True), Phrase(f"list of {task}", -2.0, lists_entities=True))
        rows.append(Generation(task.part, task.key, golds, written))
    default_storage.save(f"{run.folder}/{GENERATIONS}", ContentFile("\n".join(generation_lines(rows)).encode()))
    run.hashes[GENERATIONS] = "0" * 64
    run.save(update_fields=["hashes"])
    return rows


@pytest.fixture
def two() -> Experiment:
    """Two runs; the first has written phrases."""
    experiment = execute_all(make_experiment("Phrases", "frequency", "random"))
    write_phrases(experiment.runs.get(ranker="frequency"))
    return experiment


def test_the_page_shows_what_was_written_for_each_instance_with_its_marks(two, researcher):
    run = two.runs.get(ranker="frequency")

    page = researcher.get(reverse("run-phrases", args=[run.pk]))

    content, first = text_of(page), TaskRow.objects.filter(part="test").order_by("position").first()
    gold = next(phrase for phrase, label in zip(first.phrases, first.labels, strict=True) if label)
    assert page.context["part"] == "test"
    assert f"★ {gold.upper()} 0.368" in content
    assert f"list of {first} (lists entities) 0.135" in content
    figures = page.context["figures"]
    assert (figures["exact"], figures["listing"]) == (1.0, 0.5)


def test_a_part_is_chosen_and_pages_are_turned(two, researcher, monkeypatch):
    monkeypatch.setattr(phrases, "PER_PAGE", 3)
    address = reverse("run-phrases", args=[two.runs.get(ranker="frequency").pk])

    first, second = (researcher.get(address, {"part": "valid", "page": number}) for number in (1, 2))

    tasks = [*TaskRow.objects.filter(part="valid").order_by("position")]
    assert [task for task, _ in first.context["rows"]] == tasks[:3]
    assert [task for task, _ in second.context["rows"]] == tasks[3:6]


def test_phrases_for_test_instances_stay_closed_while_the_choice_is_open(two, researcher):
    Run.objects.filter(ranker="random").update(finished_at=None)

    page = researcher.get(reverse("run-phrases", args=[two.runs.get(ranker="frequency").pk]), {"part": "test"})

    assert page.context["part"] == "valid"
    assert {generation.part for _, generation in page.context["rows"]} == {"valid"}


def test_a_run_without_phrases_says_so(two, researcher):
    run = two.runs.get(ranker="random")

    page = researcher.get(reverse("run-phrases", args=[run.pk]))

    assert "This run has generated no phrases" in text_of(page)
    assert reverse("run-phrases", args=[run.pk]) not in researcher.get(reverse("run", args=[run.pk])).content.decode()


def test_a_file_that_is_gone_is_an_empty_page(two, researcher):
    run = two.runs.get(ranker="frequency")
    default_storage.delete(f"{run.folder}/{GENERATIONS}")

    assert "This run has generated no phrases" in text_of(researcher.get(reverse("run-phrases", args=[run.pk])))


def test_run_page_and_table_7_lead_to_the_phrases(two, researcher):
    address = reverse("run-phrases", args=[two.runs.get(ranker="frequency").pk])

    paper = researcher.get(reverse("experiment-paper", args=[two.pk]))

    assert address in researcher.get(reverse("run", args=[two.runs.get(ranker="frequency").pk])).content.decode()
    assert address in paper.content.decode()
    assert [(run.ranker, generation.key) for run, generation in paper.context["generated"]] == [
        ("frequency", paper.context["task"].key)
    ]
