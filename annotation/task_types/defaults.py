"""What most task types have in common: a type inherits it and writes only what is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from pydantic import BaseModel


class Defaults:
    """Members of a task type that need no word of its own."""

    settings_model: ClassVar[type[BaseModel] | None] = None

    def with_settings(self, settings: Any) -> Self:
        return self
