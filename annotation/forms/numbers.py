"""Numbers that may be left empty."""

from __future__ import annotations

from typing import Any

from django import forms


class OptionalNumber(forms.IntegerField):
    """A whole number; empty means 0, or what `empty` says."""

    def __init__(self, *, empty: int = 0, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.empty = empty

    def clean(self, value: Any) -> int:
        number = super().clean(value)
        return self.empty if number is None else number

    def prepare_value(self, value: Any) -> Any:
        return "" if value == 0 else value
