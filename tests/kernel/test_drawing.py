"""Drawings of plots: one for wide screens, and a narrower one for phones."""

from __future__ import annotations

import re
from typing import Any

from kernel.plots.drawing import PHONE, PHONE_BESIDE_NAMES, Plot, draw, narrow

DATA: dict[str, Any] = {"data": {"values": [{"day": "1 May", "jobs": 3}, {"day": "2 May", "jobs": 5}]}}


def bars(width: int, **axis: object) -> dict[str, Any]:
    y = {"field": "jobs", "type": "quantitative", "axis": axis}
    return {"width": width, "mark": "bar", "encoding": {"x": {"field": "day", "type": "ordinal"}, "y": y}}


def test_a_page_gets_a_second_drawing_that_fits_a_phone():
    svg = draw(Plot(DATA | bars(900), "Jobs"), standalone=False)

    wide, phone = (int(width) for width in re.findall(r'<svg [^>]*?width="(\d+)', svg))
    assert wide > 900
    assert phone < 300
    assert svg.count("on-phone") == 1
    assert draw(Plot(DATA | bars(900), "Jobs"), standalone=True).count("<svg ") == 1, "a file holds one drawing"


def test_a_drawing_that_fits_is_drawn_once():
    assert draw(Plot(DATA | bars(200), "Jobs"), standalone=False).count("<svg ") == 1


def test_on_a_phone_panels_stand_below_one_another_each_with_its_own_scale():
    spec = narrow({"hconcat": [bars(900, title="a"), bars(900, labels=False, ticks=False)], "spacing": 18})

    assert "hconcat" not in spec
    assert [panel["width"] for panel in spec["vconcat"]] == [PHONE, PHONE]
    assert spec["vconcat"][1]["encoding"]["y"]["axis"] == {}


def test_names_beside_the_bars_take_their_part_of_a_phone():
    spec = {"width": 760, "encoding": {"y": {"field": "feature", "type": "ordinal"}}}

    assert narrow(spec)["width"] == PHONE_BESIDE_NAMES


def test_a_legend_moves_above_the_plot_with_a_name_on_each_line():
    spec = {"width": 200, "encoding": {"color": {"field": "x", "legend": {"title": None, "orient": "right"}}}}

    legend = narrow(spec)["encoding"]["color"]["legend"]

    assert legend == {"title": None, "orient": "top", "columns": 1}


def test_margins_are_small_on_a_phone():
    assert narrow({"width": 300, "padding": {"left": 5, "right": 40}})["padding"] == {"left": 5, "right": 10}
