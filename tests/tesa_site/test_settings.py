"""Settings: a bad value names itself and stops; production refuses what is unsafe."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import secrets
import string
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tesa_site import env
from tesa_site.secret_key import FEWEST_BITS, random_bits

ROOT = Path(__file__).parent.parent.parent
SAFE = {
    "TESA_PRODUCTION": "true",
    "TESA_SECRET_KEY": secrets.token_urlsafe(64).replace("demo", "0000"),
    "TESA_PUBLIC_URL": "https://tesa.example.org",
    "TESA_DATABASE_URL": "postgres://tesa@127.0.0.1/tesa",
    "TESA_EMAIL_URL": "smtp://u:p@mail.example.org:587",
    "TESA_TRUSTED_PROXIES": "1",
}


def manage(*arguments: str, var: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TESA_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**clean, "TESA_VAR": str(var), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def the_first_and_thoroughly_all(cases: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [cases[0], *(pytest.param(*case, marks=pytest.mark.thorough) for case in cases[1:])]


def read_settings(monkeypatch: pytest.MonkeyPatch, var: Path, **variables: str) -> None:
    """Read the settings in this process, as a new one would."""
    for name in [name for name in os.environ if name.startswith(("TESA_", "DJANGO_"))]:
        monkeypatch.delenv(name)
    for name, value in {"TESA_VAR": str(var), **variables}.items():
        monkeypatch.setenv(name, value)
    runpy.run_path(str(ROOT / "tesa_site" / "settings.py"))


BAD = [
    ("TESA_PORT", "eighty", "TESA_PORT must be a whole number, not 'eighty'."),
    ("TESA_PORT", "70000", "TESA_PORT must be between 1 and 65535, not 70000."),
    ("TESA_DEBUG", "maybe", "TESA_DEBUG must be true or false, not 'maybe'."),
    ("TESA_DATABASE_URL", "mysql://x/y", "TESA_DATABASE_URL must look like postgres://"),
    ("TESA_REDIS_URL", "http://x", "TESA_REDIS_URL must start with redis:// or rediss://"),
    ("TESA_PUBLIC_URL", "tesa.example.org", "TESA_PUBLIC_URL must start with http:// or https://"),
    ("TESA_EMAIL_URL", "mail.example.org", "TESA_EMAIL_URL must look like smtp://"),
    ("TESA_PUBLIC_URL", "http://[::1", "TESA_PUBLIC_URL is not a URL: Invalid IPv6 URL."),
    ("TESA_EMAIL_URL", "smtp://mail.example.org:abc", "TESA_EMAIL_URL is not a URL: Port could not be cast"),
    ("TESA_TIME_ZONE", "Mars/Phobos", "TESA_TIME_ZONE: there is no time zone 'Mars/Phobos'"),
    ("TESA_HEARTBEAT_SECONDS", "30", "TESA_LOST_AFTER_SECONDS must allow for two heartbeats"),
    ("TESA_LOG_FORMAT", "xml", "TESA_LOG_FORMAT must be one of text, json, not 'xml'."),
    ("TESA_REQUIRED_QUEUES", "default,tpu", "TESA_REQUIRED_QUEUES: unknown queue 'tpu'"),
    ("TESA_SECRET_KEY_FILE", "/nowhere/key", "TESA_SECRET_KEY_FILE: cannot read /nowhere/key"),
]


@pytest.mark.parametrize(("name", "value", "sentence"), BAD)
def test_a_bad_value_names_itself(monkeypatch, tmp_path, name, value, sentence):
    with pytest.raises(ImproperlyConfigured, match=f"^{re.escape(sentence)}"):
        read_settings(monkeypatch, tmp_path, **{name: value})


@pytest.mark.parametrize(("name", "value", "sentence"), the_first_and_thoroughly_all(BAD))
@pytest.mark.processes
def test_a_bad_value_stops_a_command_with_its_sentence(tmp_path, name, value, sentence):
    done = manage("check", var=tmp_path, **{name: value})

    assert done.returncode == 1
    assert done.stderr.startswith(f"tesa: {sentence}")
    assert "Traceback" not in done.stderr


UNSAFE = [
    ({"TESA_DEBUG": "true"}, "TESA_DEBUG must be off"),
    ({"TESA_SECRET_KEY": ""}, "TESA_SECRET_KEY must have at least 50 random characters"),
    ({"TESA_SECRET_KEY": "short"}, "TESA_SECRET_KEY must have at least 50 random characters"),
    ({"TESA_SECRET_KEY": "change-me-" * 10}, "TESA_SECRET_KEY must have at least 50 random characters"),
    ({"TESA_SECRET_KEY": "k" * 64}, "TESA_SECRET_KEY must have at least 50 random characters"),
    ({"TESA_ALLOWED_HOSTS": "*"}, "TESA_ALLOWED_HOSTS may not contain *"),
    ({"TESA_PUBLIC_URL": ""}, "TESA_PUBLIC_URL must be set in production"),
]


@pytest.mark.parametrize(("change", "sentence"), UNSAFE)
def test_production_refuses_what_is_unsafe(monkeypatch, tmp_path, change, sentence):
    with pytest.raises(ImproperlyConfigured, match=f"^{re.escape(sentence)}"):
        read_settings(monkeypatch, tmp_path, **SAFE | change)


@pytest.mark.parametrize(("change", "sentence"), the_first_and_thoroughly_all(UNSAFE))
@pytest.mark.processes
def test_what_is_unsafe_in_production_stops_a_command(tmp_path, change, sentence):
    done = manage("check", var=tmp_path, **SAFE | change)

    assert (done.returncode, done.stderr.startswith(f"tesa: {sentence}")) == (1, True), done.stderr


@pytest.mark.processes
def test_a_complete_production_passes_the_deployment_checks(tmp_path):
    done = manage("check", "--deploy", "--fail-level", "WARNING", var=tmp_path, **SAFE)

    assert done.returncode == 0, done.stderr


@pytest.mark.processes
def test_the_deployment_checks_warn_of_a_laptop_s_set_up(tmp_path):
    incomplete = SAFE | {"TESA_EMAIL_URL": "", "TESA_DATABASE_URL": "", "TESA_PUBLIC_URL": "http://tesa.example.org"}
    done = manage("check", "--deploy", var=tmp_path, **incomplete)

    assert all(code in done.stderr for code in ("tesa.W002", "tesa.W003", "tesa.W004"))


@pytest.mark.processes
def test_the_demo_never_enters_production(tmp_path):
    done = manage("demo", var=tmp_path, **SAFE)

    assert "never added to a production installation" in done.stderr


@pytest.mark.processes
def test_a_laptop_s_secret_is_made_once_and_readable_by_its_owner_alone(tmp_path):
    code = "from django.conf import settings; print(settings.SECRET_KEY)"
    first, second = (manage("shell", "-v0", "-c", code, var=tmp_path).stdout for _ in range(2))

    assert first == second
    assert len(first.strip()) > 60
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


@pytest.mark.processes
@pytest.mark.parametrize("command", ["migrate", pytest.param("prepare", marks=pytest.mark.thorough)])
def test_what_a_command_creates_is_readable_by_its_owner_alone(tmp_path, command):
    before = os.umask(0o022)
    try:
        done = manage(command, var=tmp_path / "var")
    finally:
        os.umask(before)

    assert done.returncode == 0, done.stderr
    paths = [tmp_path / "var", *(tmp_path / "var").rglob("*")]
    assert tmp_path / "var" / "tesa.sqlite3" in paths
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize(
    "key",
    ["k" * 64, "ab" * 32, "1234567890" * 6, "abcdefghijklmnopqrstuvwxyz" * 2, "qwertyuiop" * 6, "k" * 63 + "y", ""],
)
def test_a_key_that_somebody_could_guess_is_told_from_a_random_one(key):
    assert random_bits(key) < FEWEST_BITS


@pytest.mark.parametrize("alphabet", [string.digits, "0123456789abcdef", string.ascii_letters + string.digits + "-_"])
def test_a_random_key_is_never_refused(alphabet):
    keys = ["".join(random.Random(seed).choices(alphabet, k=50)) for seed in range(500)]

    assert min(random_bits(key) for key in keys) >= FEWEST_BITS


@pytest.mark.processes
def test_a_sub_path_of_the_public_address_is_used_in_links(tmp_path):
    code = (
        "from django.urls import reverse; from django.conf import settings; print(reverse('jobs'), settings.STATIC_URL)"
    )
    done = manage("shell", "-v0", "-c", code, var=tmp_path, TESA_PUBLIC_URL="https://example.org/tesa/")

    assert done.stdout.split() == ["/tesa/jobs/", "/tesa/static/"]


def test_a_database_address_is_read_with_its_escapes():
    database = env.database_from_url("X", "postgres://us%40er:p%3Aw@db.example.org:5433/name?sslmode=require")

    wanted = {"USER": "us@er", "PASSWORD": "p:w", "HOST": "db.example.org", "PORT": "5433", "NAME": "name"}
    assert {key: database[key] for key in wanted} == wanted
    assert database["OPTIONS"] == {**env.POSTGRESQL_TIMES, "sslmode": "require"}


def test_a_secret_may_lie_in_a_file(tmp_path, monkeypatch):
    (tmp_path / "key").write_text("from a file\n")
    monkeypatch.setenv("TESA_THING_FILE", str(tmp_path / "key"))

    assert env.env_secret("TESA_THING") == "from a file"


@pytest.mark.processes
def test_logs_are_json_where_machines_read_them(tmp_path):
    code = "import logging; logging.getLogger('x').warning('a b=%s', 1)"
    done = manage("shell", "-v0", "-c", code, var=tmp_path, TESA_LOG_FORMAT="json")

    entry = json.loads(done.stderr)
    assert (entry["level"], entry["logger"], entry["message"]) == ("WARNING", "x", "a b=1")


@pytest.mark.processes
def test_a_command_whose_reader_left_ends_without_a_traceback(tmp_path):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TESA_", "DJANGO_"))}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "diffsettings"],
        cwd=ROOT,
        env={**clean, "TESA_VAR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()

    errors = process.stderr.read().decode()
    assert process.wait(60) == 141
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors
