from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.db.models.signals import pre_migrate


def refuse_old_tables(**signal: Any) -> None:
    from tesa_site import preparing  # only `migrate` needs it

    preparing.refuse_old_tables(**signal)


class TesaAdminConfig(AdminConfig):
    """Django's admin with our sign-in page and permission."""

    default_site = "tesa_site.admin.TesaAdminSite"


class SiteConfig(AppConfig):
    """The pages, commands and checks of no single app."""

    name = "tesa_site"

    def ready(self) -> None:
        from tesa_site import checks  # noqa: F401
        from tesa_site.celery import app  # noqa: F401  (shared tasks bind to it)

        pre_migrate.connect(refuse_old_tables, dispatch_uid="tesa.refuse_old_tables")
