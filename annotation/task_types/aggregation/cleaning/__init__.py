"""From raw answers to phrases: an ordered, versioned pipeline of small named rules."""

from __future__ import annotations
