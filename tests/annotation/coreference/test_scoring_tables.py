"""Scores as plain text, JSON, CSV and LaTeX."""

from __future__ import annotations

import csv
import json
from io import StringIO

from annotation.task_types.coreference.scoring.tables import (
    FORMATS,
    ScoreTable,
    as_csv,
    as_json,
    as_latex,
    as_text,
    score_lines,
)
from tests.annotation.coreference.marking import letters, scored

EVALUATION = scored(letters("ABC DE"), letters("AB DEX"))
LINES = score_lines(EVALUATION.scores)
TABLES = [ScoreTable("ours", LINES)]


def test_plain_text_has_a_line_for_each_metric_with_its_counts():
    assert as_text(TABLES).splitlines()[:4] == [
        "Metric            Recall          Precision             F1",
        "Mentions           80.00     4/5      80.00     4/5  80.00",
        "MUC                66.67     2/3      66.67     2/3  66.67",
        "B³                 66.67  3.33/5      66.67  3.33/5  66.67",
    ]


def test_what_is_undefined_is_a_dash_and_empty_or_null_in_files():
    lines = score_lines(scored(letters("A B"), letters("A B"), metrics=["muc", "mentions"]).scores)
    tables = [ScoreTable("ours", lines)]
    assert as_text(tables).splitlines()[1].split() == ["MUC", "–", "0/0", "–", "0/0", "–"]
    assert as_latex(tables).splitlines()[5] == r"MUC & -- & 0/0 & -- & 0/0 & -- \\"
    assert json.loads(as_json(tables))[0]["scores"][0]["recall"] is None
    assert [*csv.reader(StringIO(as_csv(tables)))][1] == ["ours", "", "muc", "MUC", "", "0", "0", "", "0", "0", ""]


def test_undefined_parts_are_zero_too_if_asked():
    lines = score_lines(scored(letters("AB"), letters("AB"), as_conll=True).scores)
    assert None not in [line.recall for line in lines if line.name != "conll"]


def test_the_average_has_an_f1_alone():
    line = as_text(TABLES).splitlines()[-1]
    assert line.startswith("CoNLL average")
    assert len(line.split()) == 3
    assert score_lines({"muc": EVALUATION.scores["muc"]})[-1].name == "muc"


def test_the_parts_of_blanc_stand_below_it_with_their_counts():
    blanc, links, non_links = (line for line in LINES if line.name == "blanc")
    assert blanc.recall_counts is None
    assert (links.recall_counts.numerator, links.recall_counts.denominator) == (2, 4)
    assert non_links.label == "BLANC, non-links"


def test_json_and_csv_keep_every_digit():
    bcub = next(entry for entry in json.loads(as_json(TABLES))[0]["scores"] if entry["metric"] == "bcub")
    assert bcub["recall"] == EVALUATION.scores["bcub"].recall
    rows = [*csv.DictReader(StringIO(as_csv(TABLES)))]
    assert len(rows) == len(LINES)
    assert float(rows[2]["recall numerator"]) == EVALUATION.scores["bcub"].counts.recall.numerator


def test_latex_is_a_tabular_with_a_row_for_each_line():
    rows = as_latex(TABLES).splitlines()
    assert r"MUC & 66.67 & 2/3 & 66.67 & 2/3 & 66.67 \\" in rows
    assert r"B$^3$ & 66.67 & 3.33/5 & 66.67 & 3.33/5 & 66.67 \\" in rows
    assert all(row.count("&") == 5 for row in rows[5:-2])


def test_every_format_writes_every_line():
    for write in FORMATS.values():
        assert all(line.label.replace("B³", "B") in write(TABLES) for line in LINES)


def test_several_responses_stand_beside_each_other_in_latex_and_below_each_other_in_text():
    other = ScoreTable("a_second & third", score_lines(scored(letters("ABC DE"), letters("ABC DE")).scores))
    rows = as_latex([*TABLES, other]).splitlines()
    assert rows[3] == r"& \multicolumn{3}{c}{ours} & \multicolumn{3}{c}{a\_second \& third} \\"
    assert r"MUC & 66.67 & 66.67 & 66.67 & 100.00 & 100.00 & 100.00 \\" in rows
    text = as_text([*TABLES, other]).splitlines()
    assert text[0] == "ours"
    assert "a_second & third" in text
    assert [table["response"] for table in json.loads(as_json([*TABLES, other]))] == ["ours", "a_second & third"]


def test_documents_have_their_name_in_every_format():
    story = ScoreTable("ours", LINES, "a story")
    assert as_text([*TABLES, story]).count("ours, a story\n") == 1
    assert [table["document"] for table in json.loads(as_json([*TABLES, story]))] == [None, "a story"]
    assert as_latex([*TABLES, story]).count("% a story\n\\begin{tabular}{lrrrrr}") == 1
    assert {row["document"] for row in csv.DictReader(StringIO(as_csv([*TABLES, story])))} == {"", "a story"}
