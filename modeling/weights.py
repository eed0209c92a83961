"""What a trained ranker makes of its features, for people: the weights of a regression, the splits of trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tesa_site.kernel.values import Json


def weights_of(state: Mapping[str, Json]) -> dict[str, Json]:
    """Return {"names", "values", "unit"} of a saved model, or nothing where it weighs no features."""
    match state:
        case {"features": list(names), "weights": list(values)} if len(values) == len(names) + 1:
            unit = "weight of the standardised feature" if "scales" in state else "weight of the feature as it is"
            return {"names": [*names, "bias"], "values": values, "unit": unit}
        case {"features": list(names), "trees": list(trees)}:
            return {"names": names, "values": _shares(trees, len(names)), "unit": "share of all splits of the trees"}
        case _:
            return {}


def _shares(trees: list[Json], width: int) -> list[Json]:
    """Return how often each feature decides, as a share of all decisions; leaves have a negative number."""
    counts: Counter[int] = Counter()
    for tree in trees:
        match tree:
            case {"feature": list(found)}:
                counts.update(int(str(number)) for number in found)
    total = sum(counts[number] for number in range(width)) or 1
    return [counts[number] / total for number in range(width)]
