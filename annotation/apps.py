from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def protect_releases(sender: AppConfig, using: str, **_: Any) -> None:
    from annotation.services import guards

    guards.protect_releases(using)


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        post_migrate.connect(protect_releases, sender=self, dispatch_uid="tesa.protect_releases")
