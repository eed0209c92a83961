from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
application = get_wsgi_application()
_ = get_resolver().url_patterns  # loaded here, once, rather than by the first request of each process
