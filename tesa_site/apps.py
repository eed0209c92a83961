from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class TesaAdminConfig(AdminConfig):
    """Django's admin, entered by our sign-in page and our permission."""

    default_site = "tesa_site.admin.TesaAdminSite"


class SiteConfig(AppConfig):
    """The pages, commands and checks that belong to no single app."""

    name = "tesa_site"

    def ready(self) -> None:
        from tesa_site import checks  # noqa: F401
        from tesa_site.celery import app  # noqa: F401  (shared tasks bind to it)
