"""What `manage.py check --deploy` warns of beyond Django's own list. What must never run is refused in settings.py."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


@register(Tags.security, deploy=True)
def production_is_complete(app_configs: Any, **_: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if not settings.PRODUCTION:
        found.append(Warning("TESA_PRODUCTION is off: this is a laptop's set-up.", id="tesa.W001"))
    if settings.PRODUCTION and not settings.IS_HTTPS:
        found.append(Warning("TESA_PUBLIC_URL is not https: passwords travel in the clear.", id="tesa.W002"))
    if settings.PRODUCTION and not settings.EMAIL_URL:
        hint = "Set TESA_EMAIL_URL, e.g. smtp://user:password@mail.example.org:587."
        found.append(Warning("Password resets are written to var/mail instead of sent.", hint=hint, id="tesa.W003"))
    if settings.PRODUCTION and not settings.DATABASE_URL:
        hint = "Set TESA_DATABASE_URL to a PostgreSQL database."
        found.append(Warning("SQLite serves one machine only.", hint=hint, id="tesa.W004"))
    return found


@register(Tags.compatibility)
def job_kinds_can_be_imported(app_configs: Any, **_: Any) -> list[CheckMessage]:
    from tesa_site.kernel import selectors

    found: list[CheckMessage] = []
    kinds = selectors.job_kinds()
    for name in kinds:
        try:
            kind = kinds[name]
        except (ImportError, AttributeError) as error:
            found.append(Error(f"job kind {name}: {error}", id="tesa.E001"))
            continue
        if kind.queue not in settings.QUEUES:
            found.append(Error(f"job kind {name}: unknown queue {kind.queue!r}", id="tesa.E002"))
    return found
