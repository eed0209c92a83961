"""A closed-loop load of keep-alive clients, each waiting for its answer before it asks again. Loopback only."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Result:
    seconds: float = 0.0
    errors: int = 0
    times_ms: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.times_ms) / self.seconds

    @property
    def p95_ms(self) -> float:
        return statistics.quantiles(self.times_ms, n=20)[-1]

    def __str__(self) -> str:
        median, p95 = statistics.median(self.times_ms), self.p95_ms
        return f"{self.per_second:7.1f} requests/s  median {median:4.0f} ms  p95 {p95:4.0f} ms  errors {self.errors}"


async def client(port: int, path: str, cookie: str, until: float, result: Result) -> None:
    headers = f"Host: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nAccept-Encoding: gzip\r\n"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode()
    reader = writer = None
    while time.monotonic() < until:
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert reader is not None
            started = time.perf_counter()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].split("\r\n")[0])
            await reader.readexactly(length)
            result.times_ms.append((time.perf_counter() - started) * 1000)
            if " 200 " not in head.split("\r\n")[0]:
                result.errors += 1
            if "connection: close" in head:
                writer.close()
                writer = None
        except (OSError, asyncio.IncompleteReadError):
            # A server may close an idle keep-alive connection; a fresh one that fails is an error.
            result.errors += writer is None
            writer = None
    if writer:
        writer.close()


def run(port: int, path: str, cookies: Sequence[str], seconds: float) -> Result:
    """Ask for one path with one client per cookie."""
    return _together(port, [(path, cookie) for cookie in cookies], seconds)


def run_paths(port: int, paths: Sequence[str], seconds: float) -> Result:
    """Ask for each path with a client of its own, without a cookie."""
    return _together(port, [(path, "none=1") for path in paths], seconds)


def _together(port: int, asked: Sequence[tuple[str, str]], seconds: float) -> Result:
    result = Result()

    async def everybody() -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(client(port, path, cookie, until, result) for path, cookie in asked))

    started = time.monotonic()
    asyncio.run(everybody())
    result.seconds = time.monotonic() - started
    return result
