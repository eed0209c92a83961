"""Template filters that every template can use without loading them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from kernel import selectors, values
from kernel.clock import now
from kernel.icons import ICONS
from kernel.models import Job
from kernel.values import rounded

register = template.Library()
kind_label = register.filter("kind_label", selectors.kind_label)
money = register.filter("money", values.money)


@register.simple_tag
def icon(name: str, kind: str = "") -> SafeString:
    """Draw an icon; a word or an aria-label beside it says what it means."""
    svg = '<svg class="i {}" viewBox="0 0 16 16" aria-hidden="true">{}</svg>'
    return format_html(svg, kind, SafeString(ICONS[name]))


@register.filter
def count(number: int | None) -> str:
    """12345 → 12,345, as in sentences and plots."""
    return f"{number:,}" if isinstance(number, int | float) else "–"


@register.filter
def counted(number: int, words: str) -> str:
    """Count things: 1|counted:"answer" → 1 answer; 2|counted:"person,people" → 2 people."""
    singular, _, plural = words.partition(",")
    return values.counted(number, singular, plural)


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Return a time element: short to read (2 min ago, 14:20, yesterday, 9 Nov), exact for machines and on hover."""
    if value is None:
        return "–"
    local, today = localtime(value), localtime(now())
    exact = f"{local:%d %b %Y, %H:%M:%S} {settings.TIME_ZONE}"
    short = values.short_moment(local, today)
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, short)


@register.filter
def duration(job: Job) -> str:
    """Return how long a job ran, or has been running."""
    if job.started_at is None:
        return "–"
    return values.elapsed(int(((job.finished_at or now()) - job.started_at).total_seconds()))


@register.filter
def elapsed(seconds: float | None) -> str:
    """59492 → 16 h 31 min; 12.4 → 12 s; 0.44 → 0.4 s."""
    return "–" if seconds is None else values.elapsed(seconds)


@register.filter
def minutes(seconds: int) -> str:
    """900 → 15 minutes; 90 → 1 min 30 s; 5400 → 1 h 30 min."""
    if seconds < 60:
        return values.counted(seconds, "second")
    if seconds < 3600:
        whole, rest = divmod(seconds, 60)
        return f"{whole} min {rest:02d} s" if rest else values.counted(whole, "minute")
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


@register.filter
def roughly(seconds: int) -> str:
    """90 → 90 seconds; 200 → 3 minutes: an estimate, rounded."""
    return f"{seconds} seconds" if seconds < 120 else minutes(round(seconds / 60) * 60)


@register.filter
def part_name(part: str) -> str:
    """Return the name of a split's part as people say it."""
    return "validation" if part == "valid" else part


@register.filter
def score(number: float) -> str:
    """0.05 → 0.050, −0.05 → −0.050, with the sign that is as wide as a digit."""
    return rounded(number).replace("-", "−")


@register.filter
def signed(number: float) -> str:
    """0.05 → +0.050, −0.05 → −0.050, 0 → 0.000, for differences."""
    shown = rounded(abs(number))
    sign = "" if not float(shown) else "−" if number < 0 else "+"
    return f"{sign}{shown}"


@register.filter
def p_value(number: float) -> str:
    """0.5029 → = 0.503, 0.0002 → < 0.001."""
    return "< 0.001" if number < 0.001 else f"= {rounded(number)}"


@register.filter
def interval(figure: Any) -> str:
    """Return an interval like 0.400–0.600 from an object or a dict; “too few” if it has no bounds."""
    low, high = (figure.get(end) if isinstance(figure, dict) else getattr(figure, end) for end in ("low", "high"))
    return "too few" if low is None or high is None else f"{rounded(low)}–{rounded(high)}"


@register.filter
def figures(row: dict[str, object]) -> list[object]:
    """Return the figures of a breakdown's row in the order of the results table."""
    return [row[name] for name in ("ap", "r10", "rr") if name in row]
