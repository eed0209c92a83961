"""Settings for tests: like the product's, but fast, quiet and away from var/."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

if "TESA_TEST_VAR" not in os.environ:  # processes the tests start inherit it
    os.environ["TESA_TEST_VAR"] = tempfile.mkdtemp(prefix="tesa-test-")
    atexit.register(shutil.rmtree, os.environ["TESA_TEST_VAR"], ignore_errors=True)
# Each of several test processes has its own folder.
os.environ["TESA_VAR"] = os.path.join(os.environ["TESA_TEST_VAR"], os.environ.get("PYTEST_XDIST_WORKER", "one"))
os.environ.setdefault("TESA_SECRET_KEY", "for-tests-only-" + "x" * 50)

from tesa_site.settings import *  # noqa: F403
from tesa_site.settings import DATABASES, LOGGING, STATIC_ROOT, STORAGES

STATIC_ROOT.mkdir(parents=True, exist_ok=True)

if DATABASES["default"]["ENGINE"] == "kernel.databases.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # pytest-django does this for Django's own engine only

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
LOGGING = LOGGING | {"root": {"handlers": [], "level": "INFO"}}
SPACY_PIPELINE = ""  # loading one takes a second for each search; tests of recognition set their own
