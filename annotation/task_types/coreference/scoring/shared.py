"""How many mentions each key chain of a document shares with each response chain: all that metrics need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from annotation.task_types.coreference.scoring.matching import MentionMatching


@dataclass(frozen=True)
class SharedMentions:
    """Chains are numbered as in the matching. Pairs of chains that share nothing are absent."""

    key_sizes: tuple[int, ...]
    response_sizes: tuple[int, ...]
    shared: Mapping[tuple[int, int], int]  # (key chain, response chain) → mentions

    @cached_property
    def matched_in_key(self) -> Counter[int]:
        """Key chain → how many of its mentions the response has."""
        return self._matched(0)

    @cached_property
    def matched_in_response(self) -> Counter[int]:
        """Response chain → how many of its mentions the key has."""
        return self._matched(1)

    @property
    def matched(self) -> int:
        return sum(self.shared.values())

    @property
    def exchanged(self) -> SharedMentions:
        """The same with key and response exchanged."""
        shared = {(response, key): count for (key, response), count in self.shared.items()}
        return SharedMentions(self.response_sizes, self.key_sizes, shared)

    def _matched(self, side: int) -> Counter[int]:
        matched: Counter[int] = Counter()
        for pair, count in self.shared.items():
            matched[pair[side]] += count
        return matched


def shared_mentions(matching: MentionMatching) -> SharedMentions:
    return SharedMentions(
        tuple(map(len, matching.key)),
        tuple(map(len, matching.response)),
        Counter(
            (key_chain, matching.response_chain_of[response])
            for span, response in matching.response_of.items()
            for key_chain in [matching.key_chain_of[span]]
        ),
    )


def pairs(size: int) -> int:
    """Return how many pairs a number of mentions makes."""
    return size * (size - 1) // 2
