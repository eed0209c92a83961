"""Generated instances of typical length: a passage of about 110 words, two to four people, a background for each."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention, instance_key
from corpus.models import Sample, SampledInstance
from kernel.values import batches

WORDS = (
    "harbour", "council", "season", "letter", "northern", "winter", "garden", "paper", "meeting", "village",
    "orchestra", "doctor", "evening", "river", "school", "ministry", "summer", "railway", "market", "question",
    "visitor", "company", "journey", "history", "painter", "bridge", "station", "harvest",
)  # fmt: skip
FIRST, LAST = ("Ida", "Karl", "Nora", "Emil", "Vera", "Otto"), ("Lind", "Moe", "Brandt", "Falk", "Sand", "Holm")
PEOPLE = 3000  # different people, as in a newspaper; each occurs many times
CHUNK = 500


def _sentences(rng: random.Random, count: int) -> str:
    return " ".join(" ".join(rng.choices(WORDS, k=11)).capitalize() + "." for _ in range(count))


def _name(who: int) -> str:
    initials = f"{chr(65 + who // 36 % 26)}. {chr(65 + who // 936 % 26)}."
    return f"{FIRST[who % 6]} {initials} {LAST[who // 6 % 6]}"


def passage(number: int) -> FrozenInstance:
    rng = random.Random(number)
    size = rng.choice((2, 2, 2, 3, 3, 4))
    names = [_name(who) for who in rng.sample(range(PEOPLE), size)]
    context, mentions = "", list[FrozenMention]()
    for entity, name in enumerate(names):
        start = len(context)
        context += f"{name} met the {rng.choice(WORDS)} again. {_sentences(rng, 9 // size)} "
        mentions.append(FrozenMention(entity, start, start + len(name)))
    content: dict[str, Any] = {
        "article_id": f"passage {number}",
        "entity_type": "person",
        "entities": tuple(names),
        "kind": "content",
        "title": _sentences(rng, 1),
        "context": context.strip(),
    }
    key = instance_key(**content, mentions=[(m.entity, m.start, m.end) for m in mentions])
    backgrounds = tuple(_background(name) for name in names)
    more: dict[str, Any] = {"group": f"passage {number}", "corpus": "Passages", "date": None}
    return FrozenInstance(key=key, **content, **more, mentions=tuple(mentions), backgrounds=backgrounds)


def _background(name: str) -> FrozenBackground:
    """Return the background of a person, which is the same in every instance."""
    text = f"{name} (1861–1939) was a botanist. {_sentences(random.Random(name), 5)}"
    return FrozenBackground(name, text, "https://example.org/")


def make_sample(name: str, size: int, instances: Iterable[FrozenInstance]) -> Sample:
    sample = Sample.objects.create(name=name, size=size, content_hash="0" * 64)
    for some in batches(enumerate(instances), CHUNK):
        SampledInstance.objects.bulk_create(
            SampledInstance(
                sample=sample, position=position, key=value.key, group=value.group, type=value.entity_type,
                size=value.size, value=value.to_json(),
            )
            for position, value in some
        )  # fmt: skip
    return sample
