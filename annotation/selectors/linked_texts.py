"""The texts of a sample as a benchmark of links."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.linking.links import EntityNaming, LinkedText, linked_text, naming_of
from corpus.items.texts import TEXT, FrozenText
from corpus.models import Sample
from kernel.errors import InvalidInput

CHUNK = 500
MOST_TEXTS = 50_000


def linked_texts(
    sample: Sample, naming: EntityNaming | None = None, *, nested: bool = True, without_entity: bool = True
) -> tuple[list[LinkedText], EntityNaming]:
    """Return the texts of a sample with their known links, and by what entities are named there.

    Raise InvalidInput if the sample knows none.
    """
    items = [*_texts(sample)]
    if not any(item.mentions for item in items):
        raise InvalidInput(f"“{sample}” knows no mentions: import texts with their mentions", field="sample")
    naming = naming or naming_of(items)
    texts = [linked_text(item, naming, nested=nested, without_entity=without_entity) for item in items]
    if not any(link.entity for text in texts for link in text.links):
        named = "pages of Wikipedia" if naming == EntityNaming.PAGES else "ids of Wikidata"
        raise InvalidInput(f"the mentions of “{sample}” have no {named}", field="naming")
    return texts, naming


def _texts(sample: Sample) -> Iterator[FrozenText]:
    if sample.item_kind != TEXT.name:
        raise InvalidInput(f"“{sample}” holds {sample.kind.plural}: choose a sample of texts", field="sample")
    if sample.size > MOST_TEXTS:
        raise InvalidInput(f"“{sample}” has more than {MOST_TEXTS:,} texts", field="sample")
    for value in sample.members.order_by("position").values_list("value", flat=True).iterator(CHUNK):
        yield TEXT.thaw(value)
