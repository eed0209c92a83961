"""How a release was split: as sentences for the dataset card, and as the value that exports take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.releasing.exports.base import Parts
from kernel.values import counted
from modeling.splits import SplitValue

NAMES = {"train": "train", "valid": "validation", "test": "test"}
PROMISES = {
    "paper": "Instances were dealt out at random, so parts share entities, articles and overlapping passages.",
    "grouped": "No overlapping passages, set of entities or article is in two parts; single entities can be.",
    "unseen": (
        "No entity of the test part is in train or validation, and no overlapping passages, set of entities or article "
        "is in two parts."
    ),
}


def parts_of(split: SplitValue, *, size: int, unseen: int, parameters: Mapping[str, Any]) -> Parts:
    """Return the split for exports. `unseen` is the number of test instances that share no entity with train."""
    sizes = {NAMES[part]: len(keys) for part, keys in split.parts.items()}
    details = {
        "rule": split.rule,
        "seed": split.seed,
        "fold": None if split.fold is None else split.fold + 1,
        **parameters,
        "sizes": sizes,
        "set_aside": len(split.set_aside),
        "content_hash": split.content_hash(),
    }
    fold = "" if split.fold is None else f"-fold-{split.fold + 1}"
    return Parts(
        part_of={key: NAMES[part] for key, part in split.part_of().items()},
        about=_sentences(split, size, unseen, parameters),
        details=details,
        slug=f"{split.rule}-seed-{split.seed}{fold}",
    )


def _sentences(split: SplitValue, size: int, unseen: int, parameters: Mapping[str, Any]) -> list[str]:
    tested = len(split.parts["test"])
    seed = f"seed {split.seed}"
    if split.fold is None:
        ratio = ":".join(str(share) for share in parameters.get("ratio", (2, 1, 1)))
        sentences = [f"Split by the rule `{split.rule}`, about {ratio}, with {seed}."]
    else:
        which = f"fold {split.fold + 1} of {parameters['folds']}"
        sentences = [f"Split by the rule `{split.rule}` with {seed}: {which}, and all folds share one test part."]
    shares = f"{counted(tested, 'test instance')} {'shares' if unseen == 1 else 'share'} no entity with train."
    sentences += [PROMISES[split.rule], f"{unseen:,} of {shares}"]
    return sentences + _left_out(split, size)


def _left_out(split: SplitValue, size: int) -> list[str]:
    aside = len(split.set_aside)
    without = size - aside - sum(map(len, split.parts.values()))
    reasons = [
        *([f"{aside:,} would break the rule"] if aside else []),
        *([f"{without:,} {'has' if without == 1 else 'have'} no aggregation"] if without else []),
    ]
    if not reasons:
        return []
    return [f"{counted(aside + without, 'instance')} of the release are in no part and left out: {', '.join(reasons)}."]
