"""Who is at the worker site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from marketplace.models import Worker

INVENTED = "marketplace_worker"  # in the session of an invented worker


def worker_of(request: HttpRequest) -> Worker | None:
    """Return who works here: the worker of the signed-in user, or an invented one who entered with a secret."""
    if invented := request.session.get(INVENTED):
        return Worker.objects.filter(pk=invented, is_invented=True).first()
    return Worker.objects.filter(user=request.user).first() if request.user.is_authenticated else None


def comes_from_another_page(request: HttpRequest) -> bool:
    """Return whether a browser sent the form from a page that is not ours; a program sends neither header.

    The sandboxed frame of a question has no origin: its forms come with the origin "null".
    """
    own_origins = (None, settings.PUBLIC_ORIGIN, f"{request.scheme}://{request.get_host()}")
    is_foreign = request.headers.get("Origin") not in own_origins
    return is_foreign or request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none")


def for_workers(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Call the view with the worker; others sign in first, or join."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        worker = worker_of(request)
        if worker is None and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if worker is None:
            return redirect(f"{reverse('marketplace-join')}?next={quote(request.get_full_path())}")
        return view(request, worker, *args, **kwargs)

    return guarded


def page(request: HttpRequest, name: str, worker: Worker | None, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page of the worker site."""
    return render(request, f"marketplace/{name}.html", {"worker": worker, "tab": name, **context}, status=status)
