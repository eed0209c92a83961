"""Splits of releases, their ranking tasks, experiments, runs, and notes on errors."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from kernel.clock import now
from modeling.grids import PlannedRun
from modeling.rankers import DESCRIPTIONS
from modeling.run_folder import GENERATIONS, WEIGHTS


class Split(models.Model):
    """Which instances of a release are for training, validation and test. Never changed."""

    release = models.ForeignKey("annotation.Release", on_delete=models.PROTECT, related_name="splits")
    rule = models.CharField(max_length=20)
    seed = models.BigIntegerField()
    fold = models.PositiveSmallIntegerField(null=True)
    parameters = models.JSONField(default=dict)  # {"ratio": [2, 1, 1]} or {"folds": k}
    value = models.JSONField()  # modeling.splits.SplitValue as JSON: the keys of each part
    statistics = models.JSONField()  # part → modeling.split_statistics.PartStatistics as JSON
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["release", "content_hash"], name="split_once_per_release")]

    def __str__(self) -> str:
        fold = "" if self.fold is None else f", fold {self.fold + 1} of {self.parameters.get('folds')}"
        return f"{self.rule}, seed {self.seed}{fold}"

    def get_absolute_url(self) -> str:
        return reverse("split", args=[self.pk])

    @property
    def label(self) -> str:
        """Return its name at the beginning of a line: “Paper split, seed 1”."""
        return str(self).replace(self.rule, f"{self.rule.capitalize()} split", 1)


class TaskSet(models.Model):
    """The ranking tasks of one split with one way to draw candidates. Runs on the same set can be compared."""

    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="task_sets")
    options = models.JSONField()  # modeling.candidates.CandidateOptions as JSON
    seed = models.BigIntegerField()
    recipe_hash = models.CharField(max_length=64)  # of options and seed
    content_hash = models.CharField(max_length=64, blank=True)  # of the dataset; empty until the first run builds it
    spec = models.JSONField(default=dict)  # Dataset.spec
    sizes = models.JSONField(default=dict)  # part → tasks

    class Meta:
        constraints = [models.UniqueConstraint(fields=["split", "recipe_hash"], name="task_set_once_per_split")]

    def __str__(self) -> str:
        extra = {
            "train_vocabulary": "from answers of the training part only",
            "spare_same_tuple": "none that was an answer for the same entities",
        }
        chosen = [label for name, label in extra.items() if self.options.get(name)]
        hard = [f"{self.options['hard']} hard"] if self.options.get("hard") else []
        return ", ".join([f"{self.options['size']} candidates", *hard, *chosen, f"seed {self.seed}"])


class TaskRow(models.Model):
    """One ranking task of valid or test, for which predictions are made: an instance and its candidates."""

    task_set = models.ForeignKey(TaskSet, on_delete=models.CASCADE, related_name="tasks")
    part = models.CharField(max_length=5)
    position = models.PositiveIntegerField()  # in its part
    key = models.CharField(max_length=64)  # of the instance
    type = models.CharField(max_length=12)
    size = models.PositiveSmallIntegerField()
    is_seen = models.BooleanField()  # at least one of its entities is in the training part
    entities = models.JSONField()
    phrases = models.JSONField()  # in the tasks' order
    labels = models.JSONField()

    class Meta:
        ordering = ["task_set", "part", "position"]
        constraints = [models.UniqueConstraint(fields=["task_set", "key"], name="task_once_per_set")]

    def __str__(self) -> str:
        return ", ".join(self.entities)


class Experiment(models.Model):
    """A grid of rankers, parameters and seeds, run on one task set and compared with each other."""

    name = models.CharField(max_length=100, unique=True)
    release = models.ForeignKey("annotation.Release", on_delete=models.PROTECT, related_name="experiments")
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="experiments")
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="experiments")
    vectors = models.JSONField(default=dict)  # {"kind", "path", "identity"}, or empty
    grid = models.JSONField()  # modeling.grids.Grid as JSON
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    opened_at = models.DateTimeField(null=True)  # since then, test figures of all runs are shown
    opened_by = models.CharField(max_length=150, blank=True)
    is_demo = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("experiment", args=[self.pk])


class Run(models.Model):
    """One execution of one ranker. Its files are the truth; these fields are read from them."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()  # in its experiment, from 1
    ranker = models.CharField(max_length=60)
    parameters = models.JSONField(default=dict)
    seed = models.BigIntegerField()
    share = models.PositiveSmallIntegerField(default=100)  # per cent of the training part that it learns from
    job = models.ForeignKey("kernel.Job", null=True, on_delete=models.SET_NULL, related_name="runs")
    metrics = models.JSONField(default=dict)  # part → metric → figure; tied scores count by the mean over all orders
    tie_broken = models.JSONField(default=dict)  # part → metric → mean in the listed order, for the CSV file only
    breakdowns = models.JSONField(default=dict)  # part → type, size, seen → value → {"n", metric → figure}
    preparation = models.CharField(max_length=30, blank=True)  # of words, as "name version"; empty if it reads no words
    curve = models.JSONField(default=list)
    weights = models.JSONField(default=dict)  # {"names", "values", "unit"}, or empty
    hashes = models.JSONField(default=dict)  # file → SHA-256
    versions = models.JSONField(default=dict)
    hardware = models.JSONField(default=dict)
    seconds = models.FloatField(null=True)
    live = models.JSONField(default=dict)  # how a neural ranker trains: modeling.live.summary, and the device
    stop_requested = models.BooleanField(default=False)  # end training after this epoch
    finished_at = models.DateTimeField(null=True)  # whole since then: files and rows agree

    class Meta:
        ordering = ["experiment", "number"]
        permissions = [("train_run", "May train: start, cancel and retry runs")]
        constraints = [models.UniqueConstraint(fields=["experiment", "number"], name="run_number")]

    def __str__(self) -> str:
        return f"{self.experiment.name}, run {self.number}"

    @property
    def status(self) -> str:
        """The state of its job, or waiting if it has none. A finished run stays so when its job is deleted."""
        if self.finished_at:
            return "succeeded"
        return self.job.status if self.job else "waiting"

    @property
    def is_neural(self) -> bool:
        return self.ranker in DESCRIPTIONS and DESCRIPTIONS[self.ranker].is_neural

    @property
    def backend(self) -> str:
        """The library that trains and scores it; empty unless it is neural."""
        return self._cell.backend

    @property
    def has_phrases(self) -> bool:
        """Whether it has generated phrases."""
        return GENERATIONS in self.hashes

    @property
    def weight_names(self) -> list[str]:
        """The files of weights in the storage."""
        return [name for name in self.hashes if name.startswith(f"{WEIGHTS}/")]

    @property
    def preparation_words(self) -> str:
        """“tesa, version 2”."""
        return ", version ".join(self.preparation.rsplit(" ", 1))

    @property
    def folder(self) -> str:
        """The folder of its files in the storage."""
        return f"runs/{self.pk}"

    @property
    def label(self) -> str:
        """What distinguishes it from the other runs of its experiment."""
        return ", ".join(filter(None, [self.method, self.detail]))

    @property
    def method(self) -> str:
        """What results compare it as: its ranker, and for ablations the text it reads."""
        return self._cell.method

    @property
    def detail(self) -> str:
        """What distinguishes it from the other runs of its method."""
        return self._cell.detail

    @property
    def _cell(self) -> PlannedRun:
        return PlannedRun(self.ranker, self.parameters, self.seed, self.share)


class Trial(models.Model):
    """A question that somebody typed to try a run, and the run's answer."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="trials")
    question = models.JSONField()  # modeling.trials.Question as JSON
    answer = models.JSONField(default=dict)  # ranked and generated phrases; empty until the job has succeeded
    job = models.ForeignKey("kernel.Job", null=True, on_delete=models.SET_NULL, related_name="trials")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return ", ".join(self.question.get("entities", []))

    def get_absolute_url(self) -> str:
        return reverse("trial", args=[self.pk])


class Prediction(models.Model):
    """One run's scores for one task, in the candidates' order, and their metrics."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="predictions")
    task = models.ForeignKey(TaskRow, on_delete=models.CASCADE, related_name="predictions")
    part = models.CharField(max_length=5)
    scores = models.JSONField()
    ap = models.FloatField()
    r10 = models.FloatField()
    rr = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "task"], name="one_prediction_a_task")]
        indexes = [models.Index(fields=["run", "part", "ap"], name="prediction_worst_first")]

    def __str__(self) -> str:
        return f"prediction of run {self.run_id} for task {self.task_id}"


class ErrorKind(models.TextChoices):
    DISTRACTOR = "distractor", "a distractor is right too"
    GOLD = "gold", "a gold is wrong"
    KNOWLEDGE = "knowledge", "knowledge is missing from the backgrounds"
    CONTEXT = "context", "the passage was not heeded"
    OTHER = "other", "something else"


class ErrorNote(models.Model):
    """A person's note on a task that was ranked badly. Added, never changed."""

    task = models.ForeignKey(TaskRow, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=12, choices=ErrorKind, default=ErrorKind.OTHER)
    text = models.TextField(blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    author_name = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"note {self.pk} on task {self.task_id}"
