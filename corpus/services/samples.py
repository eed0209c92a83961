"""Drawing samples, importing finished instances as one, and taking samples away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, Q
from django.urls import reverse

from corpus.frozen import FrozenInstance
from corpus.instance_files import read_instances
from corpus.models import Corpus, Instance, Sample, SampledInstance
from corpus.sampling import Filters
from corpus.selectors import is_half_searched
from corpus.selectors import samples as selectors
from corpus.services import corpora
from corpus.sources.base import Problem
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.services import audit
from tesa_site.kernel.services import jobs as job_services
from tesa_site.kernel.values import Json, batches, content_hash, counted, storable

ROWS = 100  # members a transaction: some tens of milliseconds
DELETE_CHUNK = 500
LONGEST_NAME = 100
MOST_PROBLEMS = 200  # kept; all are counted
MOST_SEED = 2**63
Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Order:
    """What sample to draw."""

    name: str
    n: int
    seed: int = 0
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InvalidInput("ask for at least one instance", field="n")
        if not -MOST_SEED <= self.seed < MOST_SEED:
            raise InvalidInput("must be a whole number of at most 18 digits", field="seed")


def lock_of(name: str) -> str:
    """Return what keeps two jobs from filling one sample."""
    return f"sample {content_hash(name)[:40]}"


def checked_name(name: str) -> str:
    name = storable(name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"give the sample a name of at most {LONGEST_NAME} characters", field="name")
    return name


def check_name_is_free(name: str, corpus: Corpus) -> str:
    """Return the name as it will be stored; one that a sample bears is refused.

    What a drawing from this corpus left half full does not count: the corpus's lock says that nobody is filling it.
    """
    name = checked_name(name)
    if Sample.objects.filter(name=name).exclude(_left_half_full(corpus)).exists():
        raise WrongState(f"A sample of the name “{name}” exists: choose another name.")
    return name


def _left_half_full(corpus: Corpus) -> Q:
    return Q(content_hash="", seed__isnull=False, corpus=corpus)


# ---- Drawing --------------------------------------------------------------------------------------


def start_drawing(corpus: Corpus, order: Order, *, by: User) -> Job:
    """Queue the drawing; refused while another job is at work on the corpus, and after a search that was stopped."""
    _refuse_half_searched(corpus)
    given = {"name": order.name, "n": order.n, "seed": order.seed, "filters": order.filters.to_json()}
    return corpora.start_job("draw_sample", corpus, by=by, **given)


def _refuse_half_searched(corpus: Corpus) -> None:
    if is_half_searched(corpus):
        raise WrongState(f"The last search in {corpus} was stopped half-way: find instances again first.")


def draw_sample(corpus: Corpus, order: Order, *, by: User | None, report: Report, is_demo: bool = False) -> Sample:
    """Draw and freeze. Stopped half-way, the same order starts anew and draws the same."""
    order = replace(order, name=check_name_is_free(order.name, corpus))
    _refuse_half_searched(corpus)
    for half_full in Sample.objects.filter(_left_half_full(corpus), name=order.name):
        delete_sample(half_full, by=by)
    report(0, order.n, "Looking what there is to draw")
    drawn = selectors.preview(corpus, order.n, seed=order.seed, filters=order.filters)
    drawn.check(order.n)
    sample = _open(
        order.name,
        corpus=corpus,
        corpus_name=corpus.name,
        seed=order.seed,
        asked=order.n,
        filters=order.filters.to_json(),
        created_by=by,
        is_demo=is_demo,
    )
    position = 0
    for keys in batches((one.key for one in drawn.chosen), ROWS):
        _store(sample, _frozen(corpus, keys), position)
        position += len(keys)
        report(position, order.n, f"{counted(position, 'instance')} frozen")
    return _close(sample, by=by, action="draw sample")


def _open(name: str, **fields: object) -> Sample:
    try:
        with transaction.atomic():
            return Sample.objects.create(name=name, **fields)
    except IntegrityError as error:
        raise WrongState(f"A sample of the name “{name}” has just been made: choose another name.") from error


def _frozen(corpus: Corpus, keys: Sequence[str]) -> list[FrozenInstance]:
    """Return the instances of these keys in the order of the keys."""
    rows = selectors.to_freeze(Instance.objects.filter(corpus=corpus, key__in=keys).order_by())  # by key, not by id
    by_key = {value.key: value for value in selectors.frozen(list(rows))}
    if len(by_key) < len(keys):
        raise WrongState("The corpus was searched anew meanwhile: draw again.")
    return [by_key[key] for key in keys]


def _store(sample: Sample, values: Iterable[FrozenInstance], position: int) -> None:
    SampledInstance.objects.bulk_create(
        SampledInstance(
            sample=sample,
            position=number,
            key=value.key,
            group=value.group,
            type=value.entity_type,
            size=value.size,
            value=value.to_json(),
        )
        for number, value in enumerate(values, position)
    )


def _close(sample: Sample, *, by: User | None, action: str) -> Sample:
    """Say what the sample holds: from now on it is whole, and others may build on it."""
    digest = hashlib.sha256()
    for line in selectors.member_lines(sample):
        digest.update(line.encode())
    sample.size, sample.content_hash = sample.members.count(), digest.hexdigest()
    with transaction.atomic():
        sample.save(update_fields=["size", "content_hash", "problems", "problem_count"])
        audit.record(action, sample, by=by, after=_told(sample))
    return sample


def _told(sample: Sample) -> Json:
    return {
        "size": sample.size,
        "seed": sample.seed,
        "filters": sample.filters,
        "content_hash": sample.content_hash,
    }


# ---- Importing ------------------------------------------------------------------------------------


def start_importing(name: str, path: str, *, by: User) -> Job:
    """Queue the import of a file; refused while another fills the same sample."""
    name = checked_name(name)
    parameters = {"path": path, "name": name, "by": by.pk}
    return job_services.create_job("import_instances", subject=name, parameters=parameters, by=by, lock=lock_of(name))


@dataclass
class Imported:
    """What came of a file."""

    sample: Sample
    added: int = 0
    known: int = 0
    elsewhere: int = 0  # added, though another sample holds them too

    def tell(self) -> str:
        told = f"{counted(self.added, 'instance')} added" if self.added else "Nothing new"
        known = f", {self.known:,} were there already" if self.known else ""
        elsewhere = f", {self.elsewhere:,} of them are in other samples too" if self.elsewhere else ""
        problems = (
            f", {counted(self.sample.problem_count, 'row')} could not be used" if self.sample.problem_count else ""
        )
        return f"{told}{known}{elsewhere}{problems}."


def import_instances(path: Path, name: str, *, by: User | None, report: Report) -> Imported:
    """Add a file's instances to the sample of this name, made if there is none. A second time adds nothing."""
    sample, is_new = _sample_to_import_into(checked_name(name), by=by)
    imported, problems, rows = Imported(sample), list[Problem](), 0
    try:
        for found in batches(read_instances(path), ROWS):
            new = [one for one in found if isinstance(one, FrozenInstance)]
            problems += [one for one in found if isinstance(one, Problem)][: MOST_PROBLEMS - len(problems)]
            sample.problem_count += len(found) - len(new)
            _add(imported, new)
            rows += len(found)
            report(rows, None, f"{counted(rows, 'row')} read")
        if not (imported.added or imported.known):
            first = problems[0] if problems else "the file holds no rows"
            raise InvalidInput(f"no row could be used; first problem: {first}", field="file")
    finally:
        if is_new and not imported.added:
            sample.delete()
    sample.problems = [{"where": problem.where, "reason": problem.reason} for problem in problems]
    _close(sample, by=by, action="import instances")
    return imported


def _sample_to_import_into(name: str, *, by: User | None) -> tuple[Sample, bool]:
    sample = Sample.objects.filter(name=name).first()
    if sample is None:
        return _open(name, created_by=by), True
    if sample.seed is not None:
        raise InvalidInput("a sample of this name was drawn from a corpus: choose another name", field="name")
    selectors.refuse_in_use(sample, "import into a new one")
    sample.problem_count = 0
    return sample, False


def _add(imported: Imported, values: Sequence[FrozenInstance]) -> None:
    """Store what the sample does not hold yet, in one short transaction."""
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
        Sample.objects.filter(pk=imported.sample.pk).update(content_hash="")  # not whole until the file's end
        _store(imported.sample, new, 0 if last is None else last + 1)
    imported.added += len(new)


# ---- Taking away ----------------------------------------------------------------------------------


def delete_sample(sample: Sample, *, by: User | None) -> None:
    """Delete a sample in short steps; refused with a sentence while anything is built on it."""
    with transaction.atomic():
        selectors.refuse_in_use(sample, "delete that first")
        audit.record("delete sample", sample, by=by, before=_told(sample))
        Sample.objects.filter(pk=sample.pk).update(content_hash="")  # nobody may build on it from here
    try:
        while ids := list(sample.members.values_list("pk", flat=True)[:DELETE_CHUNK]):
            SampledInstance.objects.filter(pk__in=ids).delete()
        job_services.forget_results(reverse("sample", args=[sample.pk]))
        sample.delete()
    except ProtectedError as error:
        raise WrongState(
            f"“{sample}” is used by {counted(len(error.protected_objects), 'other')}: delete those first."
        ) from error
