from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def protect_releases(sender: AppConfig, using: str, **_: Any) -> None:
    from annotation.services import guards

    guards.protect_releases(using)


def erase_payment_details(tick: Callable[[], None]) -> int:
    from annotation.services import payments

    return payments.erase_paid_details()


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from kernel.services import removing

        removing.STEPS["payment detail"] = erase_payment_details
        post_migrate.connect(protect_releases, sender=self, dispatch_uid="tesa.protect_releases")
