"""Drawing samples, filling them with items, and deleting them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, Q
from django.urls import reverse

from corpus.frozen import FrozenInstance
from corpus.items.base import FrozenItem
from corpus.models import LONGEST_TYPE, Corpus, Instance, Sample, SampledInstance
from corpus.sampling import SampleFilters
from corpus.selectors import samples as selectors
from corpus.selectors.corpora import is_half_searched
from corpus.services import corpora
from kernel.errors import InvalidInput, WrongState
from kernel.models import Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.values import Json, batches, content_hash, counted

ROWS = 100  # members per transaction: a few tens of milliseconds
DELETE_CHUNK = 500
MOST_SEED = 2**63
Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class SampleOrder:
    """Which sample to draw."""

    name: str
    n: int
    seed: int = 0
    filters: SampleFilters = field(default_factory=SampleFilters)

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InvalidInput("ask for at least one instance", field="n")
        if not -MOST_SEED <= self.seed < MOST_SEED:
            raise InvalidInput("must be a whole number of at most 18 digits", field="seed")


def lock_of(name: str) -> str:
    """Return the lock that keeps two jobs from filling one sample."""
    return f"sample {content_hash(name)[:40]}"


def check_name_is_free(name: str, corpus: Corpus) -> str:
    """Return the name as it will be stored; raise WrongState if a sample has it.

    A sample left by an interrupted drawing from this corpus does not count: the lock of the corpus ensures that nobody
    is filling it.
    """
    name = corpora.clean_name(name, "sample")
    if Sample.objects.filter(name=name).exclude(_interrupted(corpus)).exists():
        raise WrongState(f"A sample named “{name}” already exists: choose another name.")
    return name


def _interrupted(corpus: Corpus) -> Q:
    return Q(content_hash="", seed__isnull=False, corpus=corpus)


# ---- Drawing --------------------------------------------------------------------------------------


def start_drawing(corpus: Corpus, order: SampleOrder, *, by: User) -> Job:
    """Queue the drawing; raise WrongState while another job works on the corpus, or after an interrupted search."""
    _check_fully_searched(corpus)
    parameters = {"name": order.name, "n": order.n, "seed": order.seed, "filters": order.filters.to_json()}
    return corpora.start_job("draw_sample", corpus, by=by, **parameters)


def _check_fully_searched(corpus: Corpus) -> None:
    if is_half_searched(corpus):
        raise WrongState(f"The last search in {corpus} was interrupted: find instances again first.")


def draw_sample(
    corpus: Corpus, order: SampleOrder, *, by: User | None, report: Report, is_demo: bool = False
) -> Sample:
    """Draw and freeze a sample. After an interruption, the same order starts over and draws the same."""
    order = replace(order, name=check_name_is_free(order.name, corpus))
    _check_fully_searched(corpus)
    for interrupted in Sample.objects.filter(_interrupted(corpus), name=order.name):
        delete_sample(interrupted, by=by)
    report(0, order.n, "Collecting what can be drawn")
    drawn = selectors.preview(corpus, order.n, seed=order.seed, filters=order.filters)
    drawn.check(order.n)
    sample = open_sample(
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
    for keys in batches((candidate.key for candidate in drawn.chosen), ROWS):
        store_members(sample, _frozen(corpus, keys), position)
        position += len(keys)
        report(position, order.n, f"{counted(position, 'instance')} frozen")
    return close_sample(sample, by=by, action="draw sample")


def drawn_before(corpus: Corpus, order: SampleOrder) -> Sample | None:
    """Return the complete sample of the same order, if there is one."""
    same = {"seed": order.seed, "asked": order.n, "filters": order.filters.to_json()}
    name = corpora.clean_name(order.name, "sample")
    return Sample.objects.filter(corpus=corpus, name=name, **same).exclude(content_hash="").first()


def open_sample(name: str, **fields: object) -> Sample:
    """Create a sample without members; it is complete after `close_sample`."""
    try:
        with transaction.atomic():
            return Sample.objects.create(name=name, **fields)
    except IntegrityError as error:
        raise WrongState(f"A sample named “{name}” has just been created: choose another name.") from error


def _frozen(corpus: Corpus, keys: Sequence[str]) -> list[FrozenInstance]:
    """Return the instances with these keys, in the order of the keys."""
    rows = selectors.with_article_data(Instance.objects.filter(corpus=corpus, key__in=keys).order_by())
    by_key = {value.key: value for value in selectors.frozen_instances(list(rows))}
    if len(by_key) < len(keys):
        raise WrongState("The corpus was searched again in the meantime: draw again.")
    return [by_key[key] for key in keys]


def store_members(sample: Sample, values: Iterable[FrozenItem], position: int) -> list[SampledInstance]:
    """Store items with positions from `position` on."""
    rows = (_member(sample, number, value) for number, value in enumerate(values, position))
    return SampledInstance.objects.bulk_create(rows)


def _member(sample: Sample, position: int, value: FrozenItem) -> SampledInstance:
    type_ = next(iter(sample.kind.facets(value).values()), sample.item_kind)[:LONGEST_TYPE]
    same = {"key": value.key, "group": value.group, "value": value.to_json()}
    return SampledInstance(sample=sample, position=position, type=type_, size=sample.kind.size(value), **same)


def close_sample(sample: Sample, *, by: User | None, action: str) -> Sample:
    """Store the size and content hash: from now on the sample is complete, and others may build on it."""
    digest = hashlib.sha256()
    for line in selectors.member_lines(sample):
        digest.update(line.encode())
    sample.size, sample.content_hash = sample.members.count(), digest.hexdigest()
    with transaction.atomic():
        sample.save(update_fields=["size", "content_hash", "problems", "problem_count"])
        audit.record(action, sample, by=by, after=_as_json(sample))
    return sample


def _as_json(sample: Sample) -> Json:
    return {name: getattr(sample, name) for name in ("size", "seed", "filters", "content_hash")}


# ---- Deleting -------------------------------------------------------------------------------------


def delete_sample(sample: Sample, *, by: User | None) -> None:
    """Delete a sample in short steps; raise WrongState while anything is built on it."""
    with transaction.atomic():
        check_unused(sample, "delete that first")
        audit.record("delete sample", sample, by=by, before=_as_json(sample))
        Sample.objects.filter(pk=sample.pk).update(content_hash="")  # from here on nobody may build on it
    try:
        while ids := list(sample.members.values_list("pk", flat=True)[:DELETE_CHUNK]):
            SampledInstance.objects.filter(pk__in=ids).delete()
        job_services.forget_results(reverse("sample", args=[sample.pk]))
        sample.delete()
    except ProtectedError as error:
        raise WrongState(
            f"“{sample}” is used by {counted(len(error.protected_objects), 'other')}: delete those first."
        ) from error


def check_unused(sample: Sample, what: str) -> None:
    """Raise WrongState, with advice, if anything is built on the sample."""
    if users := selectors.users_of(sample):
        raise WrongState(f"“{sample}” is used by {', '.join(users)}: {what}.")
