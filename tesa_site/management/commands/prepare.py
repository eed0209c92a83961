from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tesa_site import preparing


class Command(BaseCommand):
    help = "Prepare an installation after installing or upgrading: folders, migrations, static files. Safe to repeat."

    def handle(self, **options: Any) -> None:
        self.stdout.write("prepared" if preparing.prepare() else "prepared: there was nothing to do")
