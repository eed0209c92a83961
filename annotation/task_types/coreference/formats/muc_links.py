"""REF of MUC-6: which mentions the references join to chains, and the references that say a chain."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.task_types.coreference.document import Chain


class DisjointGroups:
    """Members that are joined to groups, one pair at a time."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def group(self, member: int) -> int:
        root = member
        while self._parents[root] != root:
            root = self._parents[root]
        while self._parents[member] != root:
            self._parents[member], member = root, self._parents[member]
        return root

    def join(self, member: int, other: int) -> bool:
        """Join two members; False if they were in one group already."""
        first, second = self.group(member), self.group(other)
        self._parents[max(first, second)] = min(first, second)
        return first != second

    def groups(self) -> list[list[int]]:
        """Return the members of each group, in the order of their first members."""
        groups: dict[int, list[int]] = {}
        for member in range(len(self._parents)):
            groups.setdefault(self.group(member), []).append(member)
        return [*groups.values()]


def cycles(targets: Sequence[int | None]) -> list[list[int]]:
    """Return the members of each circle of references: `targets[n]` is the member that n refers to."""
    seen = [0] * len(targets)  # 0: never; n: on the way that began at member n - 1
    circles = []
    for start in range(len(targets)):
        way: list[int] = []
        member: int | None = start
        while member is not None and not seen[member]:
            seen[member] = start + 1
            way.append(member)
            member = targets[member]
        if member is not None and way and seen[member] == start + 1:
            circles.append(way[way.index(member) :])
    return circles


def references(chain: Chain) -> tuple[list[int | None], bool]:
    """Return the index in its chain that each mention refers to, and whether a mention refers to an optional one.

    A reference stays as it was read while it leads to another mention of the chain and not in a circle. Mentions that
    are then not joined to the first one refer to the nearest earlier mention that is not optional.
    """
    places: dict[str, int] = {}
    for index, mention in enumerate(chain):
        places.setdefault(mention.id, index)
    joined = DisjointGroups(len(chain))
    targets: list[int | None] = [None] * len(chain)
    for index, mention in enumerate(chain):
        target = places.get(mention.ref) if mention.ref else None
        if target is not None and joined.join(index, target):
            targets[index] = target
    firm, is_odd = firm_before(chain), False
    for index in range(1, len(chain)):
        if targets[index] is None and joined.group(index) != joined.group(0):
            target = antecedent(chain, firm, joined, index)
            is_odd = is_odd or chain[target].is_optional
            joined.join(index, target)
            targets[index] = target
    return targets, is_odd


def antecedent(chain: Chain, firm: Sequence[int], joined: DisjointGroups, index: int) -> int:
    """Return the nearest earlier mention of another group that is not optional, else the nearest of any kind."""
    own = joined.group(index)
    candidate = firm[index]
    while candidate >= 0 and joined.group(candidate) == own:
        candidate = firm[candidate]
    if candidate < 0:
        candidate = index - 1
        while joined.group(candidate) == own:
            candidate -= 1
    return candidate


def firm_before(chain: Chain) -> list[int]:
    """Return for each mention the index of the nearest earlier one that is not optional, or -1."""
    nearest = -1
    firm = []
    for index, mention in enumerate(chain):
        firm.append(nearest)
        nearest = nearest if mention.is_optional else index
    return firm
