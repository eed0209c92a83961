"""The backend fairseq: its own commands prepare and train, and a script of ours in its interpreter scores.

Texts are cut and turned into token numbers as for the other backend; fairseq gets the numbers as words, with a
dictionary in which each number is its own. Every epoch is one call of fairseq-train, which continues at the checkpoint
that it wrote last; after it, validation MAP decides whether its weights are the best so far.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.fairseq_files import LABELS
from modeling.metrics import Table, average_precision
from modeling.rankers.neural.bart import from_hugging_face, to_hugging_face
from modeling.rankers.neural.checkpoints import Model
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.fairseq_arguments import base_arguments, batch_arguments, training_arguments
from modeling.rankers.neural.fairseq_commands import LOG, Commands, Row
from modeling.rankers.neural.fairseq_data import dictionary, line_of, write_dictionaries
from modeling.rankers.neural.fairseq_layout import as_fairseq, rename
from modeling.rankers.neural.fairseq_python import ask
from modeling.rankers.neural.generated import distinct
from modeling.rankers.neural.generating import Hypothesis, Options
from modeling.rankers.neural.request import Request
from modeling.rankers.neural.saving import Position
from modeling.rankers.neural.settings import Seq2SeqSettings
from modeling.rankers.neural.texts import END, START, TaskIds
from modeling.rankers.neural.training import REPORT_SECONDS, Trained
from modeling.rankers.neural.work_folder import WorkFolder

HEAD = "sentence_classification_head"  # as fairseq's task names it
LAST, POSITION = "checkpoint_last.pt", "position.json"
Report = Callable[[int], None]


class Fairseq:
    """One run in fairseq. Its files are in the folder `fairseq` of the work folder."""

    def __init__(self, folder: WorkFolder, control: Control, request: Request, model: Model) -> None:
        self.folder, self.control, self.request, self.model = folder, control, request, model
        self.settings = request.settings
        self.facts = dict(ask())
        self.is_cpu = request.device == "cpu" or not self.facts.pop("is_cuda")
        self.precision = self._precision()
        self.path = folder.path / "fairseq"
        self.commands = Commands(self.path, control, is_trusted=True)  # they read what this run wrote
        self.data = self.path / "data"
        self.base = base_arguments(model.shape, self.settings, self.data, is_cpu=self.is_cpu)
        self.labels = None if model.label is None else LABELS if model.label else LABELS[::-1]
        write_dictionaries(self.data, model.shape.vocabulary, labels=self.labels)

    def _precision(self) -> str:
        asked = self.settings.precision
        if asked == "auto":
            return "fp32" if self.is_cpu else "fp16"
        if self.is_cpu and asked != "fp32":
            raise InvalidInput(f"fairseq computes in {asked} on GPUs only: choose auto or fp32", field="precision")
        return asked

    def machine_facts(self, ours: dict[str, Json]) -> dict[str, Json]:
        """Return what machine.json says: device and versions of fairseq's interpreter before our own."""
        versions = [facts["versions"] for facts in (ours, self.facts) if isinstance(facts["versions"], dict)]
        merged = {name: version for installed in versions for name, version in installed.items()}
        return {**ours, **self.facts, "precision": self.precision, "versions": merged}

    # ---- Training -----------------------------------------------------------------------------

    def train(self, train: Sequence[TaskIds], valid: Sequence[TaskIds]) -> Trained:
        """Train to the end, one epoch after the other; the model then holds the chosen weights."""
        if not (self.data / "prepared").exists():
            self._prepare(train)
        at, started = self._resume(), time.monotonic()
        before, per_epoch = at.seconds, self._updates_per_epoch()
        total, ended = per_epoch * self.settings.epochs, ""
        while not ended:
            epoch = at.update // per_epoch + 1
            self._train_epoch(epoch, total)
            at.update = epoch * per_epoch
            self._validate(at, epoch, valid)
            at.seconds = before + time.monotonic() - started
            self.folder.write(f"fairseq/{POSITION}", asdict(at))
            if at.update >= total:
                ended = "all epochs"
            elif self.settings.patience and at.stale >= self.settings.patience:
                ended = "patience"
            elif self.control.decision(is_epoch_end=True) == "stop":
                ended = "asked to stop"
        self._load(self.path / "best.pt")
        return Trained(at, ended)

    def clean_up(self) -> None:
        """Delete what only training needs; the log stays."""
        for name in ("checkpoints", "data", "start.pt", "best.pt", "model.pt", "words.txt"):
            path = self.path / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def _prepare(self, tasks: Sequence[TaskIds]) -> None:
        """Write the examples as lines of token numbers, and let fairseq-preprocess make its files of them."""
        self._export("start.pt")
        words = dictionary(self.model.shape.vocabulary)
        if isinstance(self.settings, Seq2SeqSettings):
            start = [START] if self.settings.score == "corrected" else []
            pairs = [
                ([START, *task.text], [*start, *ids])
                for task in tasks
                for ids, label in zip(task.candidates, task.labels, strict=True)
                if label
            ]
            write_lines(self.path / "train.source", (self._line(text) for text, _ in pairs))
            write_lines(self.path / "train.target", (self._line(phrase) for _, phrase in pairs))
            languages = ("--source-lang", "source", "--target-lang", "target")
            self._preprocess("train", self.data, words, *languages, "--tgtdict", "words.txt")
        else:
            rows = [
                ([*task.text, END, *ids], LABELS[label])
                for task in tasks
                for ids, label in zip(task.candidates, task.labels, strict=True)
            ]
            write_lines(self.path / "train.input0", (self._line(ids) for ids, _ in rows))
            write_lines(self.path / "train.label", (label for _, label in rows))
            self._preprocess("train.input0", self.data / "input0", words, "--only-source")
            labels = [f"{label} 1" for label in self.labels or ()]
            self._preprocess("train.label", self.data / "label", labels, "--only-source")
        for path in self.path.glob("train.*"):
            path.unlink()
        (self.data / "prepared").touch()

    def _line(self, ids: Sequence[int]) -> str:
        return line_of(ids, self.model.shape.vocabulary)

    def _preprocess(self, prefix: str, target: Path, words: Sequence[str], *more: str) -> None:
        self.folder.report("note", text=f"fairseq-preprocess makes {target.name}.")
        write_lines(self.path / "words.txt", words)
        shutil.rmtree(target, ignore_errors=True)  # it refuses to replace a dictionary
        arguments = ("--trainpref", prefix, "--destdir", str(target), "--srcdict", "words.txt", "--workers", "1", *more)
        self.commands.run("-m", "fairseq_cli.preprocess", *arguments)

    def _updates_per_epoch(self) -> int:
        """Ask fairseq how many batches it makes: the schedule of the learning rate needs the number of all updates."""
        arguments = [*self.base, *batch_arguments(self.settings, self.request.seed)]
        (result,) = self.commands.job("count", {"do": "count", "arguments": [*arguments]})
        return math.ceil(int(result["batches"]) / self.settings.accumulate)

    def _train_epoch(self, epoch: int, total: int) -> None:
        """Let fairseq-train do one epoch; it does nothing if its last checkpoint is of this epoch's end."""
        self.commands.run(
            "-m", "fairseq_cli.train", *self.base, *batch_arguments(self.settings, self.request.seed),
            *training_arguments(self.settings, precision=self.precision, updates=total),
            "--max-epoch", str(epoch), "--save-dir", str(self.path / "checkpoints"),
            "--finetune-from-model", str(self.path / "start.pt"),
            on_line=Follower(self.folder, total).read,
        )  # fmt: skip

    def _validate(self, at: Position, epoch: int, tasks: Sequence[TaskIds]) -> None:
        """Score with the last checkpoint, and keep its weights if validation MAP is the best so far."""
        weights, value, loss = self.path / "weights.pt", None, self._loss(epoch)
        scores = self._score(tasks, self.path / "checkpoints" / LAST, save=weights)
        if tasks:
            table = Table.of(scores, [task.labels for task in tasks])
            value = float(average_precision(table).mean())
        at.curve.append({"epoch": epoch, "update": at.update, "loss": loss, "valid_ap": value})
        if value is None or value > at.best:
            at.best, at.chosen, at.stale = value if value is not None else at.best, at.update, 0
            weights.replace(self.path / "best.pt")
        else:
            at.stale += 1
            weights.unlink()
        self.folder.report("valid", update=at.update, epoch=epoch, loss=loss, valid_ap=value)

    def _loss(self, epoch: int) -> float:
        """Return the mean loss of the epoch, from what fairseq-train printed at its end."""
        rows = [row for line in read_lines(self.path / LOG) if (row := _figures(line, "train"))]
        return next((_nats(row, "train_loss") for row in reversed(rows) if row["epoch"] == epoch), 0.0)

    def _resume(self) -> Position:
        at = Position(**self.folder.read(f"fairseq/{POSITION}"))  # type: ignore[arg-type]
        if any(row.get("kind") == "update" for row in self.folder.progress()):
            self.folder.report("resumed", update=at.update)
        return at

    # ---- Scores and phrases -------------------------------------------------------------------

    def scores(self, tasks: Sequence[TaskIds], report: Report) -> list[list[float]]:
        return self._score(tasks, self._export("model.pt"), report=report)

    def phrases(self, tasks: Sequence[TaskIds], options: Options, report: Report) -> list[list[tuple[str, float]]]:
        """Return phrases and their scores for each task, the best first."""
        asked: dict[str, Json] = {
            "beam": options.beams,
            "lenpen": options.length_penalty,
            "min_len": options.shortest,
            "max_len_a": 0,
            "max_len_b": options.longest,
            "no_repeat_ngram_size": options.no_repeat,
        }
        job = {**self._job("generate", self._export("model.pt")), "options": asked}
        rows = self.commands.job("generate", job, [_row(task) for task in tasks], on_line=_counting(report))
        report(len(tasks))
        hypotheses = [[Hypothesis(tuple(ids), score) for ids, score in row["hypotheses"]] for row in rows]
        return [distinct(row, self.model.tokenizer) for row in hypotheses]

    def _score(
        self,
        tasks: Sequence[TaskIds],
        checkpoint: Path,
        *,
        save: Path | None = None,
        report: Report = lambda done: None,
    ) -> list[list[float]]:
        job = {**self._job("score", checkpoint), "save": str(save) if save else ""}
        rows = self.commands.job("score", job, [_row(task) for task in tasks], on_line=_counting(report))
        report(len(tasks))
        scores = [[float(score) for score in row["scores"]] for row in rows]
        if [len(row) for row in scores] != [len(task.candidates) for task in tasks]:
            raise InvalidInput("fairseq did not score every candidate")
        return scores

    def _job(self, what: str, checkpoint: Path) -> dict[str, Json]:
        settings = self.settings
        return {
            "do": what,
            "arguments": [*self.base],
            "checkpoint": str(checkpoint),
            "label": self.model.label,
            "counts_start": isinstance(settings, Seq2SeqSettings) and settings.score == "original",
        }

    # ---- Files --------------------------------------------------------------------------------

    def _export(self, name: str) -> Path:
        """Write the model as a checkpoint that fairseq starts from."""
        history: dict[str, Json] = {"optimizer_name": "", "lr_scheduler_state": {}, "num_updates": 0}
        state = {
            "model": as_fairseq(to_hugging_face(self.model.weights), HEAD),
            "args": None,
            "cfg": None,
            "optimizer_history": [history],
            "extra_state": {"epoch": 0},
        }
        torch.save(state, self.path / name)
        return self.path / name

    def _load(self, path: Path) -> None:
        tensors, _, _ = rename(torch.load(path, weights_only=True), HEAD if self.model.label is not None else "")
        self.model.weights.fill(from_hugging_face(tensors))


class Follower:
    """Turns the lines that fairseq-train prints into reports. Its losses are in bits, ours in nats."""

    def __init__(self, folder: WorkFolder, total: int) -> None:
        self.folder, self.total = folder, total
        self.reported_at, self.started, self.first = 0.0, time.monotonic(), -1

    def read(self, line: str) -> None:
        row = _figures(line, "train_inner")
        if not row:
            logger, _, text = line.partition(" | INFO | ")[2].partition(" | ")
            if logger in ("fairseq.trainer", "fairseq_cli.train") and not text.startswith(("{", "BARTModel(")):
                self.folder.report("note", text=f"fairseq: {text[:200]}")
            return
        done = int(row["num_updates"])
        self.first = done - 1 if self.first < 0 else self.first
        if time.monotonic() - self.reported_at > REPORT_SECONDS or done == self.total:
            self.reported_at = time.monotonic()
            seconds = (self.reported_at - self.started) / max(done - self.first, 1)
            self.folder.report(
                "update",
                update=done,
                updates=self.total,
                epoch=int(row["epoch"]),
                loss=round(_nats(row, "loss"), 6),
                learning_rate=float(row["lr"]),
                samples_per_second=round(float(row["bsz"]) * float(row["ups"]), 2),
                tokens_per_second=float(row["wps"]),
                seconds_left=round(seconds * (self.total - done), 1),
            )


def _figures(line: str, logger: str) -> Row:
    """Return the figures of a line that this logger of fairseq-train printed; empty for any other line."""
    _, _, text = line.partition(f" | INFO | {logger} | ")
    return dict(json.loads(text)) if text.startswith("{") else {}


def _nats(row: Row, name: str) -> float:
    return float(str(row[name])) * math.log(2)


def _row(task: TaskIds) -> dict[str, Json]:
    return {"text": task.text.tolist(), "candidates": [ids.tolist() for ids in task.candidates]}


def _counting(report: Report) -> Callable[[str], None]:
    def read(line: str) -> None:
        if line.startswith('{"done": '):
            report(int(json.loads(line)["done"]))

    return read
