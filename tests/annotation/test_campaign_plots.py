"""The plots of a campaign."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from annotation.plots import FILE_WIDTH, answers_over_time
from kernel.plots.drawing import draw

MINUTES, DAY = (5, 15, 60, 180, 360, 1440, 7 * 1440, 30 * 1440), 1440


def labels(rows: list[tuple[datetime, int]]) -> list[str]:
    """Return the labels below the bars; one of two lines as one text."""
    plot = answers_over_time(rows, width=FILE_WIDTH)
    assert plot is not None
    svg = draw(plot, standalone=True)
    axis = svg[svg.index("role-axis-label") :]
    texts = re.findall(r"<text([^>]*)>(.*?)</text>", axis[: axis.index("</g>")])
    return [" ".join(re.sub(r"<[^>]*>", " ", text).split()) for drawn, text in texts if 'opacity="0"' not in drawn]


@pytest.mark.parametrize("step", MINUTES)
@pytest.mark.parametrize("stretches", [1, 2, 3, 9, 30, 48])
def test_no_two_labels_of_the_time_axis_are_the_same_whatever_the_span(step: int, stretches: int):
    start = datetime(2026, 11, 15, 0 if step >= DAY else 9, tzinfo=UTC)
    rows = [(start + number * timedelta(minutes=step), number) for number in range(stretches)]

    shown = labels(rows)

    assert len(shown) == len(set(shown)) > 0


def test_hours_stand_alone_within_a_day_and_with_their_day_beyond():
    start = datetime(2026, 11, 15, 21, tzinfo=UTC)
    evening = [(start + number * timedelta(minutes=15), 1) for number in range(3)]
    night = [(start + number * timedelta(hours=3), 1) for number in range(3)]

    assert labels(evening) == ["21:00", "21:15", "21:30"]
    assert labels(night) == ["21:00 15 Nov", "00:00 16 Nov", "03:00 16 Nov"]
