"""Vega, which draws specifications, in a process of its own.

It takes a second to load and then 60 to 100 MB, which every web process that loaded it would keep for good. One process
draws for all that were forked from the process that imported this module. It starts with the first drawing, and ends
when nothing has been drawn for a minute or the process that started it is gone.
"""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

IDLE_SECONDS = 60.0
LONGEST_SECONDS = 60.0  # of one drawing, with those that wait before it
TRIES = 3  # the process may end for want of work, or be killed, just when it is asked
HERE = Path(__file__).parents[2]


def new_address() -> str:
    """Return the name of a socket that nobody else has: without a file where the system can do so."""
    name = f"tesa-vega-{secrets.token_hex(8)}"
    return f"\0{name}" if sys.platform == "linux" else str(Path(tempfile.gettempdir()) / name)


class Vega:
    """Asks the process that draws, and starts it where there is none."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self.idle_seconds = idle_seconds
        self.address = new_address()
        self.starting = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None  # the one that this process started last

    def svg(self, spec: Mapping[str, Any]) -> str:
        """Return the drawing of a Vega-Lite specification; raise RuntimeError if it cannot be drawn."""
        for _ in range(TRIES):
            try:
                answer = self._asked(json.dumps(spec).encode())
            except (FileNotFoundError, ConnectionError):  # there is no such process, or it died
                self._start()
                continue
            if "svg" in answer:
                return str(answer["svg"])
            _, _, why = answer["error"].partition("\n")  # Vega's own words, with its traceback below them
            error = RuntimeError(f"this cannot be drawn: {why.splitlines()[0] if why else answer['error']}")
            error.add_note(why)
            raise error
        raise RuntimeError("the process that draws plots died; is there enough memory?")

    def _asked(self, spec: bytes) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LONGEST_SECONDS)
            client.connect(self.address)
            client.sendall(spec)
            client.shutdown(socket.SHUT_WR)
            with client.makefile("rb") as stream:
                drawn = stream.read()
        if not drawn:
            raise ConnectionResetError
        answer: dict[str, Any] = json.loads(drawn)
        return answer

    def _start(self) -> None:
        """Start the process and wait until it can be asked, or until it sees that another one can."""
        with self.starting:
            address, idle = self.address.replace("\0", "@"), str(self.idle_seconds)
            self.process = subprocess.Popen(  # noqa: S603  (our own program)
                [sys.executable, "-m", "kernel.plots.vega_process", address, idle],
                cwd=HERE,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            assert self.process.stdout  # noqa: S101  (a pipe, see above)
            self.process.stdout.read()  # it closes the pipe when it is ready
        threading.Thread(target=self.process.wait, daemon=True).start()  # leave no zombie when it ends


VEGA = Vega()
