"""The top bar, the version and whether the browser has our typefaces, for every template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from kernel import selectors


@dataclass(frozen=True)
class NavigationItem:
    label: str
    url_name: str
    permission: str
    sections: tuple[str, ...] = ()  # the starts of the paths it covers
    starts_group: bool = False


NAVIGATION = (
    NavigationItem("Home", "home", "kernel.view_pipeline", ("",)),
    NavigationItem("Corpora", "corpora", "corpus.view_corpus", ("corpus", "admin/backgrounds")),
    NavigationItem("Campaigns", "campaigns", "annotation.view_campaign", ("campaigns", "admin/review", "agreement")),
    NavigationItem("Releases", "releases", "annotation.view_release", ("releases",)),
    NavigationItem("Models", "experiments", "modeling.view_experiment", ("models",)),
)
ACCOUNT_MENU = (
    NavigationItem("Account", "account", ""),
    NavigationItem("API tokens", "tokens", "kernel.use_tokens"),
    NavigationItem("API reference", "api-docs", "kernel.view_pipeline"),
    NavigationItem("Jobs and backups", "jobs", "kernel.view_job", starts_group=True),
    NavigationItem("Own tasks", "own-tasks", "annotation.view_taskdescription"),
    NavigationItem("Coreference scores", "coreference", "annotation.view_campaign"),
    NavigationItem("Link scores", "links", "annotation.view_campaign"),
    NavigationItem("Instructions library", "instructions-list", "annotation.view_instructions"),
    NavigationItem("Marketplace accounts", "marketplace-requesters", "marketplace.manage_requesters"),
    NavigationItem("Administration", "admin:index", "kernel.access_admin"),
)


def site(request: HttpRequest) -> dict[str, Any]:
    return {
        "site_version": settings.VERSION,
        "has_typefaces": "tesa_typefaces" in request.COOKIES,  # see app.js
        "navigation": _links(request, NAVIGATION),
        "account_menu": _links(request, ACCOUNT_MENU),
        "open_jobs": lambda: selectors.jobs(status="open").count(),
    }


def _links(request: HttpRequest, items: tuple[NavigationItem, ...]) -> list[dict[str, Any]]:
    """Return the links that this person may open, with the current one marked."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    path = request.path_info.strip("/") + "/"
    return [
        {
            "label": item.label,
            "url": reverse(item.url_name),
            "is_current": any(path.startswith(f"{section}/") for section in item.sections),
            "starts_group": item.starts_group,
        }
        for item in items
        if not item.permission or user.has_perm(item.permission)
    ]
