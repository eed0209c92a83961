"""Where people come from: one line for each provider."""

from __future__ import annotations

from annotation.providers.base import CrowdProvider
from annotation.providers.results import ResultFormat
from kernel.registry import Registry

PROVIDERS: Registry[CrowdProvider] = Registry(
    "provider",
    {
        "local": "annotation.providers.local.provider:LOCAL",
        "panel": "annotation.providers.panel.provider:PANEL",
        "mturk": "annotation.providers.mturk.provider:MTURK",
    },
)
DEFAULT = "local"  # of a campaign that names none; people with an account here are its workers

RESULT_FORMATS: Registry[ResultFormat] = Registry(
    "result format",
    {
        "mturk": "annotation.providers.mturk.results:MTURK_RESULTS",
    },
)
DEFAULT_RESULTS = "mturk"
