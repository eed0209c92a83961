from __future__ import annotations

from django import template

from marketplace import fees

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """Return cents as "$0.50"."""
    return f"${fees.amount_of(cents)}"
