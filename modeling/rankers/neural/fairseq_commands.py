"""fairseq's commands as children of a neural run: followed by their log, ended with it, explained if they fail."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput
from kernel.values import Json, canonical_json
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.failures import NO_MEMORY
from modeling.rankers.neural.fairseq_python import SCRIPT, environment, interpreter, last_line
from modeling.rankers.neural.work_folder import Stuck

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_END = 10.0
LOG = "log.txt"
Row = dict[str, Any]


class Commands:
    """Runs one command at a time in the folder, and appends what it prints to log.txt there.

    `is_trusted`: the checkpoints that they read may be unpickled: we wrote them, or somebody whom the user trusts.
    """

    def __init__(self, folder: Path, control: Control, *, is_trusted: bool) -> None:
        self.folder, self.control, self.is_trusted = folder, control, is_trusted
        self.environment = environment(is_trusted=is_trusted)
        self.python = interpreter()
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments: str, on_line: Callable[[str], None] = lambda line: None) -> None:
        """Run the interpreter with these arguments, and pass on each line; raise a sentence if it fails."""
        path = self.folder / LOG
        with path.open("ab") as log:
            start = log.tell()
            child = subprocess.Popen(  # noqa: S603  (the interpreter that the administrator chose)
                [str(self.python), "-P", *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            output = self._follow(child, path, start, on_line)
        finally:
            _end(child)
        if child.returncode:
            raise _failure(arguments, child.returncode, output)

    def job(
        self, name: str, job: Mapping[str, Json], rows: Sequence[Row] = (), **callbacks: Callable[[str], None]
    ) -> list[Row]:
        """Run our script on the rows, in files of this name, and return a result for each row."""
        files = {kind: self.folder / f"{name}.{kind}" for kind in ("job.json", "tasks.jsonl", "results.jsonl")}
        write_lines(files["tasks.jsonl"], (canonical_json(row) for row in rows))
        paths: dict[str, Json] = {"tasks": str(files["tasks.jsonl"]), "results": str(files["results.jsonl"])}
        write_lines(files["job.json"], [canonical_json({**job, **paths, "is_trusted": self.is_trusted})])
        files["results.jsonl"].unlink(missing_ok=True)
        self.run(str(SCRIPT), str(files["job.json"]), **callbacks)
        results = [json.loads(line) for line in read_lines(files["results.jsonl"])]
        for path in files.values():
            path.unlink()
        if rows and len(results) != len(rows):
            raise InvalidInput(f"fairseq returned {len(results):,} results for {len(rows):,} tasks")
        return results

    def _follow(self, child: subprocess.Popen[bytes], path: Path, start: int, on_line: Callable[[str], None]) -> str:
        """Pass on whole lines until the command has ended, and return the end of what it printed."""
        output, rest = "", b""
        with path.open("rb") as log:
            log.seek(start)
            while True:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(SECONDS_BETWEEN_LOOKS)
                has_ended = child.returncode is not None
                *lines, rest = (rest + log.read()).split(b"\n")
                for line in lines:
                    text = line.decode("utf-8", "replace")
                    output = f"{output}\n{text}"[-20_000:]
                    on_line(text)
                if has_ended:
                    return f"{output}\n{rest.decode('utf-8', 'replace')}"
                if self.control.decision() == "cancel":
                    self.control.interrupt()


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.wait(SECONDS_TO_END)
        child.kill()
    child.wait()


def _failure(arguments: Sequence[str], code: int, output: str) -> Exception:
    name = "our script for fairseq" if arguments[0] == str(SCRIPT) else arguments[1].replace("_cli.", "-")
    if any(text in output for text in NO_MEMORY):
        return Stuck(
            f"Memory ran out in {name}: set max_tokens lower and accumulate higher, or choose a smaller model."
        )
    if code < 0:
        return Stuck(f"{name} was killed by signal {-code}.")
    return InvalidInput(f"{name} ended with an error: {last_line(output)}")
