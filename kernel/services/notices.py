"""E-mail notices: a user turns events on and gets at most one e-mail a day for each."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from kernel.clock import now
from kernel.models import NoticeSwitch, User
from kernel.notice_kind import Notice, NoticeKind

logger = logging.getLogger(__name__)
BETWEEN_MAILS = timedelta(days=1)
MOST_LINES = 50


def kinds_for(user: User, kinds: Mapping[str, NoticeKind]) -> dict[str, NoticeKind]:
    """Return the events this user may get e-mails about."""
    return {name: kind for name, kind in kinds.items() if user.has_perm(kind.permission)}


def set_switches(user: User, chosen: Collection[str], kinds: Mapping[str, NoticeKind]) -> None:
    """Turn on exactly these events for the user. What exists already is not news."""
    allowed = set(chosen) & set(kinds_for(user, kinds))
    present = {name: [notice.key for notice in kinds[name].find()] for name in allowed}
    with transaction.atomic():
        NoticeSwitch.objects.filter(user=user).exclude(kind__in=allowed).delete()
        for name in sorted(allowed):
            NoticeSwitch.objects.get_or_create(user=user, kind=name, defaults={"told": present[name]})


def due_notices(kinds: Mapping[str, NoticeKind]) -> Iterator[tuple[NoticeSwitch, list[Notice], list[Notice]]]:
    """Yield (switch, news, all notices) for each switch with news and without a mail in the last day."""
    present: dict[str, list[Notice]] = {}
    switches = NoticeSwitch.objects.filter(kind__in=list(kinds), user__is_active=True).exclude(user__email="")
    for switch in switches.exclude(sent_at__gt=now() - BETWEEN_MAILS).select_related("user").order_by("pk"):
        if not switch.user.has_perm(kinds[switch.kind].permission):
            continue
        if switch.kind not in present:
            present[switch.kind] = kinds[switch.kind].find()
        known = set(switch.told)
        if news := [notice for notice in present[switch.kind] if notice.key not in known]:
            yield switch, news, present[switch.kind]


def send_due_notices(kinds: Mapping[str, NoticeKind]) -> tuple[int, int]:
    """Send the mails that are due; return how many were sent and how many the mail server refused."""
    sent = failed = 0
    for switch, news, present in list(due_notices(kinds)):
        claimed = NoticeSwitch.objects.filter(pk=switch.pk, sent_at=switch.sent_at).update(
            sent_at=now(), told=[notice.key for notice in present]
        )
        if not claimed:  # another process is sending it
            continue
        try:
            kind, to = kinds[switch.kind], [switch.user.email]
            subject = f"[TESA] {kind.label}" + (f" ({len(news)})" if len(news) > 1 else "")
            send_mail(subject, _body(news), None, to, html_message=_html(kind, news))
            sent += 1
        except OSError as error:  # SMTP errors are OSErrors; the mail stays due
            NoticeSwitch.objects.filter(pk=switch.pk).update(sent_at=switch.sent_at, told=switch.told)
            logger.warning("notice not sent switch=%s error=%s", switch.pk, error)
            failed += 1
    return sent, failed


def _body(news: Sequence[Notice]) -> str:
    lines = [f"{notice.text}\n{_address(notice.route, *notice.numbers)}" for notice in news[:MOST_LINES]]
    if len(news) > MOST_LINES:
        lines.append(f"… and {len(news) - MOST_LINES} more.")
    lines.append(
        "You get at most one e-mail a day about this. Change your notices on your account page:\n" + _address("account")
    )
    return "\n\n".join(lines) + "\n"


def _html(kind: NoticeKind, news: Sequence[Notice]) -> str:
    lines = [(notice.text, _address(notice.route, *notice.numbers)) for notice in news[:MOST_LINES]]
    context = {"heading": kind.label, "lines": lines, "more": len(news) - len(lines), "account": _address("account")}
    return render_to_string("mail.html", context)


def _address(route: str, *numbers: int) -> str:
    return settings.PUBLIC_ORIGIN + reverse(route, args=numbers)
