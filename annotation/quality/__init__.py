"""How good the answers are: filters, agreement, gold, consensus, and evidence about workers. Pure Python."""

from __future__ import annotations
