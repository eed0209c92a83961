"""The least of a browser: keep-alive, forms, redirects. It remembers nothing, as the worker's pages need no cookie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlencode, urlsplit

TIMEOUT_S = 60


@dataclass(frozen=True)
class Reply:
    status: int  # 0: no answer came
    text: str


class Browser:
    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=TIMEOUT_S)

    def get(self, path: str) -> Reply:
        return self._ask("GET", path)

    def post(self, path: str, form: Mapping[str, str]) -> Reply:
        return self._ask("POST", path, urlencode(form).encode())

    def _ask(self, method: str, path: str, body: bytes | None = None, left: int = 5) -> Reply:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        is_kept_alive = self.connection.sock is not None
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, HTTPException) as error:
            self.connection.close()
            # The server may have closed an idle connection meanwhile: like a browser, send it again over a new one.
            # A submit counts once, so the worker's pages can take one that arrives twice.
            is_worth_it = left and (method == "GET" or is_kept_alive)
            return self._ask(method, path, body, left - 1) if is_worth_it else Reply(0, repr(error))
        if response.status in (301, 302, 303) and left:
            where = urlsplit(response.headers["Location"])
            return self._ask("GET", where.path + (f"?{where.query}" if where.query else ""), None, left - 1)
        return Reply(response.status, text)

    def close(self) -> None:
        self.connection.close()
