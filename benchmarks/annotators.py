"""Annotators as fast as the server answers: each sends an answer and gets the next task's page. Loopback only."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

FORM = (
    b"phrase_1=the+northern+botanists&phrase_2=plant+collectors&reason=&confirmed=phrase_1%3Aentity&signals="
    b"%7B%22active_ms%22%3A9000%2C%22keys%22%3A40%2C%22pastes%22%3A0%2C%22pasted%22%3A0%2C%22blurs%22%3A1%7D"
)
NEXT = re.compile(rb'data-assignment="(\d+)"')


@dataclass
class Work:
    """What a group of annotators did."""

    seconds: float = 0.0
    tasks: int = 0
    errors: int = 0
    times_ms: list[float] = field(default_factory=list)


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
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{kind}{cookie}\r\n"
        self.writer.write(head.encode() + body)
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


async def annotate(port: int, secret: str, work: Work, most: int) -> None:
    """Answer until `most` tasks are done together, or there is none left."""
    line = Line(port)
    _, page = await line.ask("GET", f"/task/{secret}/")
    while work.tasks < most and (found := NEXT.search(page)):
        started = time.perf_counter()
        status, page = await line.ask("POST", f"/task/{secret}/answer/{found[1].decode()}/", FORM)
        work.times_ms.append((time.perf_counter() - started) * 1000)
        work.tasks += status == 200
        work.errors += status != 200
    line.close()


async def look(port: int, cookie: str, work: Work, most: int) -> None:
    """Ask for the bare view, over and over: what everything else is compared with."""
    line = Line(port)
    while work.tasks < most:
        status, _ = await line.ask("GET", "/bare/", cookie=cookie)
        work.tasks += status == 200
        work.errors += status != 200
        if work.errors:
            break
    line.close()


def run(port: int, who: Sequence[str], most: int, *, is_bare: bool = False) -> Work:
    """Let one annotator (or one visitor of the bare view) for each secret (or cookie) work until `most` are done."""
    work, doing = Work(), look if is_bare else annotate

    async def everybody() -> None:
        await asyncio.gather(*(doing(port, one, work, most) for one in who))

    started = time.monotonic()
    asyncio.run(everybody())
    work.seconds = time.monotonic() - started
    return work
