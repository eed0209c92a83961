"""Processor time, of calls here and of the product's processes: on a shared machine it says more than wall."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psycopg2

from benchmarks import memory
from tests.product import Product

TICKS = os.sysconf("SC_CLK_TCK")


def best_ms(call: Callable[[], object], times: int = 5) -> float:
    """Return the least processor time of this many calls, in milliseconds."""
    spent = []
    for _ in range(times):
        started = time.process_time()
        call()
        spent.append(time.process_time() - started)
    return min(spent) * 1000


def _seconds(pid: int) -> float:
    """Return the processor time of a process, read from /proc; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def web_processes(product: Product) -> list[int]:
    """Return the web server's processes: those of the product that run gunicorn."""
    return [pid for pid in memory.processes(product) if b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def database_processes(product: Product) -> list[int]:
    """Return the PostgreSQL processes that serve this product's database; SQLite has none of its own."""
    if not product.database.url:
        return []
    with psycopg2.connect(product.database.url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
        pids = [pid for (pid,) in cursor.fetchall()]
    connection.close()
    return pids


class Meter:
    """Adds up what the processes use from now to each `read`; one that has ended keeps its last reading."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.web = set(web_processes(product))
        self.first = {pid: _seconds(pid) for pid in self._pids()}
        self.last = dict(self.first)

    def _pids(self) -> set[int]:
        return self.web | set(database_processes(self.product))

    def read(self) -> tuple[float, float]:
        """Return (seconds of the web server, seconds of the database)."""
        for pid in self._pids():
            self.last[pid] = _seconds(pid) or self.last.get(pid, 0.0)
        used = {pid: seconds - self.first.get(pid, 0.0) for pid, seconds in self.last.items()}
        web = sum(seconds for pid, seconds in used.items() if pid in self.web)
        return web, sum(used.values()) - web
