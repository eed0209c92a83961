from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path

from kernel.views.access import requires, signed_in
from tesa_site import urls


@requires()
def bare(request: HttpRequest) -> HttpResponse:
    """Who is signed in, and nothing else: all middleware, no template, no query of its own."""
    return HttpResponse(signed_in(request).username)


urlpatterns = [path("bare/", bare), *urls.urlpatterns]
handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500
