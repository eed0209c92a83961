"""Select boxes that say what each option goes with, so that the page offers only what fits what was chosen before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms


class NarrowingSelect(forms.Select):
    """A select box whose options carry `data-` attributes: by the option's value, then by their names."""

    goes_with: Mapping[str, Mapping[str, str]] = {}

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        kinds = self.goes_with.get(str(value), {})
        option["attrs"] |= {f"data-{kind}": words for kind, words in kinds.items()}
        return option
