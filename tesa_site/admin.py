"""Django's admin, with our sign-in page, permission and pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path


class TesaAdminSite(admin.AdminSite):
    site_header = "TESA admin"
    site_title = "TESA admin"
    index_title = "Administration"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.has_perm("kernel.access_admin")

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Add our own pages that belong in the admin."""
        from annotation.urls import review_pages
        from corpus.views import backgrounds

        own: list[URLPattern | URLResolver] = [
            path("backgrounds/<int:corpus_id>/", self.admin_view(backgrounds.background_queue), name="backgrounds"),
            path("review/", include(review_pages(self.admin_view))),
        ]
        return [*own, *super().get_urls()]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to our sign-in page. People who are signed in already lack the permission."""
        from tesa_site.views import errors

        if request.user.is_authenticated:
            return errors.forbidden(request)
        return redirect_to_login(request.GET.get("next") or request.get_full_path())
