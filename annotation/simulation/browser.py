"""The least of a browser: keep-alive, forms, redirects, and reading a page.

The task's pages need no cookie, so it keeps cookies only if it is asked to. Of a page it reads elements and attributes:
what the page says to people can be reworded at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

TIMEOUT_S = 60


@dataclass(frozen=True)
class Reply:
    status: int  # 0: no answer came
    text: str
    path: str = ""  # where the redirects ended


class Browser:
    def __init__(self, url: str, *, keeps_cookies: bool = False) -> None:
        parts = urlsplit(url)
        self.url, self.cookies = url, dict[str, str]() if keeps_cookies else None
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=TIMEOUT_S)

    def get(self, path: str) -> Reply:
        return self._ask("GET", path)

    def post(self, path: str, form: Mapping[str, str]) -> Reply:
        return self._ask("POST", path, urlencode(form).encode())

    def _ask(self, method: str, path: str, body: bytes | None = None, left: int = 5) -> Reply:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        if self.cookies is not None:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            headers["Referer"] = self.url + path
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
        if self.cookies is not None:
            for line in response.headers.get_all("Set-Cookie", ()):
                self.cookies |= {name: cookie.value for name, cookie in SimpleCookie(line).items()}
        if response.status in (301, 302, 303) and left:
            return self._ask("GET", path_of(response.headers["Location"]), None, left - 1)
        return Reply(response.status, text, path)

    def close(self) -> None:
        self.connection.close()


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")


SWITCHES = ("checkbox", "radio")


@dataclass
class LoadedForm:
    action: str
    attributes: dict[str, str]
    fields: dict[str, str] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)  # names of fields that people write into


@dataclass
class LoadedPage:
    html: str = ""
    heading: str = ""
    outcome: str = ""  # of the last submit: stored, repeated or late; nothing when the page follows none
    forms: list[LoadedForm] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)  # their addresses
    can_wait: bool = False  # others hold the last tasks

    @property
    def task(self) -> LoadedForm | None:
        return next((form for form in self.forms if "data-assignment" in form.attributes), None)

    @property
    def assignment(self) -> int:
        return int(self.task.attributes["data-assignment"]) if self.task else 0

    def form_to(self, ending: str) -> LoadedForm | None:
        return next((form for form in self.forms if form.action.endswith(ending)), None)


class ElementReader(HTMLParser):
    """Knows which elements the text it meets is in."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[tuple[str, frozenset[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = frozenset(attributes.get("class", "").split())
        self.element(tag, attributes, classes)
        if tag not in self.VOID:
            self.stack.append((tag, classes))

    def element(self, tag: str, attributes: dict[str, str], classes: frozenset[str]) -> None:
        """Meet an element, before anything inside it."""

    def handle_endtag(self, tag: str) -> None:
        while self.stack:
            if self.stack.pop()[0] == tag:
                return

    def is_inside(self, what: str) -> bool:
        """True inside an element with this tag or class."""
        return any(what == tag or what in classes for tag, classes in self.stack)


class _Reader(ElementReader):
    def __init__(self) -> None:
        super().__init__()
        self.page = LoadedPage()
        self.textarea = ""

    def element(self, tag: str, attributes: dict[str, str], classes: frozenset[str]) -> None:
        self.page.outcome = attributes.get("data-outcome", self.page.outcome)
        self.page.can_wait = self.page.can_wait or attributes.get("data-idle") == "wait"
        if tag == "iframe":
            self.page.frames.append(attributes.get("src", ""))
        if tag == "form":
            self.page.forms.append(LoadedForm(attributes.get("action", ""), attributes))
        if tag == "button" and "formaction" in attributes:  # the same form, sent elsewhere
            self.page.forms.append(LoadedForm(attributes["formaction"], attributes))
        if not self.page.forms or not self.is_inside("form"):
            return
        if tag == "input":
            self._input(attributes)
        if tag == "textarea":
            self.textarea = attributes.get("name", "")
            self.page.forms[-1].fields[self.textarea] = ""
            self.page.forms[-1].typed.add(self.textarea)

    def _input(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        is_off = attributes.get("type") in SWITCHES and "checked" not in attributes
        if not name or is_off:
            return
        form, value = self.page.forms[-1], attributes.get("value", "on")
        is_one_more = attributes.get("type") == "checkbox" and name in form.fields
        form.fields[name] = f"{form.fields[name]} {value}" if is_one_more else value
        if attributes.get("type", "text") == "text":
            form.typed.add(name)

    def handle_data(self, data: str) -> None:
        if self.is_inside("textarea") and self.textarea:
            fields = self.page.forms[-1].fields
            text = fields[self.textarea]
            fields[self.textarea] = text + (data if text else data.removeprefix("\n"))  # a browser drops the first
        elif self.is_inside("h1") and not self.is_inside("passage__title"):
            self.page.heading += data.strip()


def read_page(text: str) -> LoadedPage:
    reader = _Reader()
    reader.feed(text)
    reader.page.html = text
    return reader.page
