"""What the pages under /models/ hand out: plots with their data, tables, files of runs, ranking tasks."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.urls import reverse

from tests.make import execute_all, make_experiment
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.mark.parametrize("name", ["methods", "breakdown", "training-size"])
def test_plots_come_with_their_data(researcher, name):
    experiment = execute_all(make_experiment("Sizes", "frequency", "logistic-tesa", shares=(50, 100)))

    drawn = researcher.get(reverse("experiment-plot", args=[experiment.pk, name, "svg"]))
    rows = researcher.get(reverse("experiment-plot", args=[experiment.pk, name, "csv"])).content.decode("utf-8-sig")

    assert drawn.content.startswith(b"<svg")
    assert {row["method"] for row in csv.DictReader(io.StringIO(rows))} == {"frequency", "logistic-tesa"}


def test_a_page_never_waits_for_a_drawing_but_asks_for_it_and_keeps_it(researcher, experiment):
    caches["plots"].clear()
    run, other = experiment.runs.filter(ranker="logistic-tesa").first(), experiment.runs.get(ranker="frequency")
    for address, plots in (
        (reverse("experiment", args=[experiment.pk]), 1),
        (reverse("run", args=[run.pk]), 2),
        (f"{reverse('compare')}?a={run.pk}&b={other.pk}", 1),
    ):
        first = researcher.get(address).content.decode()
        asked = [html.unescape(url) for url in re.findall(r'hx-get="([^"]+)" hx-trigger="load"', first)]
        assert (len(asked), first.count("<svg role")) == (plots, 0)

        drawn = [researcher.get(url, headers={"HX-Request": "true"}).content.decode() for url in asked]

        assert all(
            drawing.startswith('<svg role="img"') and "var(--" in drawing and "style=" not in drawing
            for drawing in drawn
        )
        later = researcher.get(address).content.decode()
        assert all(drawing in later for drawing in drawn)
        assert 'hx-trigger="load"' not in later


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


@pytest.mark.parametrize("is_api", [False, True])
def test_ranking_tasks_are_downloaded_as_the_command_writes_them(researcher, experiment, tmp_path, is_api):
    page = researcher.get(reverse("split", args=[experiment.split_id])).content.decode()
    for format in ("jsonl", "csv", "fairseq"):
        address = reverse("task-file", args=[experiment.task_set_id, format])
        assert f'href="{address}"' in page
        answer = researcher.get(f"/api/v1/experiments/{experiment.pk}/tasks/{format}/" if is_api else address)
        sent = b"".join(answer.streaming_content)
        out = tmp_path / format
        call_command("export_ranking_task", experiment.name, format=format, out=out, stdout=io.StringIO())

        if format == "jsonl":
            assert sent == out.read_bytes()
        else:
            archive = zipfile.ZipFile(io.BytesIO(sent))
            written = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
            assert {name: archive.read(name) for name in archive.namelist()} == written
    assert not list((tmp_path / "work").glob("tmp*"))


def test_the_table_is_copied_in_three_formats(researcher, experiment):
    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))

    assert r"\begin{tabular}" in page
    assert "| Method | Validation MAP |" in page
    for format in ("tex", "md"):
        assert researcher.get(reverse("results-file", args=[experiment.pk, format])).status_code == 200
