"""Text that somebody typed, put into a Markdown file so that it reads as typed and is neither mark-up nor HTML."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*\[\]<>|~#&$]|(?<!\w)_|_(?!\w)")  # inside a word _ means nothing
# At the start of a line these make a list, a rule or a heading of what stands around them.
_AT_START = re.compile(r"^(\d{1,9})(?=[.)])|^(?=[-+=:])", re.MULTILINE)


def escaped(text: str) -> str:
    """Return a text for the middle of a line; line breaks become spaces."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


def escaped_paragraphs(text: str) -> str:
    """Return a text of several paragraphs, which blank lines separate."""
    found = (escaped(paragraph) for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return "\n\n".join(_AT_START.sub(r"\1\\", paragraph) for paragraph in found if paragraph)
