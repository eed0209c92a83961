"""Importing items from files into samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db import transaction

from corpus.item_files import read_items
from corpus.items import DEFAULT_ITEM_KIND
from corpus.items.base import FrozenItem
from corpus.items.texts import TEXT, FrozenText
from corpus.models import Sample, SampledInstance
from corpus.services import corpora, samples
from corpus.sources.base import Problem
from corpus.text_preparing import Preparing, prepared, twins_of
from kernel.errors import InvalidInput
from kernel.models import Job, User
from kernel.services import jobs as job_services
from kernel.values import Json, batches, counted

MOST_PROBLEMS = 200  # stored; all are counted


@dataclass(frozen=True)
class ImportOrder:
    """A file to import, and what its texts become on the way."""

    path: Path
    name: str
    item_kind: str = DEFAULT_ITEM_KIND
    preparing: Preparing = field(default_factory=Preparing)
    twins: Path | None = None  # a file with the same texts in another form, matched by their ids

    def __post_init__(self) -> None:
        if self.item_kind != TEXT.name and (self.twins or not self.preparing.does_nothing):
            raise InvalidInput("only texts have topics and twins, or are divided and drawn", field="item_kind")

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ImportOrder:
        kind = value.get("item_kind", DEFAULT_ITEM_KIND)  # jobs that were queued before kinds name none
        twins = value.get("twins")
        return cls(Path(value["path"]), value["name"], kind, Preparing.from_json(value), Path(twins) if twins else None)

    def to_json(self) -> dict[str, Json]:
        """Return the order as parameters of a job; what it does not ask for is left out."""
        same: dict[str, Json] = {"path": str(self.path), "name": self.name, "item_kind": self.item_kind}
        prepared = {} if self.preparing.does_nothing else self.preparing.to_json()
        return same | prepared | ({"twins": str(self.twins)} if self.twins else {})

    def items(self) -> Iterator[FrozenItem | Problem]:
        """Yield the items of the file as the sample holds them, or why one cannot be used."""
        if self.item_kind != TEXT.name or (self.preparing.does_nothing and not self.twins):
            return read_items(self.path, self.item_kind)
        twins = twins_of(_texts(self.twins)) if self.twins else None
        return prepared(lambda: _texts(self.path), self.preparing, twins)


def _texts(path: Path) -> Iterator[FrozenText | Problem]:
    yield from read_items(path, TEXT.name)  # type: ignore[misc]


def start_importing(order: ImportOrder, *, by: User) -> Job:
    """Queue the import of a file; raise WrongState while another job fills the same sample."""
    order = replace(order, name=corpora.clean_name(order.name, "sample"))
    parameters, lock = {**order.to_json(), "by": by.pk}, samples.lock_of(order.name)
    return job_services.create_job("import_instances", subject=order.name, parameters=parameters, by=by, lock=lock)


@dataclass
class Imported:
    """The result of an import."""

    sample: Sample
    added: int = 0
    known: int = 0
    elsewhere: int = 0  # added, and also in another sample

    def sentence(self) -> str:
        kind = self.sample.kind
        added = f"{counted(self.added, kind.singular, kind.plural)} added" if self.added else "Nothing new"
        known = f", {self.known:,} already there" if self.known else ""
        elsewhere = f", {self.elsewhere:,} of them also in other samples" if self.elsewhere else ""
        problems = (
            f", {counted(self.sample.problem_count, 'row')} could not be used" if self.sample.problem_count else ""
        )
        return f"{added}{known}{elsewhere}{problems}."


def import_items(order: ImportOrder, *, by: User | None, report: samples.Report) -> Imported:
    """Add the items of a file to the sample of this name, created if necessary. A second import adds nothing."""
    sample, is_new = _sample_to_import_into(corpora.clean_name(order.name, "sample"), order.item_kind, by=by)
    imported, problems, rows = Imported(sample), list[Problem](), 0
    try:
        for batch in batches(order.items(), samples.ROWS):
            items = [item for item in batch if not isinstance(item, Problem)]
            problems += [item for item in batch if isinstance(item, Problem)][: MOST_PROBLEMS - len(problems)]
            sample.problem_count += len(batch) - len(items)
            _add(imported, items)
            rows += len(batch)
            report(rows, None, f"{counted(rows, 'row')} read")
        if not (imported.added or imported.known):
            first = problems[0] if problems else "the file holds no rows"
            raise InvalidInput(f"no row could be used; first problem: {first}", field="file")
    finally:
        if is_new and not imported.added:
            sample.delete()
    sample.problems = [{"where": problem.where, "reason": problem.reason} for problem in problems]
    samples.close_sample(sample, by=by, action="import instances")
    return imported


def _sample_to_import_into(name: str, item_kind: str, *, by: User | None) -> tuple[Sample, bool]:
    sample = Sample.objects.filter(name=name).first()
    if sample is None:
        return samples.open_sample(name, item_kind=item_kind, created_by=by), True
    if sample.item_kind != item_kind:
        raise InvalidInput(f"a sample with this name holds {sample.kind.plural}: choose another name", field="name")
    if sample.seed is not None:
        raise InvalidInput("a sample with this name was drawn from a corpus: choose another name", field="name")
    if sample.made_of:
        raise InvalidInput("a sample with this name was made of answers: choose another name", field="name")
    samples.check_unused(sample, "import into a new one")
    sample.problem_count = 0
    return sample, False


def _add(imported: Imported, values: Sequence[FrozenItem]) -> None:
    """Store the items that the sample does not have yet, in one short transaction."""
    by_key = {value.key: value for value in values}
    others = SampledInstance.objects.filter(key__in=by_key)
    known = set(others.filter(sample=imported.sample).values_list("key", flat=True))
    new = [value for key, value in by_key.items() if key not in known]
    elsewhere = others.exclude(sample=imported.sample).values_list("key", flat=True).distinct()
    imported.elsewhere += len(set(elsewhere) - known)
    imported.known += len(values) - len(new)
    if not new:
        return
    with transaction.atomic():
        last = imported.sample.members.order_by("-position").values_list("position", flat=True).first()
        Sample.objects.filter(pk=imported.sample.pk).update(content_hash="")  # incomplete until the end of the file
        samples.store_members(imported.sample, new, 0 if last is None else last + 1)
    imported.added += len(new)
