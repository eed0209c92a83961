"""The process that draws for `vega.py`: python -m kernel.plots.vega_process ADDRESS IDLE_SECONDS

Each connection brings one specification as JSON, and takes its drawing, or why it cannot be drawn, as JSON. The process
closes its standard output when it can be asked.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

LOOK_SECONDS = 1.0  # how often it looks whether the process that started it is still there


def listening(address: str) -> socket.socket | None:
    """Return the socket of an address; none if another process has it."""
    listener = socket.socket(socket.AF_UNIX)
    if address.startswith("@"):
        address = "\0" + address[1:]
    else:
        Path(address).unlink(missing_ok=True)  # nobody answered there
    try:
        listener.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    listener.listen(64)
    listener.settimeout(LOOK_SECONDS)
    return listener


def drawn(spec: bytes) -> dict[str, str]:
    import vl_convert  # once this process has the address

    try:
        return {"svg": vl_convert.vegalite_to_svg(json.loads(spec))}
    except ValueError as error:
        return {"error": str(error)}


def answer(client: socket.socket) -> None:
    client.settimeout(LOOK_SECONDS * 10)  # a client that stops in the middle keeps nobody waiting for long
    with client, client.makefile("rb") as stream:
        client.sendall(json.dumps(drawn(stream.read())).encode())


def serve(address: str, idle_seconds: float) -> None:
    parent = os.getppid()
    listener = listening(address)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # closes the pipe, and shows what a library prints
    if listener is None:
        return
    last = time.monotonic()
    with listener:
        while os.getppid() == parent and time.monotonic() - last < idle_seconds:
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            try:
                answer(client)
            except OSError:
                continue  # the process that asked has ended
            finally:
                last = time.monotonic()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the web process handles Ctrl-C
    serve(sys.argv[1], float(sys.argv[2]))
