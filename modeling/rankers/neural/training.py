"""The training loop: updates, validation, the choice of the best weights, checkpoints, and what ends it."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from modeling.metrics import Table, average_precision
from modeling.rankers.neural.bart import Rates
from modeling.rankers.neural.batches import Batch, make_batches, updates_of
from modeling.rankers.neural.checkpoints import Model
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.failures import is_out_of_memory
from modeling.rankers.neural.graphs import ClassGraphs, Graphs, TokenGraphs
from modeling.rankers.neural.kinds import CrossEncoder, NeuralKind, Pairs, Seq2Seq
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.optimizer import HAS_TRITON, Optimizer
from modeling.rankers.neural.saving import (
    Position,
    best_path,
    newest_checkpoint,
    read_file,
    save_best,
    save_checkpoint,
)
from modeling.rankers.neural.schedule import learning_rate
from modeling.rankers.neural.scoring import score_tasks
from modeling.rankers.neural.settings import NeuralSettings
from modeling.rankers.neural.texts import TaskIds
from modeling.rankers.neural.work_folder import Stuck, WorkFolder

REPORT_SECONDS = 2.0


@dataclass(frozen=True)
class Trained:
    """How a training ended; the model holds the chosen weights."""

    position: Position
    ended: str


class Training:
    """One training, from the beginning or from its newest checkpoint."""

    def __init__(
        self, model: Model, kind: NeuralKind, settings: NeuralSettings, machine: Machine, folder: WorkFolder,
        train: Sequence[TaskIds], valid: Sequence[TaskIds], *, seed: int,
    ) -> None:  # fmt: skip
        self.model, self.kind, self.settings, self.machine, self.folder = model, kind, settings, machine, folder
        self.train, self.valid, self.seed = train, valid, seed
        self.examples = kind.examples(train)
        self.batches = make_batches(
            self.examples,
            max_sentences=settings.max_sentences,
            max_tokens=settings.max_tokens,
            is_sorted=kind.is_sorted,
            seed=seed,
        )
        self.per_epoch = math.ceil(len(self.batches) / settings.accumulate)
        self.total = self.per_epoch * settings.epochs
        self.warmup = int(self.total * settings.warmup_share)
        self.rates = Rates(settings.dropout, settings.attention_dropout)
        is_one_batch = settings.accumulate == 1 and machine.world == 1 and not settings.clip_norm
        self.optimizer = Optimizer(
            model.weights, settings, is_scaled=machine.precision == "fp16", is_direct=is_one_batch and HAS_TRITON
        )
        self.graphs = self._make_graphs()
        self.checkpoints = folder.path / "checkpoints"
        self.position = Position()
        self.pending: list[Tensor] = []  # losses that were not read from the device yet
        self.updates: list[list[Batch]] = []
        self.sentences = self.tokens = 0  # since the last report

    def run(self, control: Control) -> Trained:
        """Train to the end; raise Interrupted if the control says so, after a checkpoint."""
        self._resume()
        self.started = self.reported = self.saved = time.monotonic()
        self.before = self.position.seconds
        ended = ""
        while not ended:
            if self._is_time_to_validate():
                self._validate()
            if self.position.update >= self.total:
                ended = "all epochs"
            elif self.settings.patience and self.position.stale >= self.settings.patience:
                ended = "patience"
            elif self._continue(control):
                ended = "asked to stop"
        if not self.position.curve or self.position.curve[-1]["update"] != self.position.update:
            self._validate()
        if self.position.chosen != self.position.update:
            self.model.weights.flat.copy_(read_file(best_path(self.checkpoints, self.position.chosen))["weights"])
        self.position.seconds = self._seconds()
        return Trained(self.position, ended)

    def _continue(self, control: Control) -> bool:
        """Make one update, and a checkpoint where one is due; return whether somebody asked to stop here."""
        try:
            self._update()
        except RuntimeError as error:  # torch raises it when memory runs out, on a CPU too
            if is_out_of_memory(error):
                batches = self.updates[self.position.update % self.per_epoch]
                raise Stuck(self._too_large(batches, f"at update {self.position.update + 1}")) from error
            raise
        is_epoch_end = self.position.update % self.per_epoch == 0
        is_late = time.monotonic() - self.saved > 60 * self.settings.checkpoint_minutes
        decision, is_late = self.machine.agree((control.decision(is_epoch_end=is_epoch_end), is_late))
        if is_epoch_end or is_late or decision == "cancel":
            self._save()
        if decision == "cancel":
            control.interrupt()
        return decision == "stop"

    def clean_up(self) -> None:
        if self.machine.is_first:
            shutil.rmtree(self.checkpoints, ignore_errors=True)

    # ---- One update ---------------------------------------------------------------------------

    def _update(self) -> None:
        done = self.position.update
        epoch, index = divmod(done, self.per_epoch)
        if index == 0 or not self.updates:
            self.updates = updates_of(self.batches, accumulate=self.settings.accumulate, seed=self.seed, epoch=epoch)
        # Dropout draws from torch's one generator: seeding it here makes an update repeatable after an interruption.
        torch.manual_seed((self.seed * 1_000_003 + done) * 64 + self.machine.rank)
        weight = sum(
            self.kind.weight(self.examples[number], self.train[self.examples[number].task])
            for batch in self.updates[index]
            for number in batch
        )
        total = torch.zeros((), device=self.machine.device)
        for batch in self.updates[index]:
            mine = self._pairs(batch)
            self.sentences += len(batch)
            self.tokens += self._tokens(batch)
            if mine:
                total += self._backward(mine, weight)
        self.machine.add_up(self.optimizer.collected())
        rate = learning_rate(done, peak=self.settings.learning_rate, warmup=self.warmup, total=self.total)
        self.optimizer.step(rate)
        self.pending.append(total)
        self.position.update += 1
        if time.monotonic() - self.reported > REPORT_SECONDS or self.position.update == self.total:
            self._report(rate)

    def _backward(self, pairs: Pairs, weight: int) -> Tensor:
        """Add the gradients of a batch to those of the update; return its share of the loss."""
        if self.graphs is not None and self.optimizer.is_empty:
            loss = self.graphs.backward(pairs, weight)
            if loss is not None:
                return loss
        loss = self.kind.loss(self.model.bart, pairs, self.rates) / weight
        self.optimizer.backward(loss)
        return loss.detach()

    def _make_graphs(self) -> Graphs | None:
        """Return CUDA graphs for the sizes of the batches; None without a GPU or with another loss."""
        if self.machine.device.type != "cuda" or self.machine.precision != "bf16" or self.settings.loss == "listwise":
            return None
        batches = [self._pairs(batch) for batch in self.batches]
        arguments = (self.model.bart, self.rates, self.optimizer, [pairs for pairs in batches if pairs])
        graphs: Graphs
        try:
            if isinstance(self.kind, CrossEncoder):
                graphs = ClassGraphs(self.kind, *arguments)
            elif isinstance(self.kind, Seq2Seq):
                graphs = TokenGraphs(self.kind, *arguments)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise Stuck(
                    self._too_large([max(self.batches, key=self._tokens)], "before the first update")
                ) from error
            raise
        self.optimizer.is_empty = True
        return graphs

    def _pairs(self, batch: Batch) -> Pairs:
        """Return this process's part of a batch."""
        mine = [self.examples[number] for number in self.machine.share(batch)]
        return [(self.train[example.task], example.candidates) for example in mine]

    def _read_losses(self) -> float:
        """Wait for the device and return the last loss; raise Stuck if one of them is not finite."""
        if not self.pending:
            return 0.0
        losses = torch.stack(self.pending)
        self.pending.clear()
        values = losses.tolist()
        first = self.position.update - len(values)
        for number, value in enumerate(values):
            if not math.isfinite(value) and not self.optimizer.is_scaled:
                raise Stuck(self._not_finite(first + number))
        self.position.losses = sum(values, self.position.losses)
        self.position.counted += len(values)
        return float(values[-1])

    def _not_finite(self, update: int) -> str:
        epoch, index = divmod(update, self.per_epoch)
        updates = updates_of(self.batches, accumulate=self.settings.accumulate, seed=self.seed, epoch=epoch)
        keys = {self.train[self.examples[number].task].key for batch in updates[index] for number in batch}
        shown = ", ".join(sorted(keys)[:8])
        return (
            f"The loss is not a finite number at update {update + 1} of {self.total} (tasks {shown}): "
            "lower the learning rate, or use bf16 or fp32."
        )

    def _tokens(self, batch: Batch) -> int:
        return sum(self.examples[number].length * len(self.examples[number].candidates) for number in batch)

    def _too_large(self, batches: Sequence[Batch], when: str) -> str:
        sentences, tokens = sum(map(len, batches)), sum(map(self._tokens, batches))
        half = max(tokens // len(batches) // 2, 1)
        other = " or choose bf16" if self.machine.precision == "fp32" else ""
        advice = f"set max_tokens to {half:,} and accumulate to {self.settings.accumulate * 2}{other}"
        return (
            f"Memory ran out {when} on {self.machine.device} with {sentences} sentences of {tokens:,} tokens: {advice}."
        )

    def _report(self, rate: float) -> None:
        busy = self.machine.busy() if self.machine.is_first else None
        loss = self._read_losses()
        now = time.monotonic()
        seconds, self.reported = max(now - self.reported, 1e-9), now
        done = self.position.update
        if self.machine.is_first:
            self.folder.report(
                "update",
                update=done,
                updates=self.total,
                epoch=(done - 1) // self.per_epoch + 1,
                loss=round(loss, 6) if math.isfinite(loss) else None,
                learning_rate=rate,
                samples_per_second=round(self.sentences / seconds, 2),
                tokens_per_second=round(self.tokens / seconds, 1),
                seconds_left=round(self._seconds() / done * (self.total - done), 1),
                memory=self.machine.peak_memory(),
                busy=busy,
            )
        self.sentences = self.tokens = 0

    def _seconds(self) -> float:
        return self.before + time.monotonic() - self.started

    # ---- Validation and checkpoints -----------------------------------------------------------

    def _is_time_to_validate(self) -> bool:
        """Return whether these weights are to be validated and were not yet, in this attempt or an earlier one."""
        at, every = self.position, self.settings.evaluate_every or self.per_epoch
        is_done = at.curve and at.curve[-1]["update"] == at.update
        return at.update > 0 and not is_done and (at.update % every == 0 or at.update == self.total)

    def _validate(self) -> None:
        self._read_losses()
        at = self.position
        value = None
        if self.valid:
            scores = score_tasks(self.model, self.kind, self.valid, self.machine)
            table = Table.of(scores, [task.labels for task in self.valid])
            value = float(average_precision(table).mean())
        loss = at.losses / max(at.counted, 1)
        epoch = (at.update - 1) // self.per_epoch + 1
        at.curve.append({"epoch": epoch, "update": at.update, "loss": loss, "valid_ap": value})
        at.losses, at.counted = 0.0, 0
        if value is None or value > at.best:
            at.best, at.chosen, at.stale = value if value is not None else at.best, at.update, 0
            if self.machine.is_first and at.update != self.total:
                save_best(self.checkpoints, at.update, self.model.weights.flat)
        else:
            at.stale += 1
        if self.machine.is_first:
            self.folder.report("valid", update=at.update, epoch=epoch, loss=loss, valid_ap=value)

    def _save(self) -> None:
        self._read_losses()
        self.position.seconds = self._seconds()
        if self.machine.is_first:
            save_checkpoint(self.checkpoints, self.position, self.optimizer.tensors())
        self.saved = time.monotonic()

    def _resume(self) -> None:
        checkpoint = newest_checkpoint(self.checkpoints)
        if checkpoint is None:
            return
        self.position, tensors = checkpoint
        self.optimizer.restore(tensors)
        index = self.position.update % self.per_epoch
        if index:
            epoch = self.position.update // self.per_epoch
            self.updates = updates_of(self.batches, accumulate=self.settings.accumulate, seed=self.seed, epoch=epoch)
        if self.machine.is_first:
            self.folder.report("resumed", update=self.position.update)
