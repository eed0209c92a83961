"""The results table: best in bold, significance against the best, and the same numbers in every format."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from django.template import Context, Template

from modeling.results_table import ResultCell, ResultLine, as_csv, as_latex, as_markdown, p_values, spread
from modeling.significance import paired_randomisation, randomisation_p_values

LOT = np.random.default_rng(3)


def line(label: str = "random", mean: float = 0.25, **fields: object) -> ResultLine:
    cell = ResultCell(mean, mean - 0.1, mean + 0.1, mean, **fields)  # type: ignore[arg-type]
    cells = dict.fromkeys(("ap", "r10", "rr"), cell)
    return ResultLine(label, 7, 2, {"valid": cells, "test": cells})


def test_many_comparisons_at_once_give_the_p_values_of_single_ones():
    best = LOT.random(90)
    others = [best - LOT.normal(shift, 0.3, 90) for shift in (0.0, 0.05, 0.2)]

    together = randomisation_p_values(best - np.array(others), rounds=2000)

    assert together == [paired_randomisation(best, other, rounds=2000).p for other in others]


def test_each_method_is_held_against_the_best_of_its_column():
    good, bad = [0.9] * 40, [0.1] * 40
    first = {("valid", "ap"): good, ("valid", "rr"): bad}
    second = {("valid", "ap"): bad, ("valid", "rr"): good}

    p_by_method = p_values([first, second, {}])

    assert set(p_by_method[0]) == {("valid", "rr")}
    assert set(p_by_method[1]) == {("valid", "ap")}
    assert p_by_method[2] == {}
    assert max(p_by_method[0][("valid", "rr")], p_by_method[1][("valid", "ap")]) < 0.01


def test_columns_drawn_together_have_the_p_values_of_each_by_itself():
    columns = [(part, metric) for part in ("valid", "test") for metric in ("ap", "r10", "rr")]
    methods = [{column: LOT.random(60 if column[0] == "valid" else 45) for column in columns} for _ in range(4)]

    p_by_method = p_values(methods)

    for column in columns:
        best = max(methods, key=lambda values: values[column].mean())
        for values, p_by_column in zip(methods, p_by_method, strict=True):
            alone = None if values is best else paired_randomisation(best[column], values[column]).p
            assert p_by_column.get(column) == alone


@pytest.mark.parametrize(("p", "mark"), [(None, ""), (0.2, ""), (0.04, "†"), (0.009, "‡")])
def test_marks_say_how_sure_a_difference_is(p, mark):
    assert ResultCell(0.5, 0.4, 0.6, 0.5, p=p).mark == mark


def test_the_value_of_one_order_of_ties_is_in_the_csv_alone_and_named_so():
    tied = line(mean=0.682)
    tied = replace(tied, cells={"test": dict.fromkeys(("ap", "r10", "rr"), ResultCell(0.682, 0.6, 0.7, 0.781))})

    row = next(csv.DictReader(io.StringIO(as_csv([tied]))))

    assert (row["test MAP mean"], row["test MAP tie-broken mean"]) == ("0.682", "0.781")
    assert not any("0.781" in write([tied]) for write in (as_latex, as_markdown))
    assert all("Ties are averaged over all possible orders" in write([tied]) for write in (as_latex, as_markdown))


def test_markdown_sets_the_best_in_bold_and_marks_the_others():
    text = as_markdown([line("best", 0.7, is_best=True), line("a|b", 0.25, p=0.001)])

    assert "| best | **0.700** [0.600, 0.800] |" in text
    assert "| a&#124;b | 0.250‡ [0.150, 0.350] |" in text


def test_latex_escapes_names_and_has_as_many_columns_as_it_says():
    text = as_latex([line("100_% {x}", 0.7, is_best=True), ResultLine("empty", 1, 1, {})])

    assert r"100\_\% \{x\} & \makecell[r]{\textbf{0.700}" in text
    rows = [row for row in text.splitlines() if row.endswith(r"\\") and not row.startswith((r"& ", r"\multi"))]
    assert {row.replace(r"\&", "").count(" & ") for row in rows} == {6}
    assert r"\begin{tabular}{lrrrrrr}" in text


def test_tables_with_a_neural_method_have_a_column_for_its_backend():
    lines = [line("random", 0.2), replace(line("seq2seq fairseq", 0.7), backend="fairseq")]

    assert "| Method | Backend | Validation MAP |" in as_markdown(lines)
    assert "| random | – | 0.200" in as_markdown(lines)
    assert "Backend" not in as_markdown(lines[:1])
    assert r"\begin{tabular}{llrrrrrr}" in as_latex(lines)
    assert "seq2seq fairseq & fairseq & " in as_latex(lines)
    rows = csv.DictReader(io.StringIO(as_csv(lines)))
    assert [row["backend"] for row in rows] == ["", "fairseq"]


def test_csv_holds_every_number_in_full():
    means = [0.0, 1 / 3, 0.1 + 0.2, 1.0]

    rows = list(csv.DictReader(io.StringIO(as_csv([line(f"m{n}", mean) for n, mean in enumerate(means)]))))

    assert [float(row["test MAP mean"]) for row in rows] == means
    assert [float(row["valid MRR low"]) for row in rows] == [mean - 0.1 for mean in means]


def test_every_format_rounds_as_the_pages_do():
    text = Template("{{ mean|floatformat:3 }}").render(Context({"mean": 0.5625}))

    assert text == "0.563"
    assert all(text in write([line(mean=0.5625)]) for write in (as_latex, as_markdown))


def test_a_mean_of_too_few_instances_has_no_interval_in_any_format():
    cells = dict.fromkeys(("ap", "r10", "rr"), ResultCell(0.5, None, None, 0.5))
    few = ResultLine("few", 1, 1, {"test": cells})

    assert "| 0.500 [too few] |" in as_markdown([few])
    assert r"0.500\\\scriptsize [too few]" in as_latex([few])
    assert all("needs 5 instances" in write([few]) for write in (as_latex, as_markdown))
    assert next(csv.DictReader(io.StringIO(as_csv([few]))))["test MAP low"] == ""


def test_several_seeds_are_told_as_mean_and_deviation():
    over = {("valid", "ap"): spread([0.4, 0.5, 0.6])}
    several = ResultLine("random", 7, 3, {}, seeds=3, spreads=over)

    assert several.spread_words == "MAP over 3 seeds: validation 0.500 ± 0.100"
    row = next(csv.DictReader(io.StringIO(as_csv([several]))))
    assert (row["seeds"], row["valid MAP mean over seeds"], row["test MAP mean over seeds"]) == ("3", "0.5", "")
    assert float(row["valid MAP deviation over seeds"]) == pytest.approx(0.1)
