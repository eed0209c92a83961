"""The funnel as a plot, and as files to take away."""

from __future__ import annotations

import csv
import io

import pytest

from corpus.models import Finding
from corpus.plots import funnel
from corpus.selectors.funnel import funnel_of
from kernel.views.plots import svg
from tests.make import make_corpus, make_user

ROWS: list[funnel.Row] = [("Articles", 68, 127_005), ("Instances", 0, None)]


def test_the_plot_shows_every_number_that_is_known_and_takes_a_zero():
    values = funnel.spec(ROWS)["data"]["values"]

    assert [(value["step"], value["whose"], value["text"]) for value in values] == [
        ("Articles", "this corpus", "68"),
        ("Articles", "original study", "127,005"),
        ("Instances", "this corpus", "0"),
    ]
    assert min(value["at"] for value in values) == 1  # a logarithm has no zero


def test_numbers_that_are_nearly_equal_have_their_labels_above_and_below():
    layers = funnel.spec([("Articles", 120_000, 127_005)])["layer"]

    texts = [layer for layer in layers if layer["mark"]["type"] == "text"]
    sides = {layer["transform"][0]["filter"]["equal"]: layer["mark"]["dy"] for layer in texts}
    assert sides["this corpus"] < 0 < sides["original study"]


def test_the_drawing_has_the_pages_colours_and_a_description():
    drawn = svg(funnel.plot(ROWS))

    assert 'role="img" aria-label="How much each step' in drawn
    assert "var(--data)" in drawn
    assert "style=" not in drawn
    assert svg(funnel.plot([])) == ""


@pytest.mark.django_db
def test_the_corpus_page_shows_it_beside_the_study_on_request_and_hands_it_out(client):
    corpus = make_corpus()
    finding = Finding.objects.create(corpus=corpus, articles=68, instances=1_766)
    client.force_login(make_user("ben"))

    page = client.get(f"/corpus/{corpus.pk}/").content.decode()
    compared = client.get(f"/corpus/{corpus.pk}/?compare=study").content.decode()
    svg = client.get(f"/corpus/{corpus.pk}/funnel.svg")
    rows = list(csv.DictReader(io.StringIO(client.get(f"/corpus/{corpus.pk}/funnel.csv?bom=no").content.decode())))

    assert "1,766" in page
    assert f"/corpus/{corpus.pk}/funnel.svg" in page
    assert "Original study: 127,005" not in page
    assert "Original study: 127,005" in compared
    assert svg["Content-Disposition"] == f'attachment; filename="funnel-{corpus.pk}.svg"'
    assert "<svg" in svg.content.decode()
    assert [row["step"] for row in rows] == [step.label for step in funnel_of(finding)]
    assert (rows[0]["here"], rows[0]["original"]) == ("68", "127005")
    assert client.get(f"/corpus/{corpus.pk}/funnel.exe").status_code == 404
