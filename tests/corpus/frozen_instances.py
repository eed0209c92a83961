"""Frozen instances for tests: one by hand, and any number of random ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from corpus.frozen import ACCEPTED, FrozenBackground, FrozenInstance, FrozenMention, instance_key
from kernel.values import content_hash

CONTEXT = "Ida Lind met Karl Moe and, later, Lind’s sister in Arden."


def make_frozen(**fields: Any) -> FrozenInstance:
    """Return Ida Lind and Karl Moe in one passage; the key fits what it says."""
    background = FrozenBackground("Ida Lind", "Ida Lind (1861–1939) was a botanist.", "https://example.org/Ida_Lind")
    value: dict[str, Any] = {
        "group": content_hash("a group"),
        "corpus": "News",
        "article_id": "a1",
        "date": None,
        "entity_type": "person",
        "entities": ("Ida Lind", "Karl Moe"),
        "kind": "content",
        "title": "Two botanists meet",
        "context": CONTEXT,
        "mentions": (FrozenMention(0, 0, 8), FrozenMention(1, 13, 21), FrozenMention(0, 34, 38)),
        "backgrounds": (background, None),
    } | fields
    key_fields = {name: value[name] for name in ("article_id", "entity_type", "entities", "kind", "title", "context")}
    spans = [(m.entity, m.start, m.end) for m in value["mentions"]]
    return FrozenInstance(**{"key": instance_key(**key_fields, mentions=spans)} | value)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
names = texts.filter(str.strip)
numbers = st.none() | st.integers(0, 2**63 - 1)
backgrounds = st.builds(
    FrozenBackground,
    title=texts,
    text=names,
    url=st.just("") | texts.map("https://example.org/{}".format),
    licence=texts,
    status=st.sampled_from([status.value for status in ACCEPTED]),
    source=texts,
    page_id=numbers,
    revision_id=numbers,
    retrieved=st.none() | st.dates(),
)


@st.composite
def frozen_instances(draw: st.DrawFn) -> FrozenInstance:
    entities = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    context = draw(names)
    starts = [draw(st.integers(0, len(context) - 1)) for _ in entities]
    ends = [draw(st.integers(start + 1, len(context))) for start in starts]
    spans = zip(range(len(entities)), starts, ends, strict=True)
    return make_frozen(
        corpus=draw(texts),
        article_id=draw(texts),
        date=draw(st.none() | st.dates()),
        entity_type=draw(st.sampled_from(["person", "location", "organization"])),
        entities=tuple(entities),
        kind=draw(st.sampled_from(["content", "abstract"])),
        title=draw(texts),
        context=context,
        mentions=tuple(FrozenMention(*span) for span in spans),
        backgrounds=tuple(draw(st.none() | backgrounds) for _ in entities),
    )
