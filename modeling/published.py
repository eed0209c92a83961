"""The paper's own figures, to stand beside ours: they were measured on its dataset, and are never mixed with ours."""

from __future__ import annotations

from collections.abc import Mapping

# method → part → MAP, R@10, MRR (Table 4)
FIGURES: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    method: {
        "test": dict(zip(("ap", "r10", "rr"), test, strict=True)),
        "valid": dict(zip(("ap", "r10", "rr"), valid, strict=True)),
    }
    for method, test, valid in (
        ("random", (0.222, 0.442, 0.289), (0.226, 0.415, 0.304)),
        ("frequency", (0.570, 0.655, 0.761), (0.557, 0.637, 0.773)),
        ("logistic-paper", (0.700, 0.863, 0.840), (0.675, 0.843, 0.834)),
        ("bart-pretrained", (0.389, 0.682, 0.505), (0.385, 0.666, 0.488)),
        ("bart-generative", (0.701, 0.903, 0.840), (0.684, 0.882, 0.835)),
        ("bart-discriminative", (0.895, 0.991, 0.954), (0.892, 0.980, 0.964)),
    )
}
# ranker → text format → difference of test MAP to the whole text (Table 5)
ABLATIONS: Mapping[str, Mapping[str, float]] = {
    "bart-generative": {"va": -0.079, "vb": -0.049, "vc": -0.145},
    "bart-discriminative": {"va": -0.035, "vb": -0.024, "vc": -0.100},
}
READS = {
    "va": "without backgrounds",
    "vb": "without the passage",
    "vc": "names of the entities alone",
}
