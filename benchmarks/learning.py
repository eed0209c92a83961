"""Whether the neural rankers learn: from random weights, on tasks that need backgrounds and article together.

    python -m benchmarks.learning train FOLDER            # where torch is, best on a GPU
    .venv/bin/python -m benchmarks.learning compare FOLDER   # baselines on the same tasks, table and plot

`train` makes the tasks of tests/synthetic/hard.py, trains both rankers with two seeds, then once without backgrounds
(va) and once without the article (vb), and writes one JSON file for each run. `--only` chooses among them, so that
several processes can share one GPU. `compare` runs the baselines, prints test MAP, the difference to the best baseline
with its interval and p, and draws the validation curves to learning.svg.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kernel.plots.drawing import MUTED, Plot, colour_and_shape, draw
from kernel.progress import Silent
from modeling.dataset import Dataset
from modeling.metrics import Floats, Table, average_precision
from modeling.rankers.neural.checkpoint_folders import BartShape
from modeling.rankers.neural.request import Request, TaskText, make_request, task_row, write_request
from modeling.rankers.neural.work_folder import WorkFolder
from modeling.significance import MeanInterval, bootstrap_interval, paired_randomisation
from tests.synthetic.hard import hard_dataset

SIZES = (20_000, 400, 1_000)
SHAPE = BartShape(2048, 256, 2, 2, 4, 4, 1024, 1024, 512)  # with 4 + 4 layers the cross-encoder stays at chance
Settings = Mapping[str, Any]
COMMON: Settings = {
    "warmup_share": 0.1,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "clip_norm": 1.0,
    "evaluate_every": 500,
}
SETTINGS: Mapping[str, Settings] = {
    "seq2seq": {**COMMON, "max_tokens": 8192, "learning_rate": 3e-4, "epochs": 12, "generate": "nothing"},
    "cross-encoder": {**COMMON, "max_sentences": 96, "max_tokens": 0, "learning_rate": 3e-4, "epochs": 2},
}
BASELINES = ("frequency", "logistic-tesa", "boosting")
RUNS = tuple(
    (ranker, text_format, seed)
    for ranker in SETTINGS
    for text_format, seed in (("v0", 1), ("v0", 2), ("va", 1), ("vb", 1))
)


def train(dataset: Dataset, work: Path, ranker: str, text_format: str, seed: int, changes: Settings) -> dict[str, Any]:
    """Train one ranker from random weights in this folder; return what `run_one` says of it."""
    rows = [task_row(task, part, text_format) for part, tasks in dataset.parts.items() for task in tasks]
    weights = make_checkpoint(work / "random", rows, seed)
    path = work / ranker
    path.mkdir(parents=True)
    settings = {**SETTINGS[ranker], "text_format": text_format, **changes}
    return run_one(dataset, path, make_request(ranker, settings, str(weights), seed=seed), rows)


def run_one(dataset: Dataset, path: Path, request: Request, rows: Sequence[TaskText]) -> dict[str, Any]:
    """Do what the request says in this folder; return what it was, its curve and the AP of each test task."""
    from modeling.rankers.neural.running import run  # torch: only here

    started = time.monotonic()
    write_request(path, request, rows)
    folder = WorkFolder(path)
    if run(path):
        raise SystemExit(f"{request.ranker}: {folder.state()}")
    scores, tasks = folder.scores(), dataset["test"]
    values = average_precision(Table.of([scores["test", task.key] for task in tasks], [task.labels for task in tasks]))
    seconds = round(time.monotonic() - started, 1)
    settings = request.settings
    print(
        f"{request.ranker} {settings.text_format} seed {request.seed}: test MAP {values.mean():.3f}, {seconds} s",
        flush=True,
    )
    return {
        "ranker": request.ranker,
        "text_format": settings.text_format,
        "seed": request.seed,
        "settings": asdict(settings),
        "seconds": seconds,
        "machine": folder.read("machine.json"),
        **{name: folder.read("model.json")[name] for name in ("curve", "updates")},
        "test_ap": [round(float(value), 6) for value in values],
    }


def make_checkpoint(folder: Path, rows: Sequence[TaskText], seed: int) -> Path:
    """Write random weights of a small BART with a vocabulary learned from the training part."""
    from modeling.rankers.neural import checkpoints, texts
    from modeling.rankers.neural.bart import Weights, shapes_of
    from modeling.rankers.neural.machine import Machine

    cpu = Machine.choose("cpu", "fp32")
    weights = Weights(shapes_of(SHAPE, has_head=False), dtype=cpu.dtype, device=cpu.device)
    weights.start_at_random(seed)
    training = [row for row in rows if row.part == "train"]
    words = [text for row in training for text in (row.text, *(phrase for phrase, _ in row.candidates))]
    checkpoints.save_model(checkpoints.Model(SHAPE, weights, texts.learn_tokenizer(words, SHAPE.vocabulary)), folder)
    return folder


def compare(dataset: Dataset, folder: Path) -> None:
    """Print test MAP of every run and baseline, each neural run against the best baseline; draw the curves."""
    runs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    baselines = {name: baseline(name, dataset) for name in BASELINES}
    best = max(baselines, key=lambda name: baselines[name].mean())
    for name, values in baselines.items():
        print(f"{name:30} MAP {_between(bootstrap_interval(values))}")
    for run in runs:
        comparison = paired_randomisation(run["test_ap"], baselines[best])
        label = f"{run['ranker']} {run['text_format']}, seed {run['seed']}"
        print(
            f"{label:30} MAP {_between(bootstrap_interval(run['test_ap']))}; minus {best} {comparison.difference:+.3f} "
            f"[{comparison.low:+.3f}, {comparison.high:+.3f}], p = {comparison.p:.4f}; "
            f"{run['updates']} updates, {run['seconds']} s"
        )
    (folder / "learning.svg").write_text(draw(_plot(runs, best, float(baselines[best].mean())), standalone=True))


def baseline(name: str, dataset: Dataset) -> Floats:
    """Return the average precision of each test task."""
    from modeling.rankers import RANKERS
    from modeling.rankers.base import Resources

    with tempfile.TemporaryDirectory() as features:
        ranker = RANKERS[name]({}, Resources(None, Path(features)))
        ranker.fit(dataset["train"], dataset["valid"], seed=1, progress=Silent())
        scores = ranker.score_all(dataset["test"], progress=Silent())
    return average_precision(Table.of(scores, [task.labels for task in dataset["test"]]))


def _between(interval: MeanInterval) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _plot(runs: Sequence[Mapping[str, Any]], best: str, level: float) -> Plot:
    names = {"v0": "all of the text", "va": "without backgrounds", "vb": "without the article"}
    rows = [
        {
            "ranker": run["ranker"],
            "run": f"{names[run['text_format']]}, seed {run['seed']}",
            "share": row["update"] / run["updates"],
            "ap": row["valid_ap"],
        }
        for run in runs
        for row in run["curve"]
    ]
    x = {"field": "share", "type": "quantitative", "axis": {"title": "share of the updates", "format": "%"}}
    y = {"field": "ap", "type": "quantitative", "axis": {"title": "validation MAP"}, "scale": {"domain": [0, 1]}}
    series = sorted({row["run"] for row in rows})
    line = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"x": x, "y": y, **colour_and_shape("run", series)}}
    level_of_best = {
        "data": {"values": [{"level": level}]},
        "encoding": {"y": {"field": "level", "type": "quantitative"}},
    }
    rule = {**level_of_best, "mark": {"type": "rule", "strokeDash": [4, 4], "color": MUTED}}
    text = {
        **level_of_best,
        "mark": {"type": "text", "align": "right", "dy": 11, "x": 296, "text": f"{best}, test", "color": MUTED},
    }
    spec = {
        "data": {"values": rows},
        "facet": {"column": {"field": "ranker", "title": None}},
        "spacing": 40,
        "padding": {"left": 5, "right": 40, "top": 5, "bottom": 5},
        "spec": {"layer": [line, rule, text], "width": 300, "height": 220},
    }
    return Plot(spec, "Validation MAP while learning from random weights")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="train only runs whose name contains this")
    parser.add_argument("--sizes", type=int, nargs=3, default=SIZES, help="tasks of train, valid and test")
    parser.add_argument("--set", action="append", default=[], help="PARAMETER=NUMBER for every run")
    options = parser.parse_args()
    dataset = hard_dataset(*options.sizes)
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.what == "compare":
        compare(dataset, options.folder)
        return
    changes = {name: json.loads(value) for name, _, value in (change.partition("=") for change in options.set)}
    for name in RUNS:
        if options.only in " ".join(map(str, name)):
            with tempfile.TemporaryDirectory() as work:
                result = train(dataset, Path(work), *name, changes)
            (options.folder / f"{'-'.join(map(str, name))}.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
