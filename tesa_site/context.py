"""What every template knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class NavigationItem:
    label: str
    url_name: str
    permission: str
    section: str  # the first part of the paths it stands for


NAVIGATION = (
    NavigationItem("Pipeline", "home", "kernel.view_pipeline", ""),
    NavigationItem("Corpus", "corpora", "corpus.view_corpus", "corpus"),
    NavigationItem("Jobs", "jobs", "kernel.view_job", "jobs"),
    NavigationItem("API", "api-docs", "kernel.view_pipeline", "api"),
    NavigationItem("Admin", "admin:index", "kernel.access_admin", "admin"),
)


def site(request: HttpRequest) -> dict[str, Any]:
    return {"site_version": settings.VERSION, "navigation": navigation(request)}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the links this person's role may follow, the current one marked."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    section = request.path_info.strip("/").split("/")[0]
    return [
        {"label": item.label, "url": reverse(item.url_name), "is_current": section == item.section}
        for item in NAVIGATION
        if user.has_perm(item.permission)
    ]
