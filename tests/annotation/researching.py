"""What tests of a researcher's pages share."""

from __future__ import annotations

from django.contrib.auth.models import Permission

from kernel.models import User
from kernel.services import people


def filled(sample, **fields) -> dict[str, object]:
    return {
        "name": "First", "sample": sample.pk, "seed": 1, "provider": "local", "redundancy": 3, "per_person": 0,
        "reward": "0.15", "currency": "usd", "estimated_minutes": "1.5", "time_limit_minutes": 15, "practice": 1,
        "quiz_pass": 0, "gold_every": 0, "has_signals": "on", "consent": "You may stop.", "contact": "Ben",
        **requirements(), "save": "1",
    } | fields  # fmt: skip


def allow_to_pay(user: User) -> User:
    user.user_permissions.add(Permission.objects.get(codename="pay", content_type__app_label="annotation"))
    people.forget_permissions(user)
    return user


def requirements(*rows: dict[str, object]) -> dict[str, object]:
    """Return lines of the requirement builder as a browser posts them."""
    cells = {f"requirement-{place}-{name}": value for place, row in enumerate(rows) for name, value in row.items()}
    return cells | {"requirement-TOTAL_FORMS": len(rows), "requirement-INITIAL_FORMS": 0}
