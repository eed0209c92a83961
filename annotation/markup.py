"""Instructions as HTML: paragraphs, headings, lists, good and bad examples. Everything else is escaped text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

BOLD = re.compile(r"\*\*(.+?)\*\*")
# first characters → (kind of block, what a screen reader hears first)
ITEMS = {"- ": ("plain", ""), "+ ": ("good", "Good: "), "x ": ("bad", "Not good: ")}


def to_html(text: str) -> str:
    """Return the text as HTML. A line opening with "- ", "+ " or "x " is an item, with "# " a heading."""
    return "".join(_blocks(text.strip().splitlines()))


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(lines, key=_kind):
        block = list(group)
        if kind == "heading":
            yield from (f"<h3>{_inline(line[2:])}</h3>" for line in block)
        elif kind == "items":
            yield f'<ul class="examples">{"".join(_item(line) for line in block)}</ul>'
        elif kind == "text":
            yield f"<p>{_inline(' '.join(line.strip() for line in block))}</p>"


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    if line.startswith("# "):
        return "heading"
    return "items" if line[:2] in ITEMS else "text"


def _item(line: str) -> str:
    kind, spoken = ITEMS[line[:2]]
    heard = f'<span class="visually-hidden">{spoken}</span>' if spoken else ""
    return f'<li class="examples__{kind}">{heard}{_inline(line[2:])}</li>'


def _inline(text: str) -> str:
    return BOLD.sub(r"<strong>\1</strong>", escape(text.strip()))
