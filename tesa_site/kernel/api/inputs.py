"""What programs send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers

from tesa_site.kernel.errors import Conflict, InvalidInput


class StrictInput(serializers.Serializer[dict[str, Any]]):
    """Input that refuses fields it does not know: a misspelt one would be ignored in silence."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError({unknown[0]: ["There is no such field."]})
        return attrs


@contextmanager
def well_formed() -> Iterator[None]:
    """Answer 409 where a service refuses input that keeps to the API's description; 422 is for what does not."""
    try:
        yield
    except InvalidInput as error:
        raise Conflict(error.problem, field=error.field, where=error.where) from error
