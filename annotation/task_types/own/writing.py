"""A description as a person would write it: YAML that the editor shows and reads back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

WIDTH = 110


class _Dumper(yaml.SafeDumper):
    """Writes several lines as a block, and everything twice rather than by a reference."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def written(task: Mapping[str, Any]) -> str:
    """Return the text of a description."""
    return yaml.dump(dict(task), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=WIDTH)
