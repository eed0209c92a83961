"""A small wiki on this machine that speaks as much of the MediaWiki API as we use, and fails on demand."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Article:
    text: str
    page_id: int = 1
    revision_id: int = 10
    is_disambiguation: bool = False
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """What a request gets instead of its answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    delay_s: float = 0.0


TOO_MANY = Failure(429, {"Retry-After": "7"}, b"<html>slow down</html>")
BROKEN = Failure(500, body=b"<html>oops</html>")
GARBAGE = Failure(body=b"<html>not JSON at all</html>")
LAGGED = Failure(headers={"Retry-After": "3"}, body=b'{"error": {"code": "maxlag", "info": "Waiting for a database"}}')
REFUSED = Failure(body=b'{"error": {"code": "badvalue", "info": "Unrecognized value"}}')


@dataclass
class Wiki:
    """The wiki's articles and redirects; what was asked of it; what will go wrong next."""

    articles: dict[str, Article] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    search_results: dict[str, list[str]] = field(default_factory=dict)  # search words → titles
    failures: deque[Failure] = field(default_factory=deque)
    asked: list[dict[str, str]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    links_an_answer: int = 500
    url: str = ""
    server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Wiki:
        wiki = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wiki.serve(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/w/api.php"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self.server is not None
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        query = {key: values[0] for key, values in parse_qs(urlsplit(handler.path).query).items()}
        self.asked.append(query)
        self.agents.append(handler.headers["User-Agent"])
        failure = self.failures.popleft() if self.failures else None
        if failure:
            time.sleep(failure.delay_s)
        body = failure.body if failure else json.dumps(self.answer(query)).encode()
        handler.send_response(failure.status if failure else 200)
        for name, value in (failure.headers if failure else {}).items():
            handler.send_header(name, value)
        with suppress(ConnectionError):  # who asked may be gone
            handler.end_headers()
            handler.wfile.write(body)

    def answer(self, query: dict[str, str]) -> dict[str, Any]:
        assert (query["action"], query["format"], query["formatversion"]) == ("query", "json", "2")
        if query.get("list") == "search":
            titles = self.search_results.get(query["srsearch"], [])[: int(query["srlimit"])]
            return {"batchcomplete": True, "query": {"search": [{"ns": 0, "title": title} for title in titles]}}
        titles = query["titles"].split("|")
        if query["prop"] == "links":
            return self.links(titles[0], int(query.get("plcontinue", 0)))
        return {"batchcomplete": True, "query": self.pages(titles)}

    def links(self, title: str, start: int) -> dict[str, Any]:
        links = sorted(self.articles[title].links)
        stop = start + self.links_an_answer
        page = {"title": title, "links": [{"ns": 0, "title": link} for link in links[start:stop]]}
        answer: dict[str, Any] = {"query": {"pages": [page]}}
        if stop < len(links):
            answer["continue"] = {"plcontinue": str(stop), "continue": "||"}
        return answer

    def pages(self, titles: list[str]) -> dict[str, Any]:
        normalized = {title: title[0].upper() + title[1:].replace("_", " ") for title in titles}
        redirects, pages = {}, {}
        for title in normalized.values():
            target = title
            while target in self.redirects:
                redirects[target] = target = self.redirects[target]
            pages[target] = self.page(target)
        return {
            "normalized": [{"from": before, "to": after} for before, after in normalized.items() if before != after],
            "redirects": [{"from": before, "to": after} for before, after in redirects.items()],
            "pages": list(pages.values()),
        }

    def page(self, title: str) -> dict[str, Any]:
        article = self.articles.get(title)
        if article is None:
            return {"ns": 0, "title": title, "missing": True}
        page = {
            "pageid": article.page_id,
            "title": title,
            "extract": article.text,
            "canonicalurl": f"https://wiki.example/wiki/{title.replace(' ', '_')}",
            "revisions": [{"revid": article.revision_id, "parentid": 1}],
        }
        return {**page, "pageprops": {"disambiguation": ""}} if article.is_disambiguation else page
