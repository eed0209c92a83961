"""What a task type says about comparing its answers: for doubt, agreement and the worker filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from annotation.quality.habits import AnswerPattern
from annotation.quality.marks import PlacedMark
from annotation.quality.series import Labels, SeriesOf
from annotation.quality.thresholds import Thresholds
from annotation.quality.worker_filters import WorkerFilter
from annotation.task_types.cleaned import CleanedAnswer
from kernel.values import Json
from kernel.vectors.base import WordVectors

NO_QUESTION: Mapping[str, Json] = {}
Similarity: TypeAlias = Callable[[str, str], float]  # of two units, 0 to 1
# The keys of reports and of their rows, which a type's words must not replace.
REPORT_KEYS = frozenset(
    (
        "instances", "judgements", "workers", "answered", "labels", "types", "people", "days", "gold", "consensus",
        "vectors", "least", "by_instance", "series", "closeness", "positions", "marks", "suggestions", "instance",
        "type", "answers", "none", "usual", "same",
    )
)  # fmt: skip


@dataclass(frozen=True)
class AnswerWords:
    """The type's words for its answers, as they read in the middle of a sentence. The examples are the TESA task's."""

    units: str  # "phrases": names the units in stored reports and CSV columns, so never rename it
    same_group: str  # "same cluster": names the first measure there, so never rename it either
    nothing_fits: str  # "not aggregatable": the label of an answer that says that nothing fits; "" if none can
    a_unit: str  # "a phrase"
    no_unit: str  # "no phrase"
    same_unit: str  # "same phrase"
    different_units: str  # "different phrases"
    labels: str  # "phrase or no phrase": what the labels tell apart, for headings
    labels_axis: str  # "answered or not": the same, on an axis
    whether: str  # "whether there is a phrase": what people agree on when they give the same label
    where: str  # "where a phrase can be found": the same, seen over a whole campaign
    opposed: str  # "where some people find a phrase, others find none": what worse than chance means
    category: str  # "the type of the entities": what the items are grouped by

    @property
    def units_key(self) -> str:
        """The key of the units in reports and files: `units`, unless the report uses this word itself."""
        return f"{self.units} (units)" if self.units in REPORT_KEYS else self.units

    @property
    def unit(self) -> str:
        """One of the units without its article: "phrase"."""
        return self.a_unit.partition(" ")[2] or self.a_unit

    @property
    def same_key(self) -> str:
        """The key of the first measure, which compares groups: `same_group`, unless the report uses these words."""
        return _measure(self.same_group, {*REPORT_KEYS, self.units_key})

    def measure_key(self, name: str) -> str:
        """Return the key of a further measure (`Comparable.similarities`): its name, unless the report uses it."""
        return _measure(name, {*REPORT_KEYS, self.units_key, self.same_key})


def _measure(name: str, taken: Set[str]) -> str:
    return f"{name} (measure)" if name in taken else name


class Comparable(Protocol):
    """How the answers of one task type are compared."""

    answer_words: AnswerWords
    thresholds: Thresholds  # from which closeness on two answers count as the same

    @property
    def worker_filters(self) -> Sequence[WorkerFilter]: ...

    @property
    def scales(self) -> Sequence[SeriesOf]:
        """The measured parts of an answer, the leading one first; without any, its units are measured."""

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        """Return how close two answers to one question are, from 0 to 1; 1 means that they say the same."""

    def label(self, cleaned: CleanedAnswer) -> str:
        """Return the label of an answer, for measures of agreement that are corrected for chance."""

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Labels]:
        """Return the label of each part in `scales`, or of each of its units; a part that has none is left out.

        A skipped answer has no labels, unless the type counts skipping as an answer like any other.
        """

    def marks_of(self, cleaned: CleanedAnswer) -> Mapping[str, Sequence[PlacedMark]]:
        """Return what somebody marked, for each part in which people mark pieces of a text."""

    def patterns(
        self, cleaned: CleanedAnswer, shown: Mapping[str, Json], question: Mapping[str, Json] = NO_QUESTION
    ) -> Mapping[str, AnswerPattern]:
        """Return what can show a habit in each part of an answer, given what its author was shown.

        Without the question, what depends on its texts is left out.
        """

    def groups(self, units: Iterable[str]) -> Mapping[str, str]:
        """Map every unit to the one that stands for all units that mean the same."""

    def similarities(self, units: Sequence[str], vectors: WordVectors | None) -> Mapping[str, Similarity]:
        """Return further measures between units, by name; those that need word vectors only if there are some."""
