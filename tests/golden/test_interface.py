"""The addresses of the product, who may visit them, and the description of its API stay as recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from kernel.roles import Role
from tests.golden import golden
from tests.make import make_user
from tests.tesa_site.access_matrix import MATRIX, REVIEW

WORDS = ("description", "summary", "title", "version")


def routes(resolver: URLResolver, before: str = "", namespace: str = "") -> Iterator[tuple[str, str]]:
    """Yield the address and the name of every page."""
    for pattern in resolver.url_patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, address, f"{pattern.namespace}:" if pattern.namespace else namespace)
        elif isinstance(pattern, URLPattern):
            yield address, f"{namespace}{pattern.name}"


def permission_row(name: str) -> str | None:
    """Return a method and what it answers anonymous people, annotators, researchers and administrators.

    None for pages that Django's admin makes for each model beside the list.
    """
    if name in MATRIX:
        method, *statuses = MATRIX[name]
        return " ".join(map(str, (method, *statuses)))
    own = name.removeprefix("admin:")
    if own in REVIEW:
        method, status = REVIEW[own]
        return f"{method} 302 403 {status} {status}"
    return "get 302 403 - 200" if own.endswith("_changelist") or own in ("index", "backgrounds") else None


def without_words(value: Any) -> Any:
    """Return a description without its prose."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in WORDS or not isinstance(v, str)}
        return {k: without_words(v) for k, v in kept.items()}
    return [without_words(item) for item in value] if isinstance(value, list) else value


def words(value: Any, place: str = "") -> Iterator[str]:
    """Yield a line for each piece of prose in a description, with its place."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if key in WORDS and isinstance(inner, str):
            yield f"{place}\t{key}\t{json.dumps(inner, ensure_ascii=False)}\n"
        else:
            yield from words(inner, f"{place} {key}".strip())


def test_addresses_and_their_permission_rows():
    rows = [(address, name, permission_row(name)) for address, name in routes(get_resolver())]

    golden.check("urls.tsv", "".join(sorted(f"/{address}\t{name}\t{row}\n" for address, name, row in rows if row)))


@pytest.mark.django_db
def test_the_description_of_the_api(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    schema = client.get("/api/schema/?format=json").json()

    schema["info"].pop("version")
    golden.check("openapi.json", json.dumps(without_words(schema), indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    golden.check("openapi_words.tsv", "".join(sorted(words(schema))))
