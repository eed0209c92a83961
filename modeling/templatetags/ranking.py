"""What pages ask about training on releases."""

from __future__ import annotations

from django import template

from modeling.selectors import datasets

register = template.Library()
register.filter("can_be_ranked", datasets.can_be_ranked)
register.filter("why_not_trained", datasets.why_not_trained)
