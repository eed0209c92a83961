"""Scores a response, which is chains that a person or a system marked, against a key, which is the right chains.

A metric is a module and a line here. Every metric sees only how many mentions each key chain shares with each response
chain (`shared.py`); `matching.py` decides before which response mention stands for which key mention.
"""

from __future__ import annotations

from annotation.task_types.coreference.scoring.counts import CorefMetric
from kernel.registry import Registry

_HERE = "annotation.task_types.coreference.scoring"
METRICS: Registry[CorefMetric] = Registry(
    "coreference metric",
    {
        "mentions": f"{_HERE}.mentions:MENTIONS",
        "muc": f"{_HERE}.muc:MUC",
        "bcub": f"{_HERE}.b_cubed:B_CUBED",
        "ceafm": f"{_HERE}.ceaf:CEAF_M",
        "ceafe": f"{_HERE}.ceaf:CEAF_E",
        "blanc": f"{_HERE}.blanc:BLANC",
        "lea": f"{_HERE}.lea:LEA",
    },
)
IN_AVERAGE = ("muc", "bcub", "ceafe")  # the CoNLL average is the mean of their F1
