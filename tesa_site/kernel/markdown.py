"""Text that somebody typed, put into a Markdown file so that it reads as typed and is neither mark-up nor HTML."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*\[\]<>|~#&$]|(?<![^\W_])_|_(?![^\W_])")  # inside a word _ means nothing
_LIST_OR_RULE = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))|^(?=[-+](?:\s|$)|-+$)")


def escaped(text: str) -> str:
    """Return a text for the middle of a line; line breaks become spaces."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


def escaped_paragraphs(text: str) -> str:
    """Return a text of several paragraphs, which blank lines separate."""
    found = (escaped(paragraph) for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return "\n\n".join(_LIST_OR_RULE.sub(r"\1\\", paragraph) for paragraph in found if paragraph)
