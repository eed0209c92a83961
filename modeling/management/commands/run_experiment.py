from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from kernel import jobs
from kernel.management.running import TesaCommand, at_terminal
from kernel.models import OPEN_STATUSES
from kernel.progress import Silent
from kernel.services import jobs as job_services
from kernel.values import counted
from modeling import fold_table
from modeling.grids import all_rankers, parse_entries
from modeling.management.finding import experiments_named, release_named, split_numbered
from modeling.models import Experiment, Split
from modeling.results_table import FORMATS, PARTS
from modeling.selectors import folds, results
from modeling.services import experiments, running, splits
from modeling.splits import RULES

STOPPED = "stopped; continue with: manage.py run_experiment NAME"


class Command(TesaCommand):
    help = "Create an experiment and run it here; or continue, verify or show an existing one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of the experiment")
        parser.add_argument("--release", help="create it on this release (NAME, or NAME:VERSION)")
        parser.add_argument("--split", type=int, help="create it on this split, instead of --rule and --split-seed")
        parser.add_argument("--rule", choices=RULES, default="paper")
        parser.add_argument("--split-seed", type=int, default=1)
        parser.add_argument(
            "--folds", type=int, default=0, help="create it on each of N folds that share one test part", metavar="N"
        )
        parser.add_argument(
            "--ranker", action="append", default=[], help="as 'NAME parameter=value,value'; default: all"
        )
        parser.add_argument("--seed", action="append", type=int, default=[], help="(repeatable; default 1)")
        parser.add_argument("--size-curve", action="store_true", help="also on 10 to 90%% of the training part")
        parser.add_argument("--candidates", type=int, default=24)
        parser.add_argument("--candidate-seed", type=int, default=1)
        parser.add_argument("--hard", type=int, default=0)
        parser.add_argument("--train-vocabulary", action="store_true")
        parser.add_argument("--spare-same-tuple", action="store_true")
        parser.add_argument("--vectors", default="", help="word vectors as KIND:PATH")
        parser.add_argument("--queue", action="store_true", help="leave the runs to the workers")
        parser.add_argument("--cancel", action="store_true", help="cancel its queued and running runs")
        parser.add_argument("--verify", action="store_true", help="repeat every run and compare the files")
        parser.add_argument("--leave-out", action="store_true", help="delete its unfinished runs (recorded)")
        parser.add_argument("--open-test", action="store_true", help="list the test figures of all runs (recorded)")
        parser.add_argument("--format", choices=FORMATS, default="md", help="of the results table")

    def handle(self, *, name: str, **options: Any) -> None:
        if options["folds"] and not (options["release"] and not options["split"]):
            raise CommandError("--folds: folds are made of a release: give --release, without --split")
        is_new = bool(options["release"] or options["split"])
        chosen = self._create(name, options) if is_new else experiments_named(name)
        if options["verify"]:
            for experiment in chosen:
                self._verify(experiment)
            return
        failed = [sentence for experiment in chosen for sentence in self._continue(experiment, options)]
        for experiment in chosen:
            self._show(experiment, options, is_named=len(chosen) > 1)
        self._show_folds(chosen[0], options)
        if failed:
            raise CommandError("\n".join(failed))

    def _create(self, name: str, options: dict[str, Any]) -> list[Experiment]:
        has_vectors = bool(experiments.check_vectors(options["vectors"]))  # before a split is made
        entries = parse_entries(options["ranker"]) or all_rankers(has_vectors=has_vectors)
        splits_used = _splits(options)
        plan = experiments.ExperimentPlan.of(name, splits_used[0], entries, options["seed"] or [1], options)
        folds_used = splits_used if options["folds"] else []
        return experiments.create_experiments(plan, folds_used, by=None, is_queued=False)

    def _continue(self, experiment: Experiment, options: dict[str, Any]) -> list[str]:
        """Cancel, leave out, queue or run the unfinished runs; return a sentence for each that failed."""
        if options["cancel"]:
            stopped = experiments.cancel_experiment(experiment, by=None)
            self.stdout.write(f"{stopped} run{'' if stopped == 1 else 's'} cancelled")
        elif options["leave_out"]:
            experiments.leave_out_unfinished(experiment, by=None)
        elif options["queue"]:
            for job in experiments.resume_experiment(experiment, by=None):
                jobs.nudge(job)
        else:
            return _run_here(experiment)
        return []

    def _verify(self, experiment: Experiment) -> None:
        different = 0
        for run in experiment.runs.exclude(finished_at=None):
            verified = running.verify_run(run.pk, Silent())
            changed = [name for name, is_same in verified.items() if not is_same]
            different += bool(changed)
            self.stdout.write(
                f"run {run.pk}, {run.label}: {'differs in ' + ', '.join(changed) if changed else 'the same'}"
            )
        if different:
            raise CommandError(f"{counted(different, 'run')} gave other results")

    def _show(self, experiment: Experiment, options: dict[str, Any], *, is_named: bool) -> None:
        if is_named:
            self.stdout.write(f"{experiment.name}\n")
        runs = list(results.runs_of(experiment))
        lines = results.results_table(runs)
        if lines:
            self.stdout.write(FORMATS[options["format"]](lines))
        best = next((line for line in lines if line.is_chosen), None)
        if best:
            how = "best on validation so far" if results.is_choice_open(experiment) else "chosen by validation"
            self.stdout.write(f"{how}: {best.label} (run {best.run})")
        if options["open_test"]:
            experiments.open_test(experiment, by=None)
            for run in runs:
                figures = [f"{PARTS[part]} MAP {results.value_of(run, part):.3f}" for part in PARTS if run.metrics]
                self.stdout.write(f"run {run.pk}, {run.label}: {', '.join(figures) or run.status}")

    def _show_folds(self, experiment: Experiment, options: dict[str, Any]) -> None:
        """Print the mean over the folds, if the experiment is on a fold and each fold has its figures."""
        fold_set = folds.fold_set(experiment)
        if fold_set is None:
            return
        if fold_set.lines:
            self.stdout.write(f"\n{fold_table.heading(fold_set.k)}\n")
            self.stdout.write(fold_table.FORMATS[options["format"]](fold_set.lines))
        if fold_set.is_open:
            self.stdout.write("No mean on the test part yet: each fold needs this experiment, with all runs finished.")


def _splits(options: dict[str, Any]) -> list[Split]:
    if options["split"]:
        return [split_numbered(options["split"])]
    release, rule, seed = release_named(options["release"]), options["rule"], options["split_seed"]
    return splits.make_splits(release, options["folds"], rule=rule, seed=seed, by=None)


def _run_here(experiment: Experiment) -> list[str]:
    """Run the unfinished runs, one job after the other; queued runs are left to the workers.

    Return a sentence for each run that failed. A failure does not stop the others, a cancelled run does.
    """
    failed = []
    waiting = experiment.runs.filter(finished_at=None).exclude(job__status__in=OPEN_STATUSES)
    with at_terminal(stopped=STOPPED) as progress:
        job_services.sweep_killed_commands()
        for run in waiting.select_related("experiment"):
            kind, request = experiments.job_kind(run.ranker), experiments.job_request(run)
            job = jobs.run_here(kind, **asdict(request), beside=progress)
            sentence = f"run {run.pk}, {run.label}: {job.error or STOPPED}"
            if job.status == "failed":
                failed.append(sentence)
            elif job.status != "succeeded":
                raise CommandError(sentence)
    return failed
