"""The neural rankers of the registry: each runs the neural command in a work folder and reads its results."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from kernel.errors import InvalidInput, WrongState
from kernel.progress import Progress
from kernel.values import Json, content_hash
from modeling.dataset import RankingTask
from modeling.rankers.base import Curve, Resources, State
from modeling.rankers.neural.checkpoint_folders import PRESETS
from modeling.rankers.neural.request import Request, TaskText, make_request, task_row, write_request
from modeling.rankers.neural.settings import SETTINGS
from modeling.rankers.neural.work_folder import Phrases, WorkFolder
from modeling.rankers.neural_command import run_command
from modeling.rankers.settings import settings_from

INSTALL = "make worker-gpu"  # the command that makes a machine able to run them, and does


def has_torch() -> bool:
    """Return whether torch is installed here, without importing it."""
    return find_spec("torch") is not None


class NeuralRanker:
    """Training and scoring happen in one child process; `score_all` of other tasks starts another."""

    def __init__(self, name: str, parameters: Mapping[str, Json], resources: Resources) -> None:
        self.name, self.resources = name, resources
        self.settings = settings_from(SETTINGS[name], parameters)
        self._later: Sequence[RankingTask] = ()
        self._state: State = {}
        self._scores: dict[str, list[float]] = {}
        self._phrases: dict[str, Phrases] = {}

    def expect(self, tasks: Sequence[RankingTask]) -> None:
        self._later = tasks

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        parts = {"train": train, "valid": valid, "test": self._later}
        request = make_request(self.name, asdict(self.settings), self._checkpoint(), seed=seed)
        folder = self._run(self._work, request, parts, progress)
        self._state = dict(folder.model())
        curve = self._state.get("curve")
        rows = [row for row in curve if isinstance(row, dict)] if isinstance(curve, list) else []
        return tuple({name: float(str(value)) for name, value in row.items()} for row in rows)

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        if not {task.key for task in tasks} <= self._scores.keys():
            self._score(tasks, progress)
        return [self._scores[task.key] for task in tasks]

    def generations(self, tasks: Sequence[RankingTask]) -> list[Phrases] | None:
        if not {task.key for task in tasks} <= self._phrases.keys():
            return None
        return [self._phrases[task.key] for task in tasks]

    def state(self) -> State:
        return self._state

    def load(self, state: Mapping[str, Json]) -> None:
        if state.get("ranker") != self.name:
            raise InvalidInput("the saved model was written by another method or version")
        self._state = dict(state)
        if WorkFolder(self._work).model() == self._state:
            self._read_scores(WorkFolder(self._work))

    @property
    def _work(self) -> Path:
        if self.resources.work is None:
            raise InvalidInput(f"the method {self.name!r} needs a work folder for its checkpoints")
        return self.resources.work

    def _checkpoint(self) -> str:
        """Return the preset, or the folder of the checkpoint on this machine."""
        name, models = self.settings.checkpoint, self.resources.models
        if name in PRESETS:
            return name
        if not models or name != Path(name).name or not (models / name).is_dir():
            where = f" in {models}" if models else ""
            problem = f"this machine has no checkpoint {name!r}{where}: add it with manage.py models_add"
            raise InvalidInput(problem, field="checkpoint")
        return str(models / name)

    def _score(self, tasks: Sequence[RankingTask], progress: Progress) -> None:
        """Score with the trained model, or with the checkpoint if nothing was trained."""
        model = self._work / "model"
        parameters = {**asdict(self.settings), "epochs": 0}
        request = make_request(self.name, parameters, str(model) if model.exists() else self._checkpoint())
        folder = self._work / f"scoring-{content_hash([task.key for task in tasks])[:16]}"
        self._run(folder, request, {"test": tasks}, progress)

    def _run(
        self, path: Path, request: Request, parts: Mapping[str, Sequence[RankingTask]], progress: Progress
    ) -> WorkFolder:
        if not has_torch():
            raise InvalidInput(f"the method {self.name!r} needs torch, which this machine lacks: run {INSTALL}")
        rows = [task_row(task, part, self.settings.text_format) for part, tasks in parts.items() for task in tasks]
        folder = WorkFolder(path)
        _write(path, request, rows, progress)
        locks = self.resources.locks or self._work.parent
        run_command(folder, progress, locks=locks, watch=self.resources.watch)
        self._read_scores(folder)
        return folder

    def _read_scores(self, folder: WorkFolder) -> None:
        self._scores |= {key: scores for (_, key), scores in folder.scores().items()}
        self._phrases |= {key: phrases for (_, key), phrases in folder.generations().items()}


def _write(path: Path, request: Request, rows: Sequence[TaskText], progress: Progress) -> None:
    try:
        write_request(path, request, rows)
    except WrongState:  # of another version, or of a checkpoint that lay elsewhere
        progress.log("the work folder belongs to another request: training starts over")
        shutil.rmtree(path)
        write_request(path, request, rows)


seq2seq, cross_encoder, bart_pretrained, bart_generative, bart_discriminative = (
    partial(NeuralRanker, name) for name in SETTINGS
)
