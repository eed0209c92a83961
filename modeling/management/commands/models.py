from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from kernel.management.running import TesaCommand
from kernel.values import counted
from modeling.management.finding import (
    check_shown,
    experiment_named,
    run_numbered,
    split_numbered,
    task_named,
    user_named,
)
from modeling.models import ErrorKind, Experiment, Split, TaskRow
from modeling.results_table import PARTS
from modeling.selectors import instances
from modeling.selectors.experiments import all_experiments
from modeling.services import experiments, notes, splits

KEY = 12  # printed characters of an instance's key; enough to identify it


class Command(TesaCommand):
    help = "List or delete experiments and splits; show what a run ranks worst; show an instance or add a note to it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="experiments and splits")
        worst = actions.add_parser("worst", help="what a run ranks worst, lowest AP first")
        worst.add_argument("run", type=int, help="its number")
        worst.add_argument("--part", choices=PARTS, default="valid")
        worst.add_argument("--type", default="", help="of the entities: person, location, organization")
        worst.add_argument("--size", default="", help="how many entities")
        worst.add_argument("--seen", choices=("seen", "unseen"), default="")
        worst.add_argument("--noted", action="store_true", help="only those with a note")
        worst.add_argument("--top", type=int, default=10, help="how many to list (default 10)")
        instance = actions.add_parser("instance", help="one instance: candidates, golds, ranks, scores, notes")
        note = actions.add_parser("note", help="add a note to an instance")
        for action in (instance, note):
            action.add_argument("experiment", help="its name")
            action.add_argument("key", help="of the instance; its beginning is enough")
        instance.add_argument("--all", action="store_true", help="show every run, not only those that validation chose")
        note.add_argument("text", nargs="?", default="")
        note.add_argument("--kind", choices=ErrorKind.values, default=ErrorKind.OTHER.value)
        note.add_argument("--by", help="user name of the author (default: the command line)")
        for name, kind, what in (("delete-experiment", str, "its name"), ("delete-split", int, "its number")):
            deleting = actions.add_parser(name)
            deleting.add_argument("what", type=kind, help=what)
            deleting.add_argument("--yes", action="store_true", help="delete it; else only say what would go")

    def handle(self, *, action: str, **options: Any) -> None:
        getattr(self, action.replace("-", "_"))(options)

    def list(self, options: dict[str, Any]) -> None:
        for experiment in all_experiments():
            whole, runs = experiment.whole_count, experiment.run_count  # type: ignore[attr-defined]
            self.stdout.write(f"{experiment.name}: {whole} of {counted(runs, 'run')}, split {experiment.split_id}")
        for split in Split.objects.select_related("release").defer("value", "statistics"):
            self.stdout.write(f"split {split.pk}: {split}, of {split.release}")

    # ---- Looking --------------------------------------------------------------------------------

    def worst(self, options: dict[str, Any]) -> None:
        run, part = run_numbered(options["run"]), options["part"]
        if not run.finished_at:
            raise CommandError(f"run {run.pk} has not finished: there is nothing to list")
        check_shown(run, part)
        filters = instances.InstanceFilters(
            part, options["type"], options["size"], options["seen"], "yes" if options["noted"] else ""
        )
        predictions = instances.worst_first(run, filters)
        count = counted(predictions.count(), "instance")
        self.stdout.write(f"{run}, {run.label}: {count} of {part}, lowest AP first")
        for error in instances.errors(predictions[: max(options["top"], 0)]):
            rank, gold = error.golds[0]
            (first, is_gold), *tied = error.first
            right = f"tied with {len(tied)} more" if tied else "a gold" if is_gold else "no gold"
            noted = f"; {error.notes} note{'' if error.notes == 1 else 's'}" if error.notes else ""
            self.stdout.write(
                f"{error.prediction.ap:.3f}  {error.task.key[:KEY]}  {error.task}: first {first!r} ({right}), "
                f"best gold {gold!r} at {rank}{noted}"
            )

    def instance(self, options: dict[str, Any]) -> None:
        experiment, task = _task(options)
        frozen = instances.frozen_of(experiment, task.key)
        self.stdout.write(f"{task}: {task.size} {task.type}s of {task.part}, {task.key[:KEY]}")
        self.stdout.write(f"\n{frozen.title}\n{frozen.context}\n")
        for name, background in zip(frozen.entities, frozen.backgrounds, strict=True):
            self.stdout.write(f"{name}: {background.text if background else 'no background'}")
        self.stdout.write("")
        self._candidates(experiment, task, is_all=options["all"])
        for note in task.notes.all():
            text = ": ".join(filter(None, [note.get_kind_display(), note.text]))
            self.stdout.write(f"note by {note.author_name}: {text}")

    def _candidates(self, experiment: Experiment, task: TaskRow, *, is_all: bool) -> None:
        """Print a line for each candidate, golds with a star, with its rank and score in each run."""
        predictions = instances.predictions_for(experiment, task, is_all=is_all)
        heads = [f"{row.run.label if is_all else row.run.method} (AP {row.ap:.3f})" for row in predictions]
        lines = instances.candidate_lines(task, predictions)
        width = max(len(line.phrase) for line in lines) + 2
        self.stdout.write("  ".join(["★ = gold".ljust(width), *heads]).rstrip())
        for line in lines:
            phrase = f"{'★' if line.is_gold else ' '} {line.phrase}".ljust(width)
            cells = [
                f"{place.rank:>5}  {place.shown}".ljust(len(head))
                for place, head in zip(line.places, heads, strict=True)
            ]
            self.stdout.write("  ".join([phrase, *cells]).rstrip())
        if not predictions:
            self.stdout.write(
                "No ranks to show: no run has ranked it yet, or runs that could be chosen are unfinished."
            )

    # ---- Changing -------------------------------------------------------------------------------

    def note(self, options: dict[str, Any]) -> None:
        _, task = _task(options)
        by = user_named(options["by"]) if options["by"] else None
        notes.add_note(task, kind=options["kind"], text=options["text"], by=by)
        self.stdout.write(f"{task}: note added")

    def delete_experiment(self, options: dict[str, Any]) -> None:
        experiment = experiment_named(options["what"])
        runs = experiment.runs.count()
        what = f"{experiment.name!r} with its {runs} run{'' if runs == 1 else 's'} and their files"
        if options["yes"]:
            experiments.delete_experiment(experiment, by=None)
        self.stdout.write(f"deleted: {what}" if options["yes"] else f"{what} would be deleted: add --yes")

    def delete_split(self, options: dict[str, Any]) -> None:
        split = split_numbered(options["what"])
        what = f"split {split.pk} ({split}) of {split.release} with its ranking tasks and the notes on them"
        if options["yes"]:
            splits.delete_split(split, by=None)
        self.stdout.write(f"deleted: {what}" if options["yes"] else f"{what} would be deleted: add --yes")


def _task(options: dict[str, Any]) -> tuple[Experiment, TaskRow]:
    experiment = experiment_named(options["experiment"])
    return experiment, task_named(experiment, options["key"])
