"""Settings for the tests: the same, but fast, quiet and nowhere near var/."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

if "TESA_TEST_VAR" not in os.environ:  # processes the tests start inherit it
    os.environ["TESA_TEST_VAR"] = tempfile.mkdtemp(prefix="tesa-test-")
    atexit.register(shutil.rmtree, os.environ["TESA_TEST_VAR"], ignore_errors=True)
# Of several processes that share the tests, each has a folder of its own.
os.environ["TESA_VAR"] = os.path.join(os.environ["TESA_TEST_VAR"], os.environ.get("PYTEST_XDIST_WORKER", "one"))
os.environ.setdefault("TESA_SECRET_KEY", "for-tests-only-" + "x" * 50)

from tesa_site.settings import *  # noqa: F403
from tesa_site.settings import DATABASES, LOGGING, STATIC_ROOT, STORAGES

STATIC_ROOT.mkdir(parents=True, exist_ok=True)

if DATABASES["default"]["ENGINE"] == "tesa_site.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # said, because pytest-django knows only Django's own engine

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
LOGGING = LOGGING | {"root": {"handlers": [], "level": "INFO"}}
SPACY_PIPELINE = ""  # loading one takes a second for each search; tests of recognition set theirs
