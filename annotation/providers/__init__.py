"""Where people come from: one line for each provider."""

from __future__ import annotations

from annotation.providers.base import CrowdProvider
from tesa_site.kernel.registry import Registry

PROVIDERS: Registry[CrowdProvider] = Registry(
    "provider",
    {
        "local": "annotation.providers.local.provider:LOCAL",
        "panel": "annotation.providers.panel.provider:PANEL",
    },
)
DEFAULT = "local"
