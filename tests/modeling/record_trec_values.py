"""Record what trec_eval says about 60 random rankings without ties, for `test_metrics.py`.

The tests read the recorded file, so that they need no package without wheels. To record again, on x86_64:

    pip install pytrec-eval-terrier==0.5.11 && python -m tests.modeling.record_trec_values
"""

from __future__ import annotations

import json
import random
from pathlib import Path

RECORDED = Path(__file__).with_name("trec_values.json")
MEASURES = {"map": "ap", "recall_10": "r10", "recip_rank": "rr", "P_10": "p10", "ndcg_cut_10": "ndcg10"}


def record(count: int = 60, seed: int = 1) -> list[dict[str, object]]:
    import pytrec_eval

    generator = random.Random(seed)
    rows: list[dict[str, object]] = []
    for _ in range(count):
        size = generator.randint(1, 30)
        scores = [score / 8 for score in generator.sample(range(-4000, 4000), size)]  # exact in single precision
        labels = [int(generator.random() < 0.2) for _ in scores]
        labels[generator.randrange(size)] = 1
        judged = {"q": {f"d{number}": label for number, label in enumerate(labels)}}
        oracle = pytrec_eval.RelevanceEvaluator(judged, {"map", "recall.10", "recip_rank", "P.10", "ndcg_cut.10"})
        measured = oracle.evaluate({"q": {f"d{number}": score for number, score in enumerate(scores)}})["q"]
        values = {ours: measured[theirs] for theirs, ours in MEASURES.items()}
        rows.append({"scores": scores, "labels": labels, "values": values})
    return rows


if __name__ == "__main__":
    RECORDED.write_text("[\n" + ",\n".join(json.dumps(row) for row in record()) + "\n]\n", encoding="utf-8")
