"""By how much `logistic-tesa` is better than `logistic-paper`: test MAP, R@10 and MRR over several seeds.

python -m benchmarks.regressions [--release release.jsonl] [--seeds 6] [--starts 3] [--dimension 50]

Each seed is a split and a draw of candidates of its own. `logistic-paper` begins at random and often learns nothing, so
it gets several starts and validation chooses among them; `logistic-tesa` is not random. An instance that is in
several test parts counts once, with its mean. Without a release the synthetic one of the paper's size is taken, with
synthetic word vectors; a release is read as it is exported (JSON lines), without vectors.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernel.atomic_files import read_lines
from kernel.progress import Silent
from kernel.vectors.text_file import from_path
from modeling.candidates import build_dataset
from modeling.dataset import Dataset
from modeling.evaluation import Evaluation, evaluate
from modeling.items import Item, rankable
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.significance import Comparison, MeanInterval, bootstrap_interval, paired_randomisation
from modeling.splits import make_split
from tests.synthetic.release import INSTANCES, release_items, synthetic_release
from tests.synthetic.vectors import write_synthetic_vectors

NAMES = {"ap": "MAP", "r10": "R@10", "rr": "MRR"}
LEARNED = 0.3  # a validation MAP that no run reaches which stays at its start


def fitted(name: str, dataset: Dataset, resources: Resources, seed: int) -> tuple[float, Evaluation]:
    """Return the validation MAP of a ranker and its evaluation on test."""
    ranker = RANKERS[name]({}, resources)
    ranker.fit(dataset["train"], dataset["valid"], seed=seed, progress=Silent())
    evaluations = {
        part: evaluate(dataset[part], ranker.score_all(dataset[part], progress=Silent()), train=dataset["train"])
        for part in ("valid", "test")
    }
    return float(evaluations["valid"].values["ap"].mean()), evaluations["test"]


def compare(items: Sequence[Item], resources: Resources, seed: int, starts: int) -> tuple[Evaluation, Evaluation]:
    """Return the test evaluations of the paper's regression, its best start, and of ours; print a line."""
    dataset = build_dataset(items, make_split(items, rule="paper", seed=seed), seed=seed)
    tried = [fitted("logistic-paper", dataset, resources, start) for start in range(1, starts + 1)]
    paper = max(tried, key=lambda attempt: attempt[0])[1]
    tesa = fitted("logistic-tesa", dataset, resources, 1)[1]
    comparison = paired_randomisation(tesa.values["ap"], paper.values["ap"])
    learned = sum(valid > LEARNED for valid, _ in tried)
    means = "  ".join(f"{paper.values[metric].mean():.3f} {tesa.values[metric].mean():.3f}" for metric in NAMES)
    difference = f"{comparison.difference:+.3f}{between(comparison, '+.3f')}"
    print(f"{seed:4}  {learned} of {starts} learned  {means}   {difference}  p = {comparison.p:.4f}", flush=True)
    return paper, tesa


def between(interval: MeanInterval | Comparison, form: str) -> str:
    """Return the interval in brackets; nothing where too few instances have none."""
    return "" if interval.low is None or interval.high is None else f" [{interval.low:{form}}, {interval.high:{form}}]"


def by_instance(evaluations: Sequence[Evaluation], metric: str) -> list[float]:
    """Return the mean of each instance over the seeds that have it in test: no instance counts twice."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for evaluation in evaluations:
        for key, value in zip(evaluation.keys, evaluation.values[metric], strict=True):
            values[key].append(float(value))
    return [float(np.mean(values[key])) for key in sorted(values)]


def together(pairs: Sequence[tuple[Evaluation, Evaluation]]) -> None:
    """Print the means over all instances of all test parts, and in how many seeds ours is better."""
    for metric, name in NAMES.items():
        paper, tesa = (by_instance([pair[which] for pair in pairs], metric) for which in (0, 1))
        paper_interval, tesa_interval = bootstrap_interval(paper), bootstrap_interval(tesa)
        comparison = paired_randomisation(tesa, paper)
        better = sum(pair[1].values[metric].mean() > pair[0].values[metric].mean() for pair in pairs)
        shown = [f"{interval.mean:.3f}{between(interval, '.3f')}" for interval in (paper_interval, tesa_interval)]
        difference = f"{comparison.difference:+.3f}{between(comparison, '+.3f')} p = {comparison.p:.4f}"
        print(f"{name:5} paper {shown[0]}  tesa {shown[1]}  {difference}; better in {better} of {len(pairs)} seeds")
    print(f"{len(paper)} distinct test instances")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=Path)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--starts", type=int, default=3, help="random starts of logistic-paper; validation chooses")
    parser.add_argument("--instances", type=int, default=INSTANCES)
    parser.add_argument("--dimension", type=int, default=50, help="numbers per synthetic word vector")
    options = parser.parse_args()
    release = options.release
    lines = read_lines(release) if release else [*synthetic_release(options.instances, seed=1)]
    items = rankable(release_items(lines))
    print(f"{len(items)} instances; seed, then paper and tesa by {', '.join(NAMES.values())}; difference of MAP")
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder) / "words.txt"
        vectors = (
            None if release else from_path(str(write_synthetic_vectors(words, items, dimension=options.dimension)))
        )
        resources = Resources(vectors, Path(folder) / "features")
        together([compare(items, resources, seed, options.starts) for seed in range(1, options.seeds + 1)])


if __name__ == "__main__":
    main()
