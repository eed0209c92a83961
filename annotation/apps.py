from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from corpus.backgrounds.title_lookup import TitleLookup


def protect_releases(sender: AppConfig, using: str, **_: Any) -> None:
    from annotation.services import guards

    guards.protect_releases(using)


def erase_payment_details(tick: Callable[[], None]) -> int:
    from annotation.services import payments

    return payments.erase_paid_details()


def stored_titles() -> TitleLookup:
    from annotation.selectors.titles import TITLES

    return TITLES


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import lookups
        from kernel.services import removing

        lookups.provide(stored_titles)
        removing.STEPS["payment detail"] = erase_payment_details
        post_migrate.connect(protect_releases, sender=self, dispatch_uid="tesa.protect_releases")
