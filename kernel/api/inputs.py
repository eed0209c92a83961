"""What programs send: JSON, its fields, and the texts in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from kernel.errors import Conflict, InvalidInput

# Patterns of texts, which the description of the API shows. Each matches in one way only, so that a text of any length
# takes time in proportion to its length.
NAME = r"^[^\w\x00-\x1f]*\w[^\x00-\x1f]*$"  # one line that is not all signs
ONE_LINE = r"^[^\x00-\x1f]*$"
PARAGRAPH = r"^[^\w\x00]*\w[^\x00]*$"  # of any lines, not all signs
TEXT = r"^[^\x00]*$"


class PlainJson(JSONParser):
    """Refuses JSON that cannot be read or stored, with one sentence."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            value = super().parse(stream, media_type, parser_context)
            json.dumps(value, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("The JSON contains half of a character (a lone surrogate).") from error
        return value


class NameField(serializers.ChoiceField):
    """One of the names that are registered when the serializer is made, not when its class is."""

    def __init__(self, names: Callable[[], Iterable[str]], **options: Any) -> None:
        super().__init__(choices=[*names()], **options)


class StrictInput(serializers.Serializer[dict[str, Any]]):
    """Input that refuses unknown fields: a misspelt one would be ignored in silence."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError({unknown[0]: ["There is no such field."]})
        return attrs

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """Return the fields of a request; raise ValidationError (422) if one of them cannot be used."""
        sent = cls(data=request.data)
        sent.is_valid(raise_exception=True)
        return dict(sent.validated_data)


@contextmanager
def well_formed() -> Iterator[None]:
    """Answer 409 if a service refuses input that matches the API's description; 422 is for input that does not."""
    try:
        yield
    except InvalidInput as error:
        raise Conflict(error.problem, field=error.field, where=error.where, others=error.others) from error
