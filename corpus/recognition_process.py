"""Recognizing names in a separate process, which ends with the work.

spaCy and a pipeline take 150 MB or more. A worker that loaded them would keep that memory as long as it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import TracebackType
from typing import Any

from corpus.articles import Tag
from corpus.recognition import check, load, recognize
from kernel.child_process import ChildProcess

pipeline_of = cache(load)


class RecognitionProcess:
    """A process with a loaded pipeline; it starts with the first article and ends with the `with` block."""

    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline
        self.child: ChildProcess | None = None

    def __enter__(self) -> RecognitionProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.child is not None:
            self.child.stop()

    def recognize(self, articles: Sequence[Sequence[str]]) -> list[tuple[Tag, ...]]:
        """Return the names in the texts of each article; raise InvalidInput if the pipeline cannot be used."""
        if self.child is None:
            check(self.pipeline)
            self.child = ChildProcess("corpus.recognition_process:recognize_in_child", self.pipeline)
        return list(self.child.work(articles))


def recognize_in_child(pipeline: str, articles: Sequence[Sequence[str]], count: Any) -> list[tuple[Tag, ...]]:
    """Return the names in the texts of each article; the pipeline is loaded with the first ones."""
    return recognize(pipeline_of(pipeline), articles)
