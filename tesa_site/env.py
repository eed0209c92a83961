"""Typed readers of environment variables. A bad value raises an error that names the variable; nothing is guessed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# An unreachable server is noticed within half a minute; by default, libpq waits for hours.
POSTGRESQL_TIMES = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class SettingError(ImproperlyConfigured):
    """A TESA_* variable is missing or invalid; the message says which, and what to do."""


def env(name: str, default: str = "") -> str:
    """Return the variable, or the default if it is unset or blank."""
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, *, default: bool) -> bool:
    value = env(name).lower()
    if not value:
        return default
    if value not in TRUE | FALSE:
        raise SettingError(f"{name} must be true or false, not {value!r}.")
    return value in TRUE


def env_int(name: str, default: int, *, low: int, high: int) -> int:
    value = env(name, str(default))
    try:
        number = int(value)
    except ValueError:
        raise SettingError(f"{name} must be a whole number, not {value!r}.") from None
    if not low <= number <= high:
        raise SettingError(f"{name} must be between {low} and {high}, not {number}.")
    return number


def env_list(name: str, default: list[str] | None = None) -> list[str]:
    """Return the comma-separated parts without blank ones."""
    return [part.strip() for part in env(name).split(",") if part.strip()] or list(default or [])


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = env(name, default)
    if value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return value


def env_secret(name: str) -> str:
    """Return the variable, or the content of the file that NAME_FILE names (as Docker secrets are mounted)."""
    path = env(f"{name}_FILE")
    if not path:
        return env(name)
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        raise SettingError(f"{name}_FILE: cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise SettingError(f"{name}_FILE: {path} is not text.") from None


def env_url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return the URL without a trailing slash. It may contain a password, so errors do not repeat it."""
    value = env(name, default)
    if value and (split(name, value).scheme not in schemes or "//" not in value):
        raise SettingError(f"{name} must start with {' or '.join(s + '://' for s in schemes)}.")
    return value.rstrip("/")


def split(name: str, url: str) -> SplitResult:
    """Return the parts of a URL; raise SettingError if its host or port cannot be read."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError as error:
        raise SettingError(f"{name} is not a URL: {error}.") from None
    return parts


def database_from_url(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings for postgres://user:password@host:port/name?sslmode=require."""
    parts = split(name, url)
    database = unquote(parts.path.lstrip("/"))
    if parts.scheme not in {"postgres", "postgresql"} or not database:
        raise SettingError(f"{name} must look like postgres://user:password@host:5432/name.")
    return {
        "ENGINE": "kernel.databases.postgresql",
        "NAME": database,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": {**POSTGRESQL_TIMES, **dict(parse_qsl(parts.query))},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def email_from_url(name: str, url: str) -> dict[str, Any]:
    """Return Django's EMAIL_* settings for smtp://user:password@host:587 (STARTTLS) or smtps:// (TLS at once)."""
    parts = split(name, url)
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
        raise SettingError(f"{name} must look like smtp://user:password@mail.example.org:587.")
    query = dict(parse_qsl(parts.query))
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp" and query.get("tls", "true").lower() in TRUE,
        "EMAIL_TIMEOUT": 15,
    }
