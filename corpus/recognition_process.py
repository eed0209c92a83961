"""Recognizing names in a separate process, which ends with the work.

spaCy and a pipeline take 150 MB or more. A worker that loaded them would keep that memory as long as it runs.
The two processes exchange one JSON value per line.
"""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from corpus.article_tags import RECOGNIZED
from corpus.articles import EntityType, Tag
from corpus.recognition import SETTING, check, load, recognize
from kernel.errors import InvalidInput

PR_SET_PDEATHSIG = 1


class RecognitionProcess:
    """A process with a loaded pipeline; it starts with the first article and ends with the `with` block."""

    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> RecognitionProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is None:
            return
        self.process.kill()  # it has nothing to lose
        self.process.communicate()
        self.process = None

    def recognize(self, articles: Sequence[Sequence[str]]) -> list[tuple[Tag, ...]]:
        """Return the names in the texts of each article; raise InvalidInput if the pipeline cannot be used."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101  (both are pipes)
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(json.dumps(articles) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline() or "{}")
        except BrokenPipeError:
            answer = {}
        if "problem" in answer:
            raise InvalidInput(answer["problem"], field=SETTING)
        if "tags" not in answer:
            raise RuntimeError("the process that recognizes names died; is there enough memory?")
        return [tuple(Tag(text, EntityType(type), RECOGNIZED) for text, type in tags) for tags in answer["tags"]]

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None:
            check(self.pipeline)
            self.process = subprocess.Popen(  # noqa: S603  (our own module)
                [sys.executable, "-m", "corpus.recognition_process", self.pipeline],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        return self.process


def serve(pipeline: str) -> None:
    """Answer each line of articles with a line of their names, until the parent closes the stream."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # end when the parent is killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    questions, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr  # output of a library must not get between the answers

    def send(answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        nlp = load(pipeline)
    except InvalidInput as error:
        questions.readline()
        send({"problem": error.problem})
        return
    for line in questions:
        articles = recognize(nlp, json.loads(line))
        send({"tags": [[(tag.text, tag.type.value) for tag in tags] for tags in articles]})


if __name__ == "__main__":
    serve(sys.argv[1])
