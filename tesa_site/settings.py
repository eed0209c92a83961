"""All settings, read from TESA_* variables. The defaults suit a laptop: SQLite and files under var/.

TESA_PRODUCTION=true is strict: an unsafe setting stops every process with one sentence.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import django_stubs_ext

from annotation.pricing import read_floor
from corpus.articles import EntityType
from kernel import spacy_pipelines
from kernel.security import ORIGIN
from marketplace.keys import derive_secret, own_key_id
from tesa_site.env import (
    SettingError,
    database_from_url,
    email_from_url,
    env,
    env_bool,
    env_choice,
    env_int,
    env_list,
    env_secret,
    env_url,
)
from tesa_site.job_kinds import JOB_KINDS
from tesa_site.secret_key import FEWEST_BITS, random_bits

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = env_bool("TESA_PRODUCTION", default=False)
DEBUG = env_bool("TESA_DEBUG", default=False)
_HEADING = re.search(r"^## \[?(\d[^\]\s]*)", (BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
VERSION = _HEADING[1] if _HEADING else "0"  # the newest numbered heading of CHANGELOG.md

# The folder of everything that is not code: database, broker, files, mail, caches. See DEPLOY.md.
VAR = Path(env("TESA_VAR", str(BASE_DIR / "var"))).resolve()

# ---- Addresses ----------------------------------------------------------------------------------
HOST = env("TESA_HOST", "127.0.0.1").strip("[]")
PORT = env_int("TESA_PORT", 8000, low=1, high=65535)
PUBLIC_URL = env_url("TESA_PUBLIC_URL", f"http://127.0.0.1:{PORT}", ("http", "https"))
_public = urlsplit(PUBLIC_URL)
IS_HTTPS = _public.scheme == "https"
FORCE_SCRIPT_NAME = _public.path.rstrip("/") or None  # a sub-path behind a proxy that strips it
TRUSTED_PROXIES = env_int("TESA_TRUSTED_PROXIES", 0, low=0, high=9)
ALLOWED_HOSTS = [*env_list("TESA_ALLOWED_HOSTS"), _public.hostname or ""]
if not PRODUCTION:
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]"]
PUBLIC_ORIGIN = f"{_public.scheme}://{_public.netloc}"
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN]

# ---- Secrets and refusals -----------------------------------------------------------------------


def _laptop_secret() -> str:
    """Return this installation's key, created on first use; never used in production."""
    path = VAR / "secret-key"
    try:
        VAR.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            made = path.with_name(f"secret-key.{os.getpid()}")
            with os.fdopen(os.open(made, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(64))
            with contextlib.suppress(FileExistsError):  # another process was first: its key counts
                os.link(made, path)
            made.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise SettingError(f"cannot write {path}: {error.strerror}. Set TESA_VAR to a writable folder.") from None


def _refuse_unsafe_production() -> None:
    if DEBUG:
        raise SettingError("TESA_DEBUG must be off when TESA_PRODUCTION is on.")
    words = ("insecure", "change", "demo")
    is_typed = any(word in SECRET_KEY.lower() for word in words) or random_bits(SECRET_KEY) < FEWEST_BITS
    if len(SECRET_KEY) < 50 or is_typed:
        raise SettingError(
            "TESA_SECRET_KEY must have at least 50 random characters in production; create one with: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(64))'"
        )
    if "*" in ALLOWED_HOSTS:
        raise SettingError("TESA_ALLOWED_HOSTS may not contain * in production: name the hosts.")
    if not env("TESA_PUBLIC_URL"):
        raise SettingError("TESA_PUBLIC_URL must be set in production, e.g. https://tesa.example.org.")


SECRET_KEY = env_secret("TESA_SECRET_KEY") or ("" if PRODUCTION else _laptop_secret())
if PRODUCTION:
    _refuse_unsafe_production()

# ---- Applications -------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "tesa_site.apps.TesaAdminConfig",
    "tesa_site.apps.SiteConfig",
    "kernel",
    "corpus",
    "annotation",
    "marketplace.apps.MarketplaceConfig",
    "modeling",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "tesa_site.middleware.probes",
    "tesa_site.middleware.request_id",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tesa_site.middleware.security_headers",
    "tesa_site.middleware.compressed_pages",
    "tesa_site.middleware.upload_limit",
    "tesa_site.middleware.sane_input",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tesa_site.middleware.signed_out",
    "tesa_site.middleware.known_browsers",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "tesa_site.middleware.friendly_errors",
]
ROOT_URLCONF = "tesa_site.urls"
WSGI_APPLICATION = "tesa_site.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tesa_site.context.site",
            ],
            "builtins": ["kernel.templatetags.tesa"],
        },
    }
]

# ---- Database -----------------------------------------------------------------------------------
DATABASE_URL = env_secret("TESA_DATABASE_URL")
DATABASES: dict[str, dict[str, Any]] = {
    "default": database_from_url("TESA_DATABASE_URL", DATABASE_URL)
    if DATABASE_URL
    else {
        "ENGINE": "kernel.databases.sqlite",
        "NAME": VAR / "tesa.sqlite3",
        "CONN_MAX_AGE": 60,  # opening it again takes a request as long as two queries
        "OPTIONS": {
            # Writers queue instead of failing within a transaction; a commit survives a power cut.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000;",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# ---- Jobs ---------------------------------------------------------------------------------------
REDIS_URL = env_url("TESA_REDIS_URL", env_secret("TESA_REDIS_URL"), ("redis", "rediss"))
QUEUES = ("default", "corpus", "gpu")
HAS_TORCH = find_spec("torch") is not None  # neural rankers need it; looked for, never imported here
SERVED_QUEUES = QUEUES if HAS_TORCH else QUEUES[:-1]  # by a worker of this machine, unless it names others
REQUIRED_QUEUES = env_list("TESA_REQUIRED_QUEUES", [*SERVED_QUEUES])
if _unknown := set(REQUIRED_QUEUES) - set(QUEUES):
    raise SettingError(f"TESA_REQUIRED_QUEUES: unknown queue {min(_unknown)!r}; known: {', '.join(QUEUES)}.")
HEARTBEAT_SECONDS = env_int("TESA_HEARTBEAT_SECONDS", 5, low=1, high=60)
SWEEP_SECONDS = env_int("TESA_SWEEP_SECONDS", 5, low=1, high=60)
LOST_AFTER_SECONDS = env_int("TESA_LOST_AFTER_SECONDS", 30, low=3, high=600)
if LOST_AFTER_SECONDS < 2 * HEARTBEAT_SECONDS + SWEEP_SECONDS:
    raise SettingError("TESA_LOST_AFTER_SECONDS must allow for two heartbeats and a sweep, or live jobs count as lost.")
RENUDGE_SECONDS = env_int("TESA_RENUDGE_SECONDS", 10, low=1, high=600)
WORKER_CONCURRENCY = env_int("TESA_WORKER_CONCURRENCY", 2, low=1, high=64)
WORKER_MEMORY_MB = env_int("TESA_WORKER_MEMORY_MB", 128, low=100, high=1_000_000)
TESA_JOB_KINDS = JOB_KINDS
TESA_WORKER_FACTS = "modeling.selectors.this_machine.facts_here"  # what a worker's heartbeat says of its machine
FACTS_SECONDS = 60
TESA_CLEAN_UPS = {  # noun → function
    "set of unkept weights": "modeling.services.run_files.remove_unkept_weights",
    "old comparison": "annotation.services.comparisons.remove_old_comparisons",
}
BROKER_DIR = VAR / "broker"

# The folder of archives that pages may read; the command line reads from anywhere.
CORPUS_FOLDER = Path(env("TESA_CORPUS_FOLDER", str(VAR / "corpora"))).resolve()

# A trained spaCy pipeline (an installed package or a folder) that recognizes names in untagged articles.
SPACY_PIPELINE = env("TESA_SPACY_PIPELINE", spacy_pipelines.DEFAULT)
if SPACY_PIPELINE.lower() == "none":
    SPACY_PIPELINE = ""

# The folder of word vectors for the Train page and for measuring agreement.
VECTORS_FOLDER = Path(env("TESA_VECTORS_FOLDER", str(VAR / "vectors"))).resolve()

# The folder of checkpoint folders that neural rankers start from, and whether trained weights are kept.
MODELS_DIR = Path(env("TESA_MODELS_DIR", str(VAR / "models"))).resolve()
KEEP_WEIGHTS = env_choice("TESA_KEEP_WEIGHTS", "best", ("best", "none"))

# ---- Web server (read by tesa_site/processes.py) ---------------------------------------
WEB_PROCESSES = env_int("TESA_WEB_PROCESSES", 2, low=1, high=64)
WEB_THREADS = env_int("TESA_WEB_THREADS", 4, low=1, high=64)

# ---- People -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "kernel.User"
AUTHENTICATION_BACKENDS = ["tesa_site.sign_in.RoleBackend"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
CSRF_FAILURE_VIEW = "tesa_site.views.errors.csrf_failure"
PASSWORD_RESET_TIMEOUT = 24 * 3600
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Failed sign-ins allowed within the window: for one name from one address (or known browser), for one name from all
# addresses, and for one address in total. The address of IPv6 is its network of 64 bits.
SIGN_IN_WINDOW_MINUTES = 15
SIGN_IN_TRIES = 5
SIGN_IN_TRIES_PER_ACCOUNT = 20
SIGN_IN_TRIES_PER_ADDRESS = 50
SIGN_UPS_PER_ADDRESS = 50  # new workers of the marketplace, within the same window
# Password mails allowed within the window: to one account, and requests from one address.
RESET_WINDOW_MINUTES = 60
RESET_MAILS_PER_ACCOUNT = 3
RESET_REQUESTS_PER_ADDRESS = 20

# ---- Mail: files under var/mail unless a server is set --------------------------------------------
EMAIL_URL = env_secret("TESA_EMAIL_URL")
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env("TESA_EMAIL_FROM", f"tesa@{_public.hostname}")
EMAIL_FILE_PATH = str(VAR / "mail")
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
if EMAIL_URL:
    globals().update(email_from_url("TESA_EMAIL_URL", EMAIL_URL))

# ---- Pay ----------------------------------------------------------------------------------------
try:
    WAGE_FLOOR = read_floor(env("TESA_WAGE_FLOOR", "9 USD"))
except ValueError:
    raise SettingError("TESA_WAGE_FLOOR must be an amount per hour and its currency, for example: 9 USD") from None

# ---- The MTurk-compatible marketplace -------------------------------------------------------------
# Where boto3 finds it (server to server), with which key, and how many calls a second one key may make (0 = any).
MTURK_ENDPOINT = env_url("TESA_MTURK_ENDPOINT", f"http://127.0.0.1:{PORT}/mturk/", ("http", "https"))
_endpoint = urlsplit(MTURK_ENDPOINT)
ALLOWED_HOSTS.append(_endpoint.hostname or "")
MTURK_PLAIN_HOSTS = [_endpoint.netloc] if _endpoint.scheme == "http" else []
MTURK_ACCESS_KEY_ID = env("TESA_MTURK_ACCESS_KEY_ID", own_key_id(SECRET_KEY, "main"))
MTURK_SECRET_ACCESS_KEY = env_secret("TESA_MTURK_SECRET_ACCESS_KEY")
MTURK_SECRET_ACCESS_KEY = MTURK_SECRET_ACCESS_KEY or derive_secret(SECRET_KEY, MTURK_ACCESS_KEY_ID, "")
MTURK_SANDBOX_ACCESS_KEY_ID = own_key_id(SECRET_KEY, "sandbox")
MTURK_SANDBOX_SECRET_ACCESS_KEY = derive_secret(SECRET_KEY, MTURK_SANDBOX_ACCESS_KEY_ID, "")
MARKETPLACE_SIGN_UP = env_bool("TESA_MARKETPLACE_SIGN_UP", default=not PRODUCTION)  # may strangers become workers?
MTURK_ALLOW_AWS = env_bool("TESA_MTURK_ALLOW_AWS", default=False)
MTURK_SITES = env_list("TESA_MTURK_SITES")  # origins of other worker sites that may frame our task pages
if _bad := [site for site in MTURK_SITES if not ORIGIN.fullmatch(site)]:
    raise SettingError(f"TESA_MTURK_SITES: {_bad[0]!r} is no origin such as https://work.example.org.")
TESA_PROVIDERS = {
    "mturk": {
        "endpoint": MTURK_ENDPOINT,
        "keys": (MTURK_ACCESS_KEY_ID, MTURK_SECRET_ACCESS_KEY),
        "sandbox_keys": (MTURK_SANDBOX_ACCESS_KEY_ID, MTURK_SANDBOX_SECRET_ACCESS_KEY),
        "allow_aws": MTURK_ALLOW_AWS,
        "sites": (PUBLIC_ORIGIN, *MTURK_SITES),
    }
}
MTURK_CALLS_PER_SECOND = env_int("TESA_MTURK_CALLS_PER_SECOND", 0, low=0, high=100_000)

# ---- Browser security ---------------------------------------------------------------------------
SECURE_SSL_REDIRECT = PRODUCTION and IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"(^|/)mturk/?$"]  # its view refuses plain HTTP itself, but for TESA_MTURK_ENDPOINT
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION and IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False  # we do not decide for other hosts of the domain
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "tesa_session", "tesa_csrf"
SESSION_COOKIE_AGE = 14 * 24 * 3600
MAX_UPLOAD_BYTES = env_int("TESA_MAX_UPLOAD_MB", 200, low=1, high=100_000) * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# ---- Files, static files, caches ----------------------------------------------------------------
MEDIA_ROOT = VAR / "files"
FILE_UPLOAD_PERMISSIONS = 0o600  # Django's own default, 0644, ignores the umask
STATIC_URL = f"{FORCE_SCRIPT_NAME or ''}/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "tesa_site" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "plots": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR / "cache" / "plots",
        "TIMEOUT": 24 * 3600,
        "OPTIONS": {"MAX_ENTRIES": 2000},
    },
}

# ---- Language and time --------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = "tesa_site.formats"
USE_I18N = False
TIME_ZONE = env("TESA_TIME_ZONE", "UTC")
if TIME_ZONE not in available_timezones():
    raise SettingError(f"TESA_TIME_ZONE: there is no time zone {TIME_ZONE!r}; try Europe/Berlin or UTC.")

# ---- API ----------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "kernel.api.access.BearerToken",
        "kernel.api.access.Session",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["kernel.api.access.HasPermission"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["kernel.api.inputs.PlainJson"],
    "DEFAULT_PAGINATION_CLASS": "kernel.api.access.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "kernel.api.errors.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "TESA",
    "DESCRIPTION": "For programs: corpora and their instances, samples, campaigns and their reviews, releases, "
    "experiments and runs, jobs and workers. Create a token under Account → API tokens, send it as "
    "`Authorization: Bearer …`. A token may read, or read and make changes; it expires. "
    "Every error has one shape: `error.code`, `error.message`, `error.fields`.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"defaultModelsExpandDepth": -1},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "kernel.api.schema.describe_errors",
    ],
    "ENUM_NAME_OVERRIDES": {
        "JobStatusEnum": "kernel.models.JobStatus",
        "CampaignStatusEnum": [(state, state) for state in ("draft", "running", "paused", "closed")],
        "EntityTypeEnum": [(type_.value, type_.value) for type_ in EntityType],
        "ContextKindEnum": [("content", "content"), ("abstract", "abstract")],
        "NamesFromEnum": [(value, value) for value in ("tags", "recognition")],
        "NamesSettingEnum": [(value, value) for value in ("", "tags", "tags_or_recognition", "recognition")],
    },
}

# ---- Logs ---------------------------------------------------------------------------------------
LOG_FORMAT = env_choice("TESA_LOG_FORMAT", "json" if PRODUCTION else "text", ("text", "json"))
LOG_LEVEL = env_choice("TESA_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "kernel.logs.TextFormatter"},
        "json": {"()": "kernel.logs.JsonFormatter"},
    },
    "filters": {"no_probes": {"()": "kernel.logs.NoProbes"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"level": "ERROR", "filters": ["no_probes"]},  # a 404 is in the access line already
        "django.server": {"handlers": [], "propagate": True},
    },
}

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains, and
    "security.W021",  # its preload list: the owner of the domain decides, in their proxy
    "security.W002",  # X-Frame-Options is sent by tesa_site.middleware.security_headers, page by page
]
