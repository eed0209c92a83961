"""The API of experiments and runs: what the pages show, and starting an experiment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kernel import jobs
from kernel.api.files import FileApi
from kernel.api.inputs import NAME, StrictInput
from kernel.errors import InvalidInput, WrongState
from kernel.views.access import signed_in
from modeling.grids import MOST_SEED, MOST_SEEDS, Entry, all_rankers, merge_entries, parse_entries, with_neural
from modeling.models import Experiment, Run, Split
from modeling.rankers import RANKERS
from modeling.rankers.neural.settings import BACKENDS, TRANSFORMERS
from modeling.results_table import COLUMNS, PARTS, ResultLine
from modeling.selectors import downloads, results
from modeling.selectors.datasets import frozen_releases
from modeling.selectors.experiments import all_experiments
from modeling.selectors.resources import vector_choices
from modeling.services import experiments, split_folders, splits
from modeling.splits import RULES
from modeling.task_files import LABELS

ID: dict[str, Any] = {"min_value": 1, "max_value": 2**31 - 1}
SEED: dict[str, Any] = {"min_value": -splits.MOST_SEED, "max_value": splits.MOST_SEED}
EXPERIMENT_FIELDS: tuple[str, ...] = (
    "id", "name", "release", "split", "candidates", "dataset_hash", "vectors", "runs", "whole_runs", "created_by",
    "created_at", "opened_at", "opened_by",
)  # fmt: skip
GRID_LINE = r"^[a-z0-9-]+( [a-z0-9_]+=[A-Za-z0-9_.+-]+(,[A-Za-z0-9_.+-]+)*)*$"
RUN_FIELDS: tuple[str, ...] = (
    "id", "experiment", "number", "ranker", "backend", "parameters", "preparation", "seed", "share", "status", "job",
    "metrics", "seconds", "finished_at",
)  # fmt: skip


class ExperimentOutput(serializers.ModelSerializer[Experiment]):
    runs = serializers.IntegerField(source="run_count")
    whole_runs = serializers.IntegerField(source="whole_count", help_text="how many have finished")
    candidates = serializers.DictField(source="task_set.options")
    dataset_hash = serializers.CharField(source="task_set.content_hash")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Experiment
        fields = EXPERIMENT_FIELDS
        read_only_fields = fields


class ResultOutput(serializers.Serializer[Any]):
    """One method: the run that validation chose for it."""

    method = serializers.CharField()
    backend = serializers.CharField(help_text="the library of a neural method, else empty")
    run = serializers.IntegerField()
    chosen_from = serializers.IntegerField()
    chosen = serializers.BooleanField(help_text="the best method on validation")
    figures = serializers.DictField(
        help_text="part → metric → mean (ties averaged over all possible orders), low, high, p against the best"
    )


class ExperimentDetail(ExperimentOutput):
    results = ResultOutput(many=True)

    class Meta(ExperimentOutput.Meta):
        fields = (*EXPERIMENT_FIELDS, "results")
        read_only_fields = fields


class RunOutput(serializers.ModelSerializer[Run]):
    backend = serializers.CharField(help_text="the library of a neural method, else empty")
    status = serializers.CharField()
    metrics = serializers.SerializerMethodField(
        help_text="part → metric → figure; test only of runs that validation chose, unless all test figures are shown"
    )

    class Meta:
        model = Run
        fields = RUN_FIELDS
        read_only_fields = fields

    @cached_property
    def _runs_with_test(self) -> dict[int, set[int]]:
        """By experiment, so that a list of runs queries each experiment once."""
        return {}

    def get_metrics(self, run: Run) -> dict[str, Any]:
        shown = self._runs_with_test
        if run.experiment_id not in shown:
            shown[run.experiment_id] = results.runs_with_test(run.experiment)
        hidden = () if run.pk in shown[run.experiment_id] else ("test",)
        return {part: figures for part, figures in run.metrics.items() if part not in hidden}


class RunDetail(RunOutput):
    class Meta(RunOutput.Meta):
        fields = (*RUN_FIELDS, "curve", "weights", "hashes", "versions", "hardware")
        read_only_fields = fields


class ExperimentInput(StrictInput):
    """What to run; without rankers, all that run on a CPU. Returns the experiment, with its runs queued."""

    name = serializers.RegexField(NAME, max_length=100)
    release = serializers.IntegerField(**ID, help_text="its id")
    split = serializers.IntegerField(**ID, required=False, help_text="id of a split of the release; else one is made")
    rule = serializers.ChoiceField(choices=RULES, default="paper")
    split_seed = serializers.IntegerField(**SEED, default=1)
    rankers = serializers.ListField(
        child=serializers.ChoiceField(choices=list(RANKERS)), max_length=100, default=list, help_text="with defaults"
    )
    grid = serializers.ListField(
        child=serializers.RegexField(GRID_LINE, max_length=500),
        max_length=100,
        default=list,
        help_text="methods with the values to try: NAME parameter=value,value",
    )
    backend = serializers.ChoiceField(
        choices=BACKENDS, default=TRANSFORMERS, help_text="the library that trains and scores neural methods"
    )
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_SEED),
        min_length=1,
        max_length=MOST_SEEDS,
        default=lambda: [1],
    )
    size_curve = serializers.BooleanField(default=False)
    candidates = serializers.IntegerField(min_value=2, max_value=1000, default=24)
    candidate_seed = serializers.IntegerField(**SEED, default=1)
    hard = serializers.IntegerField(min_value=0, max_value=1000, default=0)
    train_vocabulary = serializers.BooleanField(default=False)
    spare_same_tuple = serializers.BooleanField(default=False)
    vectors = serializers.RegexField(
        r"^[!-~ ]*$", max_length=500, allow_blank=True, default="", help_text="kind:path, as the Train page offers"
    )


@extend_schema_view(get=extend_schema(operation_id="experiments_list"))
class ExperimentListApi(generics.ListAPIView[Experiment]):
    """Experiments, the newest first; POST starts one."""

    permission = "modeling.view_experiment"
    serializer_class = ExperimentOutput
    queryset = all_experiments()

    @extend_schema(operation_id="experiments_start", request=ExperimentInput, responses={202: ExperimentOutput})
    def post(self, request: Request) -> Response:
        data = ExperimentInput.read(request)
        try:
            experiment = experiments.create_experiment(_plan(data, request), by=signed_in(request))
        except InvalidInput as error:  # well-formed, but it cannot run with this release on this machine
            raise WrongState(error.message) from error
        for job in experiments.open_jobs(experiment):
            jobs.nudge(job)
        return Response(ExperimentOutput(all_experiments().get(pk=experiment.pk)).data, status=202)


def _plan(body: dict[str, Any], request: Request) -> experiments.ExperimentPlan:
    if body["vectors"] and body["vectors"] not in dict(vector_choices()):
        raise InvalidInput("these word vectors are not offered here", field="vectors")
    split = _split(body, request)
    named = merge_entries([*map(Entry, body["rankers"]), *parse_entries(body["grid"])])
    entries = named or all_rankers(has_vectors=bool(body["vectors"]))
    if body["backend"] != TRANSFORMERS:
        entries = with_neural(entries, backend=body["backend"])
    return experiments.ExperimentPlan.of(body["name"], split, entries, body["seeds"], body)


def _split(body: dict[str, Any], request: Request) -> Split:
    release = get_object_or_404(frozen_releases(), pk=body["release"])
    if "split" in body:
        return get_object_or_404(Split, pk=body["split"], release=release)
    return splits.make_split(release, rule=body["rule"], seed=body["split_seed"], by=signed_in(request))


class ExperimentApi(APIView):
    """One experiment with its results table."""

    permission = "modeling.view_experiment"

    @extend_schema(operation_id="experiments_read", responses=ExperimentDetail)
    def get(self, request: Request, experiment_id: int) -> Response:
        experiment = get_object_or_404(all_experiments(), pk=experiment_id)
        lines = results.results_table(results.runs_of(experiment))
        return Response({**ExperimentOutput(experiment).data, "results": [_result(line) for line in lines]})


def _result(line: ResultLine) -> dict[str, Any]:
    return {
        "method": line.label,
        "backend": line.backend,
        "run": line.run,
        "chosen_from": line.runs,
        "chosen": line.is_chosen,
        "figures": {
            part: {
                metric: {name: getattr(cell, name) for name in ("mean", "low", "high", "p")}
                for metric in COLUMNS
                if (cell := line.cell(part, metric))
            }
            for part in PARTS
        },
    }


class TaskFileApi(FileApi):
    """The ranking tasks of an experiment: JSON lines, or an archive with the original's CSV files or fairseq's."""

    permission = "modeling.view_experiment"

    @extend_schema(
        operation_id="experiments_tasks",
        parameters=[OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=list(LABELS))],
        responses={(200, "application/jsonl"): bytes, (200, "application/zip"): bytes},
    )
    def get(self, request: Request, experiment_id: int, kind: str) -> HttpResponseBase:
        experiments_with_tasks = Experiment.objects.select_related("task_set__split__release")
        experiment = get_object_or_404(experiments_with_tasks, pk=experiment_id)
        return downloads.ranking_tasks(experiment.task_set, kind).to_response()


class SplitFolderApi(FileApi):
    """The release of a split as a Hugging Face folder (zip) with the parts train, validation and test."""

    permission = "annotation.view_releaseitem"

    @extend_schema(operation_id="splits_huggingface", responses={(200, "application/zip"): bytes})
    def get(self, request: Request, split_id: int) -> HttpResponseBase:
        split = get_object_or_404(Split.objects.select_related("release"), pk=split_id)
        return split_folders.pack_folder(split).to_response()


@extend_schema_view(get=extend_schema(operation_id="runs_list", parameters=[OpenApiParameter("experiment", int)]))
class RunListApi(generics.ListAPIView[Run]):
    """Runs, the newest first; with `experiment`, only the runs of that experiment."""

    permission = "modeling.view_run"
    serializer_class = RunOutput

    def get_queryset(self) -> Any:
        runs = Run.objects.select_related("experiment", "job").defer(*results.BULKY).order_by("-id")
        asked = self.request.query_params.get("experiment", "")
        if not asked:
            return runs
        is_id = asked.isascii() and asked.isdecimal() and len(asked) < 10
        return runs.filter(experiment=int(asked)) if is_id else runs.none()


class RunApi(APIView):
    """One run with its learning curve, weights, hashes of its files, versions and hardware."""

    permission = "modeling.view_run"

    @extend_schema(operation_id="runs_read", responses=RunDetail)
    def get(self, request: Request, run_id: int) -> Response:
        return Response(RunDetail(get_object_or_404(Run.objects.select_related("experiment", "job"), pk=run_id)).data)
