"""What pages of releases ask about training."""

from __future__ import annotations

from django import template

from modeling.selectors import datasets

register = template.Library()
register.filter("can_be_ranked", datasets.can_be_ranked)
