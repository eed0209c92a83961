from __future__ import annotations

from django.apps import AppConfig


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    label = "marketplace"
    verbose_name = "Marketplace"
