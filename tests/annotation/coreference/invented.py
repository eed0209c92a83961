"""Invented documents with chains, for tests that write and read them again."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from annotation.task_types.coreference.document import Chain, ChainMention, CorefDocument, Span
from annotation.task_types.coreference.formats.base import in_order

WORDS = ["Mira", "the", "a", "ferry", "R&D", "<b>", "“Öl”", "she", "it", "17%", "\N{OX}", "&MD;", "@", "ID", '"x"']
BLANKS = [" ", "\n", "\r\n", "  ", "\n@ ", "\r"]

words = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BLANKS)), min_size=1, max_size=14)


def ordered(chains: Iterable[Chain]) -> tuple[Chain, ...]:
    kept = [in_order(chain) for chain in chains if chain]
    return tuple(sorted(kept, key=lambda chain: (chain[0].start, -chain[0].end)))


@st.composite
def documents(draw: st.DrawFn, *, may_cross: bool = False, may_be_described: bool = True) -> CorefDocument:
    """A text of words, and chains of mentions that begin and end with words; no two on the same words."""
    text, spans = "", []
    for word, blank in draw(words):
        spans.append((len(text), len(text) + len(word)))
        text += word + blank
    kept: list[ChainMention] = []
    numbers = st.integers(0, len(spans) - 1)
    for first, length, is_optional, has_least in draw(
        st.lists(st.tuples(numbers, st.integers(0, 5), st.booleans(), st.booleans()), max_size=7)
    ):
        last = min(first + length, len(spans) - 1)
        least = draw(st.sampled_from(spans[first : last + 1])) if has_least and may_be_described else None
        mention = ChainMention(spans[first][0], spans[last][1], least, is_optional and may_be_described)
        if mention.span not in {other.span for other in kept} and (may_cross or not crosses(mention, kept)):
            kept.append(mention)
    owners = draw(st.lists(st.integers(0, 2), min_size=len(kept), max_size=len(kept)))
    chains = [[mention for mention, owner in zip(kept, owners, strict=True) if owner == chain] for chain in range(3)]
    return CorefDocument("a story", text, ordered(tuple(chain) for chain in chains))


def crosses(mention: ChainMention, others: Iterable[ChainMention]) -> bool:
    return any(
        other.start < mention.start < other.end < mention.end or mention.start < other.start < mention.end < other.end
        for other in others
    )


def spans(chains: Iterable[Chain]) -> set[frozenset[Span]]:
    return {frozenset(mention.span for mention in chain) for chain in chains}
