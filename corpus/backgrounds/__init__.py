"""Backgrounds: the opening of the encyclopedia page that is an entity's."""

from __future__ import annotations
