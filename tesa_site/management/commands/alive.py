from __future__ import annotations

import socket
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kernel import selectors


class Command(BaseCommand):
    help = "Exit with 0 if a live process on this machine serves the queue (or is the scheduler), for health checks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", help="a queue's name, or scheduler")

    def handle(self, *, queue: str, **options: Any) -> None:
        host = socket.gethostname()
        for worker in selectors.live_workers():
            if queue in worker.queues and f"{host}:" in worker.name:
                self.stdout.write(f"{worker.name} serves {queue}")
                return
        raise CommandError(f"nothing on {host} serves {queue}")
