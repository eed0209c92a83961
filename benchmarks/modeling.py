"""How long all rankers take at the paper's size, features included, and how that grows with the data.

    python -m benchmarks.modeling [--instances 1718] [--times 10] [--dimension 300]

The release and its word vectors are synthetic (tests/synthetic/). Each size runs in a process of its own, so that the
memory printed is that size's. The first line calibrates: a million additions in plain Python.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.regressions import NAMES, fitted
from kernel.vectors.text_file import from_path
from modeling.candidates import build_dataset
from modeling.dataset import Dataset
from modeling.evaluation import Evaluation, evaluate
from modeling.items import rankable
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.splits import make_split
from tests.synthetic.release import INSTANCES, release_items, synthetic_release
from tests.synthetic.vectors import write_synthetic_vectors

T = TypeVar("T")
NAMED = [name for name in RANKERS if name not in ("embedding", "boosting")]  # the figure's: baselines and regressions
SEED = 2  # with others (0, 1) logistic-paper never leaves its start: modeling/README.md
EXTRA = ["embedding", "boosting"]


class Stopwatch:
    """CPU seconds of each step."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}

    def time(self, name: str, call: Callable[[], T]) -> T:
        start = time.process_time()
        result = call()
        self.steps[name] = time.process_time() - start
        return result


def run(name: str, dataset: Dataset, resources: Resources) -> dict[str, float]:
    return means(fitted(name, dataset, resources, SEED)[1])


def random_order(dataset: Dataset) -> dict[str, float]:
    """Return what a random order is expected to score: with equal scores each value is the mean over all orders."""
    tasks = dataset["test"]
    return means(evaluate(tasks, [[0.0] * len(task.candidates) for task in tasks]))


def means(result: Evaluation) -> dict[str, float]:
    return {metric: float(result.values[metric].mean()) for metric in NAMES}


def measure(instances: int, dimension: int) -> dict[str, Any]:
    watch = Stopwatch()
    start = time.perf_counter()
    lines = [*synthetic_release(instances, seed=1)]
    items = watch.time("read the release", lambda: rankable(release_items(lines)))
    split = watch.time("split", lambda: make_split(items, rule="paper", seed=2345))
    dataset = watch.time("candidates", lambda: build_dataset(items, split, seed=2345))
    with tempfile.TemporaryDirectory() as folder:
        vectors = from_path(str(write_synthetic_vectors(Path(folder) / "words.txt", items, dimension=dimension)))
        resources = Resources(vectors, Path(folder) / "features")
        results = {name: watch.time(name, partial(run, name, dataset, resources)) for name in [*NAMED, *EXTRA]}
    return {
        "steps": watch.steps,
        "results": results,
        "random": random_order(dataset),
        "sizes": {part: len(tasks) for part, tasks in dataset.parts.items()},
        "wall": time.perf_counter() - start,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def in_a_process(instances: int, dimension: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.modeling", "--one", str(instances), "--dimension", str(dimension)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def figure(measured: dict[str, Any]) -> float:
    """CPU seconds of everything the target names: all but the extra rankers."""
    return sum(seconds for name, seconds in measured["steps"].items() if name not in EXTRA)


def report(small: dict[str, Any], large: dict[str, Any] | None, times: int) -> None:
    print(f"{'step':30} {'CPU s':>8} {f'{times}x':>8} {'ratio':>6}    test AP   R@10     RR")
    for name, seconds in small["steps"].items():
        other = large["steps"][name] if large else 0.0
        line = f"{name:30} {seconds:8.2f} {other:8.2f} {other / seconds if seconds > 0.05 else 0:6.1f}"
        if name in small["results"]:
            line += "    " + "  ".join(f"{small['results'][name][metric]:.4f}" for metric in NAMES)
        print(line)
    chance = "  ".join(f"{small['random'][metric]:.4f}" for metric in NAMES)
    print(f"{'expected of a random order':58} {chance}")
    print(f"parts {small['sizes']}; baselines and both regressions {figure(small):.1f} s of CPU (target 90); ", end="")
    print(f"with {' and '.join(EXTRA)} {sum(small['steps'].values()):.1f} s; memory {small['memory']:.2f} GiB")
    if large:
        print(f"{times}x the data: {figure(large) / figure(small):.1f}x the CPU (target {times}), ", end="")
        print(f"memory {large['memory']:.2f} GiB (target 2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=INSTANCES)
    parser.add_argument("--times", type=int, default=10, help="how much more data the second run has; 0: no second run")
    parser.add_argument("--dimension", type=int, default=300, help="numbers per word vector")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.dimension)))
        return
    start = time.process_time()
    sum(number for number in range(1_000_000))
    print(f"calibration: a million additions in {(time.process_time() - start) * 1e3:.0f} ms")
    small = in_a_process(options.instances, options.dimension)
    large = in_a_process(options.instances * options.times, options.dimension) if options.times else None
    report(small, large, options.times)


if __name__ == "__main__":
    main()
