"""The content security policy, and the three rules of it that a page may loosen."""

from __future__ import annotations

import re
from collections.abc import Iterable

ORIGIN = re.compile(
    r"'self'|https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?|http://(localhost|127\.0\.0\.1)(:[0-9]{1,5})?"
)
SAME_FOR_ALL = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
)


def content_security_policy(
    *, form_targets: Iterable[str] = (), frame_ancestors: Iterable[str] = (), frames: Iterable[str] = ()
) -> str:
    """Return a policy that lets forms go to our own host and `form_targets`.

    Only `frame_ancestors` may frame the page, and only `frames` may be shown in frames of it.
    """
    framed = _origins(frames)
    rules = (
        *SAME_FOR_ALL,
        " ".join(("form-action 'self'", *_origins(form_targets))),
        " ".join(("frame-ancestors", *(_origins(frame_ancestors) or ("'none'",)))),
        "base-uri 'none'",
        *((" ".join(("frame-src", *framed)),) if framed else ()),
    )
    return "; ".join(rules)


def _origins(names: Iterable[str]) -> tuple[str, ...]:
    names = tuple(names)
    for name in names:
        if not ORIGIN.fullmatch(name):
            raise ValueError(f"{name!r} is not an origin such as https://site.example")
    return names
