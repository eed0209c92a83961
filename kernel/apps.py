from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

APPS_WITH_PERMISSIONS = {"auth", "kernel", "corpus", "annotation", "marketplace", "modeling"}


def sync_roles(sender: AppConfig, **_: Any) -> None:
    from kernel.services import people

    if sender.label in APPS_WITH_PERMISSIONS:
        people.sync_roles()


class KernelConfig(AppConfig):
    name = "kernel"
    label = "kernel"
    verbose_name = "People and jobs"

    def ready(self) -> None:
        # Django creates an app's permissions after migrating it, so roles can receive them only then.
        post_migrate.connect(sync_roles, dispatch_uid="tesa.sync_roles")
