from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tesa_site import processes, static_files
from tesa_site.kernel.services import people


class Command(BaseCommand):
    help = "Make an installation ready, after installing or upgrading: folders, migrations, static files. Repeatable."

    def handle(self, **options: Any) -> None:
        processes.prepare_folders()
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
        else:
            people.sync_roles()  # they may have changed without a migration
        is_collected = static_files.collect_if_changed()
        self.stdout.write(f"prepared: migrations applied, static files {'collected' if is_collected else 'unchanged'}")
