"""Splitting a text at its balanced parentheses. Unbalanced ones are ordinary text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_PARENTHESIS = re.compile(r"[()]")
DEEPEST = 30  # groups nested deeper are ordinary text: nobody writes them, and recursion is limited


@dataclass
class Group:
    """The content of a pair of parentheses, or the whole text: strings and groups in order."""

    pieces: list[str | Group] = field(default_factory=list)
    cleaned: list[str] = field(default_factory=list)  # the pieces as text, after inner groups have been rendered

    def split(self, mark: str) -> list[str]:
        """Return the rendered text between the marks, ignoring marks inside inner parentheses."""
        parts = [""]
        for piece, text in zip(self.pieces, self.cleaned, strict=True):
            if isinstance(piece, Group):
                parts[-1] += text
            else:
                first, *rest = text.split(mark)
                parts[-1] += first
                parts += rest
        return parts


def parse(text: str) -> Group:
    """Return the whole text as a group."""
    partners = _partners(text)
    stack = [Group()]
    start = 0
    for position in sorted(partners):
        stack[-1].pieces.append(text[start:position])
        start = position + 1
        if partners[position] > position:
            stack.append(Group())
        else:
            inner = stack.pop()
            stack[-1].pieces.append(inner)
    stack[0].pieces.append(text[start:])
    return stack[0]


def _partners(text: str) -> dict[int, int]:
    """Return the position of the partner of each balanced parenthesis, in both directions."""
    partners: dict[int, int] = {}
    open_at: list[int] = []
    for match in _PARENTHESIS.finditer(text):
        position = match.start()
        if match[0] == "(":
            open_at.append(position)
        elif open_at:
            start = open_at.pop()
            if len(open_at) < DEEPEST:
                partners[start], partners[position] = position, start
    return partners


def render(group: Group, clean: Callable[[Group], str]) -> str:
    """Return the text with each group in it cleaned by `clean`; empty ones are removed with the blank before them."""
    group.cleaned = []
    for piece in group.pieces:
        if isinstance(piece, str):
            group.cleaned.append(piece)
            continue
        render(piece, clean)  # `clean` reads its cleaned pieces
        inside = clean(piece)
        if not inside:
            group.cleaned[-1] = group.cleaned[-1].removesuffix(" ")
        group.cleaned.append(f"({inside})" if inside else "")
    return "".join(group.cleaned)
