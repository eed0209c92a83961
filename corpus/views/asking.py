"""What a list of frozen instances is asked to show: a type, a number of entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from corpus.articles import EntityType
from corpus.frozen import SIZES


@dataclass(frozen=True)
class Kind:
    """A type and a size as asked for; "" and 0: all."""

    type: str
    size: int

    @property
    def context(self) -> dict[str, Any]:
        """What `corpus/_frozen_list.html` shows of it."""
        size = str(self.size or "")
        asked = {name: value for name, value in (("type", self.type), ("size", size)) if value}
        choices = {"types": list(EntityType), "sizes": [str(one) for one in SIZES]}
        return {**choices, "type": self.type, "size": size, "query": urlencode(asked)}


def asked_for(request: HttpRequest) -> Kind:
    """Return what the address asks for; a type or size there is not asks for nothing."""
    type_, size = request.GET.get("type", ""), request.GET.get("size", "")
    return Kind(type_ if type_ in list(EntityType) else "", int(size) if size in map(str, SIZES) else 0)
