from __future__ import annotations

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from kernel.databases import outages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
application = get_wsgi_application()
_ = get_resolver().url_patterns  # loaded once here, not by the first request of each process
outages.limit_for_web(settings.DATABASES["default"], settings.WEB_THREADS)
# The processes that serve pages are forked from this one. Their garbage collectors never visit frozen objects, so the
# memory stays shared: each process has 17 MB of its own instead of 47, measured after 30 pages.
gc.collect()
gc.freeze()
