"""One run of the command: read the request, train, score, write results, and say in a sentence what went wrong."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from torch import distributed

from kernel.errors import Cancelled, InvalidInput
from kernel.values import Json, counted
from modeling.rankers.neural.checkpoints import Model, open_model, save_model
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.failures import code_and_sentence
from modeling.rankers.neural.fairseq_backend import Fairseq
from modeling.rankers.neural.generated import generate_phrases
from modeling.rankers.neural.generating import options_of
from modeling.rankers.neural.kinds import NeuralKind, make_kind
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.request import Request, TaskText, read_request
from modeling.rankers.neural.scoring import score_tasks
from modeling.rankers.neural.settings import FAIRSEQ, Seq2SeqSettings
from modeling.rankers.neural.texts import TaskIds, encode_tasks
from modeling.rankers.neural.training import Training
from modeling.rankers.neural.work_folder import FINISHED, LOCKED, Locked, WorkFolder, file_hashes

MODEL_SCHEMA = 1
TRAINED = "training.json"  # what training left besides the model folder: a run that was killed while scoring reads it


def run(path: Path, *, with_parent: bool = False) -> int:
    """Return the exit code; state.json holds the sentence that goes with it."""
    folder, is_first = WorkFolder(path), os.environ.get("RANK", "0") == "0"
    try:
        with folder.locked() if is_first else nullcontext():
            return _run(folder, Control(folder, with_parent=with_parent), is_first=is_first)
    except Locked as error:
        print(error, file=sys.stderr)
        return LOCKED


def _run(folder: WorkFolder, control: Control, *, is_first: bool) -> int:
    if folder.state().state == "finished":
        return FINISHED
    control.listen()
    try:
        if is_first:
            folder.enter("starting")
        _work(folder, control)
    except Exception as error:
        outcome = code_and_sentence(error)
        if is_first:
            state = "interrupted" if isinstance(error, Cancelled) else "failed"
            folder.enter(state, outcome[1] if outcome else f"A fault in the program: {type(error).__name__}: {error}")
        if outcome is None:
            raise
        print(outcome[1], file=sys.stderr)
        return outcome[0]
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()
    return FINISHED


def _work(folder: WorkFolder, control: Control) -> None:
    request, rows = read_request(folder.path)
    machine = _machine(request)
    started = time.monotonic()
    _check(request, rows)
    trained = folder.read(TRAINED)
    source = str(folder.path / "model") if trained.get("has_model") else request.checkpoint
    has_head = not isinstance(request.settings, Seq2SeqSettings)
    vocabulary = folder.path / "vocabulary.json"
    model = open_model(source, rows, machine, has_head=has_head, seed=request.seed, vocabulary=vocabulary)
    kind = make_kind(request.settings, model.label or 0)
    longest = min(request.settings.max_length, model.shape.positions)
    tasks = encode_tasks(rows, model.tokenizer, longest=longest, has_pairs=has_head)
    fairseq = Fairseq(folder, control, request, model) if request.settings.backend == FAIRSEQ else None
    if not trained:
        trained = _train(folder, control, request, model, kind, machine, fairseq, tasks)
        if machine.is_first:
            folder.write(TRAINED, trained)
    scored = [task for task in tasks if task.part != "train"]
    _score(folder, control, model, kind, machine, fairseq, scored)
    _generate(folder, control, request, model, machine, fairseq, scored)
    if fairseq is not None:
        fairseq.clean_up()
    if machine.is_first:
        _finish(folder, request, kind, machine, fairseq, tasks, trained, time.monotonic() - started)


def _machine(request: Request) -> Machine:
    """Return where this process computes: for fairseq on the CPU in fp32, because its own process has the device."""
    if request.settings.backend != FAIRSEQ:
        return Machine.choose(request.device, request.settings.precision)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise InvalidInput("the backend fairseq trains in one process: start it without torchrun", field="backend")
    return Machine.choose("cpu", "fp32")


def _check(request: Request, rows: Sequence[TaskText]) -> None:
    """Raise InvalidInput if there is nothing to learn from or nothing to score."""
    train = [row for row in rows if row.part == "train"]
    if len(train) == len(rows) and not request.settings.epochs:
        raise InvalidInput("there is nothing to score: every task is in the training part")
    if not request.settings.epochs:
        return
    labels = {label for row in train for label in row.labels}
    if not train:
        raise InvalidInput("the training part is empty")
    if 1 not in labels:
        raise InvalidInput("no candidate of the training part is a gold")
    if 0 not in labels and request.settings.loss != "cross-entropy":
        raise InvalidInput("no candidate of the training part is a distractor: this ranker learns from both")


def _train(
    folder: WorkFolder, control: Control, request: Request, model: Model, kind: NeuralKind, machine: Machine,
    fairseq: Fairseq | None, tasks: Sequence[TaskIds],
) -> dict[str, Json]:  # fmt: skip
    """Train and write the model folder; return what model.json says about it."""
    start = model.sha256
    if machine.is_first:
        known = {row.get("text") for row in folder.progress()}  # a run that continues said it before
        for note in [*model.notes, *_cut_notes(tasks)]:
            if note not in known:
                folder.report("note", text=note)
    if not request.settings.epochs:
        return {"sha256": start, "curve": [], "chosen": 0, "updates": 0, "ended": "no training", "seconds": 0.0}
    if machine.is_first:
        folder.enter("training")
    parts = {part: [task for task in tasks if task.part == part] for part in ("train", "valid")}
    if fairseq is not None:
        result = fairseq.train(parts["train"], parts["valid"])
        save_model(model, folder.path / "model")
    else:
        training = Training(
            model, kind, request.settings, machine, folder, parts["train"], parts["valid"], seed=request.seed
        )
        result = training.run(control)
        if machine.is_first:
            save_model(model, folder.path / "model")
            training.clean_up()
    at = result.position
    return {
        "sha256": start,
        "curve": [*at.curve],
        "chosen": at.chosen,
        "updates": at.update,
        "ended": result.ended,
        "seconds": at.seconds,
        "has_model": True,
    }


def _score(
    folder: WorkFolder, control: Control, model: Model, kind: NeuralKind, machine: Machine, fairseq: Fairseq | None,
    tasks: Sequence[TaskIds],
) -> None:  # fmt: skip
    """Write scores.jsonl, unless a run that was killed later has written it."""
    if machine.agree((folder.path / "scores.jsonl").exists()):
        return
    if machine.is_first:
        folder.enter("scoring")
    report = _reporter(folder, control, machine, "score", len(tasks))
    scores = fairseq.scores(tasks, report) if fairseq else score_tasks(model, kind, tasks, machine, report)
    if machine.is_first:
        folder.write_scores([(task.part, task.key, row) for task, row in zip(tasks, scores, strict=True)])


def _generate(
    folder: WorkFolder, control: Control, request: Request, model: Model, machine: Machine, fairseq: Fairseq | None,
    tasks: Sequence[TaskIds],
) -> None:  # fmt: skip
    """Write generations.jsonl if the ranker can write phrases, unless a run that was killed later has written it."""
    settings = request.settings
    if not isinstance(settings, Seq2SeqSettings) or settings.generate == "nothing":
        return
    if machine.agree((folder.path / "generations.jsonl").exists()):
        return
    if machine.is_first:
        folder.enter("generating")
    report = _reporter(folder, control, machine, "generate", len(tasks))
    options = options_of(settings, request.seed)
    if fairseq is not None:
        phrases = fairseq.phrases(tasks, options, report)
    else:
        phrases = generate_phrases(model, options, tasks, machine, report)
    if machine.is_first:
        folder.write_generations([(task.part, task.key, row) for task, row in zip(tasks, phrases, strict=True)])


def _reporter(folder: WorkFolder, control: Control, machine: Machine, kind: str, total: int) -> Callable[[int], None]:
    """Return a function that reports how many tasks are done, each second at most, and ends a cancelled run."""
    reported_at = time.monotonic()

    def report(done: int) -> None:
        nonlocal reported_at
        if machine.world == 1 and control.decision() == "cancel":
            control.interrupt()
        if machine.is_first and (time.monotonic() - reported_at > 1 or done >= total):
            folder.report(kind, done=min(done, total), total=total)
            reported_at = time.monotonic()

    return report


def _finish(
    folder: WorkFolder, request: Request, kind: NeuralKind, machine: Machine, fairseq: Fairseq | None,
    tasks: Sequence[TaskIds], trained: dict[str, Json], seconds: float,
) -> None:  # fmt: skip
    model = folder.path / "model"
    folder.write(
        "model.json",
        {
            "schema": MODEL_SCHEMA,
            "ranker": request.ranker,
            "settings": asdict(request.settings),
            "seed": request.seed,
            "checkpoint": {"name": request.settings.checkpoint, "sha256": trained["sha256"]},
            "convention": kind.convention,
            **{name: trained[name] for name in ("curve", "chosen", "updates", "ended")},
            "cut": _cuts(tasks),
            "files": file_hashes(model) if model.exists() else {},
        },
    )
    is_cpu = fairseq.is_cpu if fairseq else machine.device.type != "cuda"
    hours = 0.0 if is_cpu else float(str(trained["seconds"])) / 3600 * machine.world
    times: dict[str, Json] = {"seconds": round(seconds, 1), "gpu_hours": hours, "peak_memory": machine.peak_memory()}
    facts = fairseq.machine_facts(machine.facts()) if fairseq else machine.facts()
    folder.write("machine.json", {**facts, **times})
    folder.enter("finished")


def _cuts(tasks: Sequence[TaskIds]) -> dict[str, Json]:
    by_part: dict[str, Json] = {}
    for part in dict.fromkeys(task.part for task in tasks):
        cuts = [task.cut for task in tasks if task.part == part]
        by_part[part] = {"texts": len(cuts), "cut": sum(cut > 0 for cut in cuts), "tokens": sum(cuts)}
    return by_part


def _cut_notes(tasks: Sequence[TaskIds]) -> list[str]:
    cuts = [task.cut for task in tasks if task.cut]
    if not cuts:
        return []
    texts = f"{counted(len(cuts), 'text')} of {len(tasks):,}"
    return [f"{texts} were too long and lost {counted(sum(cuts), 'token')} at the beginning."]
