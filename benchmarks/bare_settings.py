"""The product's settings plus one bare signed-in view: what the home page's speed is compared with."""

from __future__ import annotations

from tesa_site.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.bare_urls"
