"""The cleaning of a task type that has no rules: answers stay as they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from kernel.values import content_hash


@dataclass(frozen=True)
class PlainCleaning:
    """Takes answers as they are; `is_skip` tells which ones say that there is no answer."""

    is_skip: Callable[[Mapping[str, Any]], bool]
    name: str = "plain"
    version: int = 1
    fingerprint: str = content_hash(["plain", 1])

    @property
    def identity(self) -> str:
        return f"{self.name} {self.version}"

    def explain(self, rule: str) -> str:
        return ""

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        if self.is_skip(answer):
            return CleanedAnswer({}, AnswerOutcome.SKIPPED, str(answer.get("reason") or ""))
        return CleanedAnswer(answer)

    def settle(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        return self.clean(question, answer)

    def accept(self, cleaned: CleanedAnswer) -> CleanedAnswer:
        return cleaned

    def remembering(self) -> PlainCleaning:
        return self
