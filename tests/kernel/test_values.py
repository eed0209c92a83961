from __future__ import annotations

from datetime import datetime

import pytest
from django.template import Context, Template

from kernel.values import counted, elapsed, short_moment


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.44, "0.4 s"),
        (9.97, "10 s"),
        (12.4, "12 s"),
        (59.6, "1 min 00 s"),
        (90, "1 min 30 s"),
        (3599.7, "1 h 00 min"),
        (59_492, "16 h 31 min"),
        (275_000, "3 days 4 h"),
    ],
)
def test_a_time_is_told_in_units_that_people_read(seconds: float, text: str):
    assert elapsed(seconds) == text


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2026-11-16 14:19:30", "just now"),
        ("2026-11-16 14:18", "2 min ago"),
        ("2026-11-16 13:10", "13:10"),
        ("2026-11-16 18:00", "18:00"),  # still to come
        ("2026-11-15 23:59", "yesterday"),
        ("2026-11-09 08:00", "9 Nov"),
        ("2026-11-17 08:00", "17 Nov"),
        ("2025-11-09 08:00", "9 Nov 2025"),
    ],
)
def test_a_moment_is_told_as_people_say_it(moment: str, text: str):
    assert short_moment(datetime.fromisoformat(moment), datetime.fromisoformat("2026-11-16 14:20")) == text


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (1, ("answer",), "1 answer"),
        (0, ("answer",), "0 answers"),
        (1234, ("answer",), "1,234 answers"),
        (1, ("person", "people"), "1 person"),
        (2, ("person", "people"), "2 people"),
    ],
)
def test_things_are_counted_in_singular_and_plural(number: int, words: tuple[str, ...], text: str):
    assert counted(number, *words) == text
    assert Template(f'{{{{ number|counted:"{",".join(words)}" }}}}').render(Context({"number": number})) == text
