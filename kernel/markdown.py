"""Escape text that somebody typed, so that a Markdown file shows it as typed, without mark-up or HTML."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*\[\]<>|~#&$]|(?<![^\W_])_|_(?![^\W_])")  # _ inside a word is plain text
_LIST_OR_RULE = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))|^(?=[-+](?:\s|$)|-+$)")


def escaped(text: str) -> str:
    """Escape a text for use within a line; line breaks become spaces."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


def escaped_paragraphs(text: str) -> str:
    """Escape a text of paragraphs separated by blank lines."""
    paragraphs = (escaped(paragraph) for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return "\n\n".join(_LIST_OR_RULE.sub(r"\1\\", paragraph) for paragraph in paragraphs if paragraph)
