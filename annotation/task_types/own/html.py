"""What people read of an item: its texts, each in its language and under its heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

TITLE = "title"  # the text that stands above the others


def item_html(texts: Mapping[str, str], shown: Sequence[tuple[str, str]], task: Any) -> str:
    """Return these texts, each with its name in `data-text`; `shown` are (name, heading)."""
    wording = task.texts
    language = f'lang="{escape(wording.language)}" dir="{wording.written}"'
    present = [(name, heading) for name, heading in shown if texts.get(name, "").strip()]
    blocks = [_block(name, heading, texts[name], language) for name, heading in present]
    if (TITLE, "") not in present:  # the page needs a heading for those who cannot see it
        blocks.insert(0, f'<h1 class="visually-hidden">{escape(task.name)}</h1>')
    return f'<div class="own passage">{"".join(blocks)}</div>'


def _block(name: str, heading: str, text: str, language: str) -> str:
    named = f'data-text="{escape(name)}" {language}'
    if name == TITLE and not heading:
        return f'<h1 class="passage__title wraps" {named}>{escape(text)}</h1>'
    above = f'<h2 class="own__label">{escape(heading)}</h2>' if heading else ""
    return f'{above}<div class="own__text wraps" {named}><p>{escape(text)}</p></div>'
