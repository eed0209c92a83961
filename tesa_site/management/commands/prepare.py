from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from tesa_site import processes, static_files


class Command(BaseCommand):
    help = "Make an installation ready, after installing or upgrading: folders, migrations, static files. Repeatable."

    def handle(self, **options: Any) -> None:
        processes.prepare_folders()
        call_command("migrate", verbosity=0, interactive=False)
        is_collected = static_files.collect_if_changed()
        self.stdout.write(f"prepared: migrations applied, static files {'collected' if is_collected else 'unchanged'}")
