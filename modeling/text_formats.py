"""An item as one sequence of words, the input of BART. The names are the original's.

v0      backgrounds, title and context, entities: the paper's
v1–v4   the same with a mark before each piece
va      v0 without backgrounds        vb      v0 without the article        vc      entities only
"""

from __future__ import annotations

from dataclasses import dataclass

from kernel.errors import InvalidInput
from modeling.items import Item

MAX_WORDS = 750


@dataclass(frozen=True)
class TextFormat:
    """`marks` precede a background, an article and the entities; without marks, the title ends with a colon."""

    marks: tuple[str, str, str] | None = None
    backgrounds: bool = True
    article: bool = True


FORMATS = {
    "v0": TextFormat(),
    "v1": TextFormat(("§", "£", "µ")),
    "v2": TextFormat(("Information:", "Article:", "Entity:")),
    "v3": TextFormat(("<w>", "<a>", "<e>")),
    "v4": TextFormat(("W", "A", "E")),
    "va": TextFormat(backgrounds=False),
    "vb": TextFormat(article=False),
    "vc": TextFormat(backgrounds=False, article=False),
}


def format_item(item: Item, name: str = "v0", *, max_words: int = MAX_WORDS) -> str:
    """Return the last `max_words` words of the item on one line; the beginning of the backgrounds is cut first."""
    if name not in FORMATS:
        raise InvalidInput(f"unknown text format {name!r}; known: {', '.join(FORMATS)}")
    how = FORMATS[name]
    background, article, entity = how.marks or ("", "", "")
    pieces: list[str] = []
    if how.backgrounds:
        pieces += [f"{background} {text}" for text in item.backgrounds if text]
    if how.article:
        end = "." if how.marks else ":"
        pieces.append(f"{article} {item.title}{end} {item.context}")
    pieces += [f"{entity} {name}" for name in item.entities] if how.marks else [", ".join(item.entities)]
    words = " ".join(pieces).split()
    return " ".join(words[max(len(words) - max_words, 0) :])
