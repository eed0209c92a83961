"""How the processor time of what people may make long grows with its length, and what a typical article takes.

    python -m benchmarks.scaling

Each text is tried at a length and at four times that. A ratio of 4 is linear time, one of 16 quadratic.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.cpu import best_ms
from corpus.articles import EntityType
from corpus.contexts import find_contexts, read_article
from corpus.mentions import Named, build_index, find_mentions
from corpus.sentences import split_paragraphs, split_sentences
from corpus.tuples import find_tuples

TIMES, MOST = 4, 6.0
MARKS = (".", ". ", "!?", "…", '."', " ", "(", "a.", "A. ", ". [1]", '!" B ')
NAMED = [
    Named("lind", EntityType.PERSON, "Tove B. Lind", ("Tove Lind", "T. B. Lind"), ("Lind",)),
    Named("arden", EntityType.LOCATION, "Arden", ("Arden City",)),
    Named("times", EntityType.ORGANIZATION, "Arden Times"),
]
Task = Callable[[int], object]


def sentences(marks: str, length: int) -> object:
    return split_sentences(marks * length)


def matches(pattern: str, length: int) -> object:
    return re.match(pattern, "a" * length + "\x00")


def mentions(length: int) -> object:
    paragraphs = ["Lind, Arden Times or Arden, " * length]
    return find_mentions(build_index(NAMED), paragraphs, split_paragraphs(paragraphs))


def tasks() -> Iterator[tuple[str, int, Task]]:
    """Yield (what it is, a length, what is called with a length)."""
    from kernel.api import inputs

    for marks in MARKS:
        yield f"sentences of {marks!r} in a row", 50_000, partial(sentences, marks)
    yield "mentions in one sentence", 5_000, mentions
    for name in ("NAME", "ONE_LINE", "PARAGRAPH", "TEXT"):
        yield f"a text against {name}", 300_000, partial(matches, getattr(inputs, name))


def article_of_900_words() -> object:
    people = [
        Named(f"p{n}", EntityType.PERSON, f"Tove{n} B. Lind{n}", (f"Tove{n} Lind{n}",), (f"Lind{n}",))
        for n in range(10)
    ]
    paragraphs = ["Mr. Lind3 met Tove4 Lind4 at the town hall of Arden. Nobody else was there, he said."] * 50
    return find_mentions(build_index(people), paragraphs, split_paragraphs(paragraphs))


def article_with_18_people() -> Callable[[], object]:
    people = [Named(f"p{n}", EntityType.PERSON, f"Tove{n} Lind{n}", (), (f"Lind{n}",)) for n in range(18)]
    types = {person.key: person.type for person in people}
    listing = "They were " + ", ".join(person.canonical for person in people) + "."
    paragraphs = [listing, *(f"Mr. Lind{n} met Mr. Lind{(n * 7 + 3) % 18}. Nobody spoke." for n in range(18))]
    reading = read_article(build_index(people), "", paragraphs, abstract=listing)

    def search() -> object:
        pairs = find_tuples(reading, types, article_id="a", seed=1).tuples
        return [find_contexts(reading, entity_tuple.entities) for entity_tuple in pairs]

    return search


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    print(f"{'mentions in an article of 900 words':42} {best_ms(article_of_900_words):8.1f} ms (target 20)")
    print(f"{'tuples and contexts of 18 people':42} {best_ms(article_with_18_people()):8.1f} ms (target 200)")
    for name, length, task in tasks():
        short, long = (best_ms(partial(task, size), 3) for size in (length, TIMES * length))
        ratio = long / max(short, 0.01)
        print(
            f"{name:42} {short:8.1f} ms, {TIMES} × the length {ratio:5.1f} × the time (target {MOST:.0f})", flush=True
        )


if __name__ == "__main__":
    main()
