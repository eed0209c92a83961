"""The navigation and version, for every template."""

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
    section: str  # the start of the paths it covers


NAVIGATION = (
    NavigationItem("Pipeline", "home", "kernel.view_pipeline", ""),
    NavigationItem("Corpus", "corpora", "corpus.view_corpus", "corpus"),
    NavigationItem("Samples", "samples", "corpus.view_sample", "corpus/samples"),
    NavigationItem("Campaigns", "campaigns", "annotation.view_campaign", "campaigns"),
    NavigationItem("Review", "admin:review", "annotation.add_review", "admin/review"),
    NavigationItem("Agreement", "agreement", "annotation.view_agreementreport", "agreement"),
    NavigationItem("Releases", "releases", "annotation.view_release", "releases"),
    NavigationItem("Models", "experiments", "modeling.view_experiment", "models"),
    NavigationItem("Jobs", "jobs", "kernel.view_job", "jobs"),
    NavigationItem("API", "api-docs", "kernel.view_pipeline", "api"),
    NavigationItem("Admin", "admin:index", "kernel.access_admin", "admin"),
)


def site(request: HttpRequest) -> dict[str, Any]:
    return {"site_version": settings.VERSION, "navigation": navigation(request)}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the links that this person may open, with the current one marked."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    path = request.path_info.strip("/")
    sections = [item.section for item in NAVIGATION if f"{path}/".startswith(f"{item.section}/")]
    current = max(sections, key=len, default="" if not path else None)
    return [
        {"label": item.label, "url": reverse(item.url_name), "is_current": item.section == current}
        for item in NAVIGATION
        if user.has_perm(item.permission)
    ]
