"""Settings for the tests: the same, but fast, quiet and nowhere near var/."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

if "TESA_TEST_VAR" not in os.environ:  # processes the tests start inherit it
    os.environ["TESA_TEST_VAR"] = tempfile.mkdtemp(prefix="tesa-test-")
    atexit.register(shutil.rmtree, os.environ["TESA_TEST_VAR"], ignore_errors=True)
os.environ["TESA_VAR"] = os.environ["TESA_TEST_VAR"]
os.environ.setdefault("TESA_SECRET_KEY", "for-tests-only-" + "x" * 50)

from tesa_site.settings import *  # noqa: F403
from tesa_site.settings import LOGGING, STATIC_ROOT, STORAGES

STATIC_ROOT.mkdir(parents=True, exist_ok=True)

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
LOGGING = LOGGING | {"root": {"handlers": [], "level": "INFO"}}
