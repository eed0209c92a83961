from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tesa_site import demo
from tesa_site.kernel.errors import TesaError


class Command(BaseCommand):
    help = "Add the demo to an empty database, or remove it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--remove", action="store_true", help="remove everything that belongs to the demo")

    def handle(self, *, remove: bool, **options: Any) -> None:
        if remove:
            self.stdout.write(f"demo: removed {demo.remove()} accounts and everything that belonged to them")
            return
        try:
            is_seeded = demo.seed_if_empty()
        except TesaError as error:
            raise CommandError(error.message) from error
        self.stdout.write("demo: added" if is_seeded else "demo: the database is not empty, nothing changed")
        for name, password, role in demo.sign_ins():
            self.stdout.write(f"  {name}  {password}  {role}")
