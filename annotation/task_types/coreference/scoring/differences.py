"""Where the key and the response of a document differ: what a page or a report shows beside the scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.task_types.coreference.document import Chain, ChainMention
from annotation.task_types.coreference.scoring.matching import MentionMatching, Span


@dataclass(frozen=True, slots=True)
class MentionPair:
    """A key mention and the response mention that stands for it, if any."""

    key: ChainMention
    response: ChainMention | None


@dataclass(frozen=True, slots=True)
class ChainPart:
    """The mentions of a chain that one chain of the other side has. `chain` is its number; None: it lacks them."""

    chain: int | None
    mentions: Chain


@dataclass(frozen=True, slots=True)
class DividedChain:
    """A chain as the other side's chains cut it: the largest part first, and last the mentions that it lacks."""

    parts: tuple[ChainPart, ...]

    @property
    def elsewhere(self) -> Chain:
        """The mentions outside the largest part that the other side has."""
        return tuple(mention for part in self.parts[1:] if part.chain is not None for mention in part.mentions)


@dataclass(frozen=True, slots=True)
class ChainDifferences:
    """How a response differs from the key of a document. Chains are numbered in the order of the text."""

    pairs: tuple[MentionPair, ...]  # every key mention, optional ones included
    unmarked: Chain  # optional key mentions that the response does not mark: no error
    missing: Chain  # other key mentions that the response lacks
    spurious: Chain  # response mentions that stand for no key mention
    repeated: Chain  # response mentions dropped because their span occurs twice
    key_chains: tuple[DividedChain, ...]
    response_chains: tuple[DividedChain, ...]

    @property
    def separated(self) -> Chain:
        """Key mentions that the response has, but not in the chain that has most of their key chain."""
        return tuple(mention for chain in self.key_chains for mention in chain.elsewhere)

    @property
    def wrongly_linked(self) -> Chain:
        """Response mentions whose key chain is not the main one of their response chain."""
        return tuple(mention for chain in self.response_chains for mention in chain.elsewhere)

    @property
    def errors(self) -> int:
        return sum(map(len, (self.missing, self.spurious, self.separated, self.wrongly_linked)))


def differences_of(matching: MentionMatching) -> ChainDifferences:
    response_mentions = {mention.span: mention for chain in matching.response for mention in chain}
    scored = [mention for chain in matching.key for mention in chain]
    every = sorted([*scored, *matching.unmarked], key=lambda mention: mention.span)
    of_response = {span: response_mentions[other] for span, other in matching.response_of.items()}
    return ChainDifferences(
        pairs=tuple(MentionPair(mention, of_response.get(mention.span)) for mention in every),
        unmarked=matching.unmarked,
        missing=_lacking(scored, matching.response_of),
        spurious=_lacking([*response_mentions.values()], matching.key_of),
        repeated=matching.repeated,
        key_chains=_divided(matching.key, matching.response_of, matching.response_chain_of),
        response_chains=_divided(matching.response, matching.key_of, matching.key_chain_of),
    )


def _lacking(mentions: list[ChainMention], other_of: Mapping[Span, Span]) -> Chain:
    return tuple(sorted((m for m in mentions if m.span not in other_of), key=lambda mention: mention.span))


def _divided(
    chains: tuple[Chain, ...], other_of: Mapping[Span, Span], chain_of: Mapping[Span, int]
) -> tuple[DividedChain, ...]:
    return tuple(DividedChain(_parts(chain, other_of, chain_of)) for chain in chains)


def _parts(chain: Chain, other_of: Mapping[Span, Span], chain_of: Mapping[Span, int]) -> tuple[ChainPart, ...]:
    shared: dict[int, list[ChainMention]] = defaultdict(list)
    lacking = []
    for mention in chain:
        if mention.span in other_of:
            shared[chain_of[other_of[mention.span]]].append(mention)
        else:
            lacking.append(ChainPart(None, (mention,)))
    largest_first = sorted(shared.items(), key=lambda item: (-len(item[1]), item[1][0].span))
    return *(ChainPart(number, tuple(mentions)) for number, mentions in largest_first), *lacking
