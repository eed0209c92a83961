"""Which response mention stands for which key mention; metrics count afterwards.

Two mentions of a side with the same span are one: the first is kept, in the order of the chains' positions in the
text. The order in which a file lists chains and mentions therefore never matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from annotation.task_types.coreference.document import Chain, ChainMention, CorefDocument
from annotation.task_types.coreference.scoring.least import pairs_by_least

Span = tuple[int, int]
Matching = Literal["exact", "min"]


@dataclass(frozen=True)
class MentionMatching:
    """The chains that are scored, without repeated mentions, and which mentions stand for one another.

    Chains and their mentions are in the order of the text.
    """

    key: tuple[Chain, ...]  # without optional mentions that the response does not mark
    response: tuple[Chain, ...]
    response_of: Mapping[Span, Span]  # span of a key mention → span of its response mention
    unmarked: tuple[ChainMention, ...] = ()  # the optional key mentions taken out
    repeated: tuple[ChainMention, ...] = ()  # mentions dropped from the response

    @cached_property
    def key_of(self) -> Mapping[Span, Span]:
        return {response: key for key, response in self.response_of.items()}

    @cached_property
    def key_chain_of(self) -> Mapping[Span, int]:
        return _numbers(self.key)

    @cached_property
    def response_chain_of(self) -> Mapping[Span, int]:
        return _numbers(self.response)


def match_mentions(key: CorefDocument, response: CorefDocument, matching: Matching) -> MentionMatching:
    """Match `exact` spans, or by `min`: a response mention may be shorter than the key's, down to its MIN.

    An optional key mention that the response does not mark is taken out; its chain keeps the others.
    """
    key_chains, _ = without_repeats(key.chains)
    response_chains, repeated = without_repeats(response.chains)
    key_mentions = [mention for chain in key_chains for mention in chain]
    response_spans = {mention.span for chain in response_chains for mention in chain}
    response_of = {mention.span: mention.span for mention in key_mentions if mention.span in response_spans}
    if matching == "min":
        rest = [mention for mention in key_mentions if mention.span not in response_of]
        response_of |= pairs_by_least(key.text, rest, sorted(response_spans - set(response_of)))
    unmarked = [mention for mention in key_mentions if mention.is_optional and mention.span not in response_of]
    return MentionMatching(_without(key_chains, unmarked), response_chains, response_of, tuple(unmarked), repeated)


def without_repeats(chains: Iterable[Chain]) -> tuple[tuple[Chain, ...], tuple[ChainMention, ...]]:
    """Return the chains in the order of the text, each span once, and the mentions dropped."""
    kept: list[Chain] = []
    repeated: list[ChainMention] = []
    seen: set[Span] = set()
    for chain in sorted(map(_in_order, chains), key=_chain_order):
        unique: list[ChainMention] = []
        for mention in chain:
            (repeated if mention.span in seen else unique).append(mention)
            seen.add(mention.span)
        kept.append(tuple(unique))
    return tuple(filter(None, kept)), tuple(repeated)


def _in_order(chain: Chain) -> Chain:
    return tuple(sorted(chain, key=_order))


def _chain_order(chain: Chain) -> tuple[object, ...]:
    """Compare spans without their repetitions first, so that repeating a mention moves no chain to the front."""
    return sorted({mention.span for mention in chain}), [*map(_order, chain)]


def _order(mention: ChainMention) -> tuple[int, int, tuple[int, ...], bool]:
    return mention.start, mention.end, mention.least or (), mention.is_optional


def _without(chains: Iterable[Chain], mentions: Iterable[ChainMention]) -> tuple[Chain, ...]:
    spans = {mention.span for mention in mentions}
    kept = (tuple(mention for mention in chain if mention.span not in spans) for chain in chains)
    return tuple(filter(None, kept))


def _numbers(chains: Sequence[Chain]) -> Mapping[Span, int]:
    return {mention.span: number for number, chain in enumerate(chains) for mention in chain}
