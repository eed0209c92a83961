"""A page as a person reads it."""

from __future__ import annotations

import html
import re


def text_of(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())
