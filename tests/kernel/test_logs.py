"""Log lines: one event, one line."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.urls import URLResolver, get_resolver
from gunicorn.config import Config

from kernel.logs import SECRET_ROUTES, JsonFormatter, TextFormatter, redacted, request_id
from kernel.services import jobs as services
from tesa_site.web_log import WebLog
from tests.make import make_running_job

# Text in an address that is no secret. Any other is taken for one: a new name needs a decision here.
PUBLIC_TEXT = {"action", "app_label", "format", "key", "kind", "name", "uidb64", "url"}
TEXT_PARAMETER = re.compile(r"<(?:(?!int:)\w+:)?((?!\w*id>)\w+)>")  # what ends in "id" is a row's number


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("tesa.access", logging.INFO, "file", 1, message, None, None)


def test_what_a_stranger_typed_cannot_start_a_line_of_its_own():
    line = TextFormatter().format(record("GET /x\n04:00:00 error forged\x1b[2J"))

    assert "\n" not in line
    assert "\x1b" not in line
    assert "\\x0a04:00:00 error forged\\x1b" in line


def test_no_line_holds_an_annotators_key_wherever_it_comes_from():
    secret = "LP9Yq0vX-_wTk3mZbA7c2e"
    for below in ("", "/tesa"):
        line = record(f"Internal Server Error: {below}/task/{secret}/answer/7/")
        try:
            raise ValueError(f"{below}/task/{secret}/")
        except ValueError:
            line.exc_info = sys.exc_info()
        for formatter in (TextFormatter(), JsonFormatter()):
            text = formatter.format(line)
            assert secret not in text
            assert f"{below}/task/LP9Y…/answer/7/" in text


def routes(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        else:
            yield route


def secret_routes() -> list[str]:
    return [route for route in routes(get_resolver()) if set(TEXT_PARAMETER.findall(route)) - PUBLIC_TEXT]


def filled(route: str, secret: str) -> str:
    """Return an address of this route with the secret in the place of each text that may be one."""
    text = TEXT_PARAMETER.sub(lambda match: "MQ" if match[1] in PUBLIC_TEXT else secret, route)
    return re.sub(r"<int:\w+>", "7", text)


def test_the_resolver_knows_addresses_that_hold_secrets():
    assert {"/task/<str:secret>/", "/task/join/<str:code>/", "/account/forgot/<uidb64>/<token>/"} <= {*secret_routes()}


@pytest.mark.parametrize("route", secret_routes())
@pytest.mark.parametrize("length", [8, 22, 39, 200])
def test_no_address_of_the_product_shows_its_secret(route, length):
    secret = secrets.token_urlsafe(length)[:length]
    address = filled(route, secret)

    for text in (
        redacted(address),
        redacted(redacted(address)),
        redacted(f"https://tesa.example.org/tesa{address}?x={quote(address, safe='')} and {address}"),
        JsonFormatter().format(record(f'at "{address}"\nand {address}')),
    ):
        assert secret not in text
        assert length == 8 or secret[4:12] not in text


@pytest.mark.parametrize("rule", SECRET_ROUTES)
def test_every_rule_about_secrets_belongs_to_a_route(rule):
    assert any(re.match("/" + rule, filled(route, "LP9Yq0vX-_wTk3mZbA7c2e")) for route in secret_routes())


@pytest.mark.parametrize("address", ["/task/start/7/", "/account/forgot/sent/", "/jobs/backups/tesa.tar.gz", "/task/"])
def test_an_address_without_a_secret_is_logged_as_it_is(address):
    assert redacted(address) == address


DETAIL = (
    'null value in column "x" violates not-null constraint\n'
    "DETAIL:  Failing row contains (7, LP9Yq0vX-_wTk3mZbA7c2e, IBAN DE00 1234,\nsecond line, null).\n"
)
UNIQUE = "duplicate key\nDETAIL:  Key (provider, external_id)=(prolific, 5f01 (a)) already exists.\n"


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_rows_that_a_database_quotes_are_not_logged(formatter):
    line = record(f"not saved error={UNIQUE}")
    try:
        try:
            raise ValueError(DETAIL)
        except ValueError as error:
            raise RuntimeError("afterwards") from error
    except RuntimeError:
        line.exc_info = sys.exc_info()

    text = formatter.format(line)

    assert not [word for word in ("LP9Y", "IBAN", "second line", "5f01") if word in text]
    assert "Failing row contains (…)" in text
    assert "Key (provider, external_id)=(…) already exists." in text
    assert "RuntimeError: afterwards" in text  # what stands after it is kept


@pytest.mark.django_db
def test_a_failed_job_does_not_keep_the_row_that_a_database_quoted():
    job = make_running_job()

    services.fail_job(job, f"IntegrityError: {DETAIL}", f"Traceback …\n{DETAIL}")

    job.refresh_from_db()
    assert "IBAN" not in job.error + job.traceback
    assert job.error.startswith("IntegrityError: null value in column")


def test_what_the_web_server_itself_logs_shows_no_secret(capsys):
    log = WebLog(Config())
    for handler in log.error_log.handlers:
        handler.setStream(sys.stderr)

    log.error("Error handling request %s", "/task/join/LP9Yq0vX-_wTk3mZbA7c2e/?PROLIFIC_PID=5f0000000000000000000001")

    output = capsys.readouterr().err
    assert "Error handling request /task/join/LP9Y…/" in output
    assert "LP9Yq" not in output
    assert "5f0000" not in output


def test_a_line_names_the_request_it_belongs_to():
    token = request_id.set("abc12345")
    try:
        assert TextFormatter().format(record("hello")).endswith("tesa.access: hello request=abc12345")
        assert json.loads(JsonFormatter().format(record("hello")))["request"] == "abc12345"
    finally:
        request_id.reset(token)
