from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from kernel.management.running import TesaCommand
from tesa_site import demo


class Command(TesaCommand):
    help = "Add the demo to an empty database, or remove it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--remove", action="store_true", help="remove everything that belongs to the demo")

    def handle(self, *, remove: bool, **options: Any) -> None:
        if remove:
            self.stdout.write(f"demo: removed {demo.remove()} accounts and everything that belonged to them")
            return
        is_seeded = demo.seed_if_empty()
        self.stdout.write("demo: added" if is_seeded else "demo: the database is not empty, nothing changed")
        for name, password, role in demo.sign_ins():
            self.stdout.write(f"  {name}  {password}  {role}")
