"""What ratings, rankings and rows of choices are about: named texts of the item, or words of the description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from annotation.parts.base import ID_PATTERN, PartOptions, Prompt

MOST = 50
LONGEST_LABEL = 200


class Target(PartOptions):
    """A text of the item (`text`), shown under its label if it has one, or fixed words (`label` alone)."""

    id: str = Field(pattern=ID_PATTERN, description="the name of the target in answers and files")
    text: str = Field(default="", max_length=200, description="the name of the item's text or column; empty: none")
    label: str = Field(default="", max_length=LONGEST_LABEL, description="words that people see")

    @model_validator(mode="after")
    def _something_to_show(self) -> Target:
        if not (self.text or self.label):
            raise ValueError("say which text of the item it is (text), or what people see (label)")
        return self


def _target(value: Any) -> Any:
    """Let a name alone mean a text of the item of this name."""
    return {"id": value, "text": value} if isinstance(value, str) else value


def _named_once(targets: list[Target]) -> list[Target]:
    names = [target.id for target in targets]
    if len({*names}) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"“{twice}” is listed twice: give each target an id of its own")
    return targets


Targets = Annotated[
    list[Annotated[Target, BeforeValidator(_target, json_schema_input_type=str | Target)]],
    AfterValidator(_named_once),
    Field(max_length=MOST, description="names of the item's texts, or targets with an id and a label"),
]


@dataclass(frozen=True)
class Seen:
    """A target as somebody sees it."""

    id: str
    label: str
    text: str = ""

    @property
    def words(self) -> str:
        return self.label or self.text


def columns_of(targets: Sequence[Target]) -> list[str]:
    return [target.text for target in targets if target.text]


def drawn(targets: Sequence[Target], rng: Random) -> list[str]:
    """Return the ids in an order drawn for one person."""
    return rng.sample([target.id for target in targets], len(targets))


def seen(asked: Prompt, targets: Sequence[Target]) -> list[Seen]:
    """Return the targets that this item has, in the order in which this person sees them."""
    place = {name: position for position, name in enumerate(asked.order)}
    present = [target for target in targets if not target.text or asked.texts.get(target.text, "").strip()]
    ordered = sorted(present, key=lambda target: place.get(target.id, 0))
    return [Seen(target.id, target.label, asked.texts.get(target.text, "")) for target in ordered]
