"""Log lines: one event, one line."""

from __future__ import annotations

import json
import logging
import sys

from tesa_site.kernel.logs import JsonFormatter, TextFormatter, request_id


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
            told = formatter.format(line)
            assert secret not in told
            assert f"{below}/task/LP9Y…/answer/7/" in told


def test_a_line_names_the_request_it_belongs_to():
    token = request_id.set("abc12345")
    try:
        assert TextFormatter().format(record("hello")).endswith("tesa.access: hello request=abc12345")
        assert json.loads(JsonFormatter().format(record("hello")))["request"] == "abc12345"
    finally:
        request_id.reset(token)
