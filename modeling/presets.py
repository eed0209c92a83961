"""The paper's neural experiments (appendix D), ready to start: each is a grid of the Train page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modeling.grids import Entry, Grid, parse_entries


@dataclass(frozen=True)
class Preset:
    """Lines of the grid as people type them, and seeds."""

    label: str
    note: str
    lines: tuple[str, ...]
    seeds: tuple[int, ...] = (1,)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return parse_entries(self.lines)

    @property
    def runs(self) -> int:
        return len(Grid(self.entries, self.seeds).cells())


PRESETS: Mapping[str, Preset] = {
    "finals": Preset(
        "Final models",
        "Table 4: two baselines, the regression and the three BART models, with three seeds.",
        ("random", "frequency", "logistic-paper", "bart-pretrained", "bart-generative", "bart-discriminative"),
        (1, 2, 3),
    ),
    "ablations": Preset(
        "Ablations",
        "Table 5: without backgrounds (va), without the passage (vb), with names alone (vc), and the whole text.",
        (
            "bart-generative text_format=v0,va,vb",
            "bart-generative text_format=vc max_sentences=16",
            "bart-discriminative text_format=v0,va,vb,vc learning_rate=1e-5 max_tokens=1024 accumulate=4 epochs=5",
        ),
    ),
    "grid-generative": Preset(
        "Grid of the generative model",
        "Five learning rates and two batch sizes. The run with the best validation figure is chosen.",
        ("bart-generative learning_rate=3e-6,5e-6,1e-5,2e-5,3e-5 max_tokens=1024,2048",),
    ),
    "grid-discriminative": Preset(
        "Grid of the discriminative model",
        "Four learning rates and three batch sizes. The run with the best validation figure is chosen.",
        ("bart-discriminative learning_rate=5e-6,1e-5,2e-5,3e-5 max_sentences=4,8,16",),
    ),
}
