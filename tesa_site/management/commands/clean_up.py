from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from kernel.management.running import at_terminal
from kernel.services import removing


class Command(BaseCommand):
    help = "Remove expired sessions, old logs and leftover files."

    def handle(self, **options: Any) -> None:
        with at_terminal(stopped="Stopped. Data removed so far stays removed.") as progress:
            text = removing.remove_old_data(progress)
        self.stdout.write(text)
