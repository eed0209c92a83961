"""Joining the names of one family that are one entity: a shorter form joins the only longer form that it fits.

Eliot Spitzer joins Eliot L. Spitzer. George Bush joins neither George W. Bush nor George H. W. Bush, because it fits
both, and these two never join each other, because their initials conflict. The order of the names does not matter.
"""

from __future__ import annotations

from collections.abc import Collection

from corpus.articles import EntityType

Detail = tuple[str, ...]  # as in Name.detail


def joined(details: Collection[Detail], type: EntityType) -> dict[Detail, Detail]:
    """Return the detail that each detail is merged into: itself, or the only fullest form that it fits."""
    fullest: dict[Detail, frozenset[Detail]] = {}
    for detail in sorted(set(details), key=lambda own: (len(own), sum(map(len, own)), own), reverse=True):
        above = [fullest[longer] for longer in fullest if _fits(detail, longer, type)]
        fullest[detail] = frozenset().union(*above) if above else frozenset({detail})
    return {detail: min(ends) if len(ends) == 1 else detail for detail, ends in fullest.items()}


def _fits(shorter: Detail, longer: Detail, type: EntityType) -> bool:
    """Return whether the longer detail only adds to the shorter: an initial spelt out, further initials, a legal form.

    A whole additional middle name is not a variant: John Jones is not John Paul Jones.
    """
    if len(shorter) > len(longer) or shorter == longer:
        return False
    further = longer[len(shorter) :]
    if type is EntityType.PERSON and any(len(word) > 1 for word in further):
        return False
    return all(
        mine == other or (len(mine) == 1 and other.startswith(mine))
        for mine, other in zip(shorter, longer, strict=False)
    )
