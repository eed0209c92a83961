"""How much each feature counts in a trained ranker: weights of a regression, splits of trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kernel.values import Json


def weights_of(state: Mapping[str, Json]) -> dict[str, Json]:
    """Return {"names", "values", "unit"} of a saved model; empty if it has no feature weights."""
    match state:
        case {"features": list(names), "weights": list(values)} if len(values) == len(names) + 1:
            unit = "weight of the standardised feature" if "scales" in state else "weight of the feature as it is"
            return {"names": [*names, "bias"], "values": values, "unit": unit}
        case {"features": list(names), "trees": list(trees)}:
            return {"names": names, "values": _shares(trees, len(names)), "unit": "share of all splits of the trees"}
        case _:
            return {}


def _shares(trees: list[Json], width: int) -> list[Json]:
    """Return each feature's share of all splits. Leaves have a negative feature number."""
    counts: Counter[int] = Counter()
    for tree in trees:
        match tree:
            case {"feature": list(numbers)}:
                counts.update(int(str(number)) for number in numbers)
    total = sum(counts[number] for number in range(width)) or 1
    return [counts[number] / total for number in range(width)]
