"""How often chance alone gives one person as many of something as they have, if they work like the others."""

from __future__ import annotations

from math import exp, lgamma


def at_least_by_chance(hits: int, drawn: int, all_hits: int, total: int) -> float:
    """Return the one-sided p of Fisher's exact test: the share of all ways to draw `drawn` of `total` pieces of work,
    `all_hits` of which are hits, that give `hits` or more."""
    ways = _log_ways(total, drawn)
    most = min(drawn, all_hits)
    least = max(hits, drawn - (total - all_hits))
    shares = (
        exp(_log_ways(all_hits, n) + _log_ways(total - all_hits, drawn - n) - ways) for n in range(least, most + 1)
    )
    return min(1.0, sum(shares))


def _log_ways(total: int, drawn: int) -> float:
    """Return the logarithm of the number of ways to draw that many of the total."""
    return lgamma(total + 1) - lgamma(drawn + 1) - lgamma(total - drawn + 1)
