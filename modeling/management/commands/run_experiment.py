from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from modeling import fold_table
from modeling.candidates import CandidateOptions
from modeling.grids import SHARES, Grid, all_rankers, parse_entries
from modeling.management.finding import experiments_named, release_named, split_numbered
from modeling.models import Experiment, Split
from modeling.results_table import FORMATS, PARTS
from modeling.selectors import folds, results
from modeling.services import experiments, running, splits
from modeling.splits import RULES
from tesa_site.kernel import jobs
from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.management.running import at_terminal
from tesa_site.kernel.models import OPEN_STATUSES
from tesa_site.kernel.progress import Silent
from tesa_site.kernel.services import jobs as job_services
from tesa_site.kernel.values import counted

STOPPED = "stopped; go on with: manage.py run_experiment NAME"


class Command(BaseCommand):
    help = "Make an experiment and run it here; or go on with, verify or show one that is there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of the experiment")
        parser.add_argument("--release", help="make it on this release (name, or NAME:VERSION)")
        parser.add_argument("--split", type=int, help="make it on this split, instead of --rule and --split-seed")
        parser.add_argument("--rule", choices=RULES, default="paper")
        parser.add_argument("--split-seed", type=int, default=1)
        parser.add_argument("--folds", type=int, default=0, help="make it on each of so many folds with one test part")
        parser.add_argument(
            "--ranker", action="append", default=[], help="as 'NAME parameter=value,value'; default: all"
        )
        parser.add_argument("--seed", action="append", type=int, default=[], help="(repeatable; default 1)")
        parser.add_argument("--size-curve", action="store_true", help="also on 10 to 90 %% of the training part")
        parser.add_argument("--candidates", type=int, default=24)
        parser.add_argument("--candidate-seed", type=int, default=1)
        parser.add_argument("--hard", type=int, default=0)
        parser.add_argument("--train-vocabulary", action="store_true")
        parser.add_argument("--spare-same-tuple", action="store_true")
        parser.add_argument("--vectors", default="", help="word vectors as KIND:PATH")
        parser.add_argument("--queue", action="store_true", help="leave the runs to the workers")
        parser.add_argument("--cancel", action="store_true", help="cancel its runs that are queued or running")
        parser.add_argument("--verify", action="store_true", help="run every run anew and compare the files")
        parser.add_argument(
            "--leave-out", action="store_true", help="take runs that have not finished out of it for good (recorded)"
        )
        parser.add_argument("--open-test", action="store_true", help="list the test figures of all runs (recorded)")
        parser.add_argument("--format", choices=FORMATS, default="md", help="of the results table")

    def handle(self, *, name: str, **options: Any) -> None:
        if options["folds"] and not (options["release"] and not options["split"]):
            raise CommandError("--folds: folds are made of a release: name it with --release, without --split")
        try:
            is_new = bool(options["release"] or options["split"])
            found = self._create(name, options) if is_new else experiments_named(name)
            failed: list[str] = []
            for experiment in found:
                if options["verify"]:
                    self._verify(experiment)
                else:
                    failed += self._go_on(experiment, options)
        except TesaError as error:
            raise CommandError(error.message) from error
        if not options["verify"]:
            for experiment in found:
                self._show(experiment, options, is_named=len(found) > 1)
            self._show_folds(found[0], options)
        if failed:
            raise CommandError("\n".join(failed))

    def _create(self, name: str, options: dict[str, Any]) -> list[Experiment]:
        has_vectors = bool(experiments.check_vectors(options["vectors"]))  # before a split is made
        entries = parse_entries(options["ranker"]) or all_rankers(has_vectors=has_vectors)
        made_of = _splits(options)
        plan = experiments.Plan(
            name=name,
            split=made_of[0],
            grid=Grid(entries, tuple(options["seed"] or [1]), SHARES if options["size_curve"] else (100,)),
            options=CandidateOptions(
                size=options["candidates"],
                train_vocabulary=options["train_vocabulary"],
                spare_same_tuple=options["spare_same_tuple"],
                hard=options["hard"],
            ),
            candidate_seed=options["candidate_seed"],
            vectors=options["vectors"],
        )
        if options["folds"]:
            return experiments.create_fold_experiments(plan, made_of, by=None, is_queued=False)
        return [experiments.create_experiment(plan, by=None, is_queued=False)]

    def _go_on(self, experiment: Experiment, options: dict[str, Any]) -> list[str]:
        """Do what is asked about the runs that have not finished; run them, unless something else is.

        Return what to say of each that failed.
        """
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
            found = running.verify_run(run.pk, Silent())
            changed = [name for name, is_same in found.items() if not is_same]
            different += bool(changed)
            self.stdout.write(f"run {run.pk}, {run.label}: {'other ' + ', '.join(changed) if changed else 'the same'}")
        if different:
            raise CommandError(f"{counted(different, 'run')} came out otherwise")

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
        """Print the mean over the folds, where the experiment is on one and each has its figures."""
        found = folds.fold_set(experiment)
        if found is None:
            return
        if found.lines:
            self.stdout.write(f"\n{fold_table.heading(found.k)}\n")
            self.stdout.write(fold_table.FORMATS[options["format"]](found.lines))
        if found.is_open:
            self.stdout.write("No mean on the test part yet: each fold needs this experiment, with all runs finished.")


def _splits(options: dict[str, Any]) -> list[Split]:
    if options["split"]:
        return [split_numbered(options["split"])]
    release, rule, seed = release_named(options["release"]), options["rule"], options["split_seed"]
    if options["folds"]:
        return splits.make_folds(release, options["folds"], rule=rule, seed=seed, by=None)
    return [splits.make_split(release, rule=rule, seed=seed, by=None)]


def _run_here(experiment: Experiment) -> list[str]:
    """Run what has not finished, one after the other, each as a job; queued ones are left to the workers.

    One that fails does not keep the others from being run: return what to say of each. One that was cancelled does.
    """
    failed = []
    waiting = experiment.runs.filter(finished_at=None).exclude(job__status__in=OPEN_STATUSES)
    with at_terminal(stopped=STOPPED) as progress:
        job_services.sweep_killed_commands()
        for run in waiting.select_related("experiment"):
            subject, lock = f"{experiment.name}: {run.label}", f"run {run.pk}"
            job = jobs.run_here("run_ranker", subject=subject, parameters={"run": run.pk}, beside=progress, lock=lock)
            told = f"run {run.pk}, {run.label}: {job.error or STOPPED}"
            if job.status == "failed":
                failed.append(told)
            elif job.status != "succeeded":
                raise CommandError(told)
    return failed
