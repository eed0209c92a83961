"""The registry of every kind of plug-in: a fixed dict of names, each imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from kernel.errors import UnknownPlugin

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """The plug-ins of one kind: name → "package.module:attribute"."""

    kind: str
    paths: Mapping[str, str]

    def __getitem__(self, name: str) -> T:
        if name not in self.paths:
            raise UnknownPlugin(f"unknown {self.kind} {name!r}; known: {', '.join(sorted(self.paths))}")
        module, _, attribute = self.paths[name].partition(":")
        return cast("T", getattr(import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __contains__(self, name: object) -> bool:
        return name in self.paths

    def __len__(self) -> int:
        return len(self.paths)
