"""Probes for monitoring. They report states, never secrets."""

from __future__ import annotations

import os
from collections.abc import Callable

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from kernel import selectors
from kernel.databases import outages, patience

WRITE_SECONDS = 2.0


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer, to show that this process does."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Return 200 if everything a request may need answers; else 503 with what does not."""
    with patience.at_most(WRITE_SECONDS):
        checks = {"database": _state(_database)}
        checks["writing"] = outages.try_to_write(WRITE_SECONDS) if checks["database"] == "ok" else "not tried"
    checks["broker"] = _state(_broker)
    live, stalled = set[str](), set[str]()
    if checks["database"] == "ok":
        checks["database"] = _state(lambda: live.update(selectors.live_queues()))
    if live:
        checks["database"] = _state(lambda: stalled.update(selectors.stalled_queues()))
    for queue in (*settings.REQUIRED_QUEUES, "scheduler"):
        name = "scheduler" if queue == "scheduler" else f"worker:{queue}"
        checks[name] = "takes no jobs" if queue in stalled else "ok" if queue in live else "not running"
    is_ready = all(state == "ok" for state in checks.values())
    return JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)


def _state(check: Callable[[], None]) -> str:
    try:
        check()
    except Exception as error:  # the probe must report any error instead of failing
        return f"failed: {type(error).__name__}"
    return "ok"


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _broker() -> None:
    if settings.REDIS_URL:
        import redis

        redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1).ping()
    elif not os.access(settings.BROKER_DIR / "messages", os.R_OK | os.W_OK):
        raise PermissionError(settings.BROKER_DIR)
