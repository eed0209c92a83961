"""Our warnings of `manage.py check --deploy`. Settings that must never run are refused in settings.py."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


@register(Tags.security, deploy=True)
def production_is_complete(app_configs: Any, **_: Any) -> list[CheckMessage]:
    if not settings.PRODUCTION:
        return [Warning("TESA_PRODUCTION is off: this set-up is for a laptop.", id="tesa.W001")]
    messages: list[CheckMessage] = []
    if not settings.IS_HTTPS:
        messages.append(Warning("TESA_PUBLIC_URL is not https: passwords are sent unencrypted.", id="tesa.W002"))
    if not settings.EMAIL_URL:
        hint = "Set TESA_EMAIL_URL, e.g. smtp://user:password@mail.example.org:587."
        messages.append(Warning("Password mails are written to var/mail, not sent.", hint=hint, id="tesa.W003"))
    if not settings.DATABASE_URL:
        hint = "Set TESA_DATABASE_URL to a PostgreSQL database."
        messages.append(Warning("SQLite works on one machine only.", hint=hint, id="tesa.W004"))
    return messages


@register(Tags.compatibility)
def job_kinds_can_be_imported(app_configs: Any, **_: Any) -> list[CheckMessage]:
    from kernel import selectors

    messages: list[CheckMessage] = []
    kinds = selectors.job_kinds()
    for name in kinds:
        try:
            kind = kinds[name]
        except (ImportError, AttributeError) as error:
            messages.append(Error(f"job kind {name}: {error}", id="tesa.E001"))
            continue
        if kind.queue not in settings.QUEUES:
            messages.append(Error(f"job kind {name}: unknown queue {kind.queue!r}", id="tesa.E002"))
    return messages


@register(Tags.compatibility)
def botocore_knows_mturk(app_configs: Any, **_: Any) -> list[CheckMessage]:
    from annotation.providers.mturk import client

    if client.knows_mturk():
        return []
    hint = f"Install botocore {client.NEWEST}, the newest version known to have it."
    return [Error("The installed botocore has no model of MTurk, which marketplaces need.", hint=hint, id="tesa.E003")]
