"""What a run left in the storage."""

from __future__ import annotations

from django.core.files.storage import default_storage


def predictions(run_id: int) -> list[str]:
    with default_storage.open(f"runs/{run_id}/predictions.jsonl") as file:
        return str(file.read().decode()).removesuffix("\n").split("\n")
