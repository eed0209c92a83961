"""What tests of a researcher's pages share."""

from __future__ import annotations


def text(answer) -> str:
    return answer.content.decode()


def filled(sample, **fields) -> dict[str, object]:
    return {
        "name": "First", "sample": sample.pk, "seed": 1, "provider": "local", "redundancy": 3, "per_person": 0,
        "reward": "0.15", "currency": "usd", "estimated_minutes": "1.5", "time_limit_minutes": 15, "practice": 1,
        "quiz_pass": 0, "gold_every": 0, "has_signals": "on", "consent": "You may stop.", "contact": "Ben",
    } | fields  # fmt: skip
