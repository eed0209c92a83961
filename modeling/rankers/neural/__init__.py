"""BART rankers, run as a command of their own. README.md describes its folder."""

from __future__ import annotations
