"""Clients with keep-alive connections, each waiting for its answer before it asks again. Loopback only."""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from math import inf

FORM = (
    b"phrase_1=the+northern+botanists&phrase_2=plant+collectors&reason=&confirmed=phrase_1%3Aentity&signals="
    b"%7B%22active_ms%22%3A9000%2C%22keys%22%3A40%2C%22pastes%22%3A0%2C%22pasted%22%3A0%2C%22blurs%22%3A1%7D"
)
NEXT = re.compile(rb'data-assignment="(\d+)"')


class Line:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", cookie: str = "") -> tuple[int, bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        kind = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n" if body else ""
        cookie = f"Cookie: {cookie}\r\n" if cookie else ""
        host = f"Host: 127.0.0.1:{self.port}\r\nAccept-Encoding: gzip\r\n"
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{host}{kind}{cookie}\r\n".encode() + body)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answer.partition("content-length:")[2].split("\r\n")[0] or 0)
        content = await self.reader.readexactly(length)
        if "connection: close" in answer:
            self.close()
        return int(answer.split()[1]), content

    def close(self) -> None:
        if self.writer:
            self.writer.close()
            self.writer = None


@dataclass
class Result:
    """What a group of clients got, and when they stop."""

    until: float = inf
    most: float = inf  # answers together
    seconds: float = 0.0
    answers: int = 0  # with status 200
    errors: int = 0
    times_ms: list[float] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.until or self.answers + self.errors >= self.most

    @property
    def per_second(self) -> float:
        return self.answers / self.seconds

    @property
    def p95_ms(self) -> float:
        return statistics.quantiles(self.times_ms, n=20)[-1]

    def __str__(self) -> str:
        median, p95 = statistics.median(self.times_ms), self.p95_ms
        return f"{self.per_second:7.1f} requests/s  median {median:4.0f} ms  p95 {p95:4.0f} ms  errors {self.errors}"

    async def ask(
        self, line: Line, method: str, path: str, body: bytes = b"", cookie: str = "", *, counts: bool = True
    ) -> bytes:
        """Ask once, and time the answer; count it as well, or only if it is an error."""
        started, is_new = time.perf_counter(), line.writer is None
        try:
            status, content = await line.ask(method, path, body, cookie)
        except (OSError, asyncio.IncompleteReadError):
            line.close()  # a server may close an idle connection; a new one that fails is an error
            status, content = 500 if is_new else 0, b""
        if status:
            self.times_ms.append((time.perf_counter() - started) * 1000)
            self.answers += counts and status == 200
            self.errors += status != 200
        return content


Client = Callable[[Line, Result], Awaitable[None]]


def visitor(path: str, cookie: str = "") -> Client:
    """Return a client that asks for one page over and over."""

    async def visit(line: Line, result: Result) -> None:
        while not result.is_over:
            await result.ask(line, "GET", path, cookie=cookie)

    return visit


def annotator(secret: str, form: bytes = FORM) -> Client:
    """Return a client that sends a draft, then the answer, and gets the next page, as fast as the server answers."""

    async def annotate(line: Line, result: Result) -> None:
        _, page = await line.ask("GET", f"/task/{secret}/")
        while not result.is_over and (match := NEXT.search(page)):
            turn = match[1].decode()
            await result.ask(line, "POST", f"/task/{secret}/draft/{turn}/", form, counts=False)
            page = await result.ask(line, "POST", f"/task/{secret}/answer/{turn}/", form)

    return annotate


def run(port: int, clients: Iterable[Client], *, seconds: float = inf, most: float = inf) -> Result:
    """Let the clients ask for this many seconds, or until they have this many answers together."""
    started = time.monotonic()
    result = Result(started + seconds, most)

    async def let_ask(client: Client) -> None:
        line = Line(port)
        await client(line, result)
        line.close()

    async def everybody() -> None:
        await asyncio.gather(*map(let_ask, clients))

    asyncio.run(everybody())
    result.seconds = time.monotonic() - started
    return result
