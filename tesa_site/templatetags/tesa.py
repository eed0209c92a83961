"""The few filters our templates need, loaded everywhere."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from tesa_site.kernel import selectors
from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Job

register = template.Library()


@register.filter
def count(number: int | None) -> str:
    """12345 → 12,345, with a narrow space so that digits stay in their columns."""
    return "–" if number is None else f"{number:,}".replace(",", "\u202f")


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """A time element: short to read, exact for machines and on hover."""
    if value is None:
        return "–"
    local = localtime(value)
    short = local.strftime("%H:%M:%S") if local.date() == localtime(now()).date() else local.strftime("%d %b %Y, %H:%M")
    exact = f"{local:%d %b %Y, %H:%M:%S} {settings.TIME_ZONE}"
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, short)


@register.filter
def duration(job: Job) -> str:
    """How long a job ran, or has been running."""
    if job.started_at is None:
        return "–"
    seconds = int(((job.finished_at or now()) - job.started_at).total_seconds())
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} min {seconds:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


@register.filter
def minutes(seconds: int) -> str:
    """900 → 15 minutes; 5400 → 1 h 30 min."""
    if seconds < 3600:
        return f"{seconds // 60} minute{'' if seconds // 60 == 1 else 's'}" if seconds >= 60 else f"{seconds} seconds"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


@register.filter
def kind_label(job: Job) -> str:
    kinds = selectors.job_kinds()
    return kinds[job.kind].label if job.kind in kinds else job.kind


@register.filter
def job_number(job: Job) -> str:
    return f"Job {job.pk}"


@register.filter
def signed(number: float) -> str:
    """0.05 → +.050, −0.05 → −.050: a difference."""
    return f"{'−' if number < 0 else '+'}{abs(number):.3f}"


@register.filter
def figures(row: dict[str, object]) -> list[object]:
    """The figures of a breakdown's row, in the order of the results table."""
    return [row[name] for name in ("ap", "r10", "rr") if name in row]
