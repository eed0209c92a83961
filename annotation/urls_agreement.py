"""/agreement/: how far the people of each campaign agree."""

from __future__ import annotations

from django.urls import path, re_path

from annotation.views import agreement

urlpatterns = [
    path("", agreement.campaign_list, name="agreement"),
    path("<int:campaign_id>/", agreement.campaign_page, name="agreement-campaign"),
    re_path(
        r"^(?P<campaign_id>\d+)/(?P<kind>worker|type|day|instance)\.(?P<format>svg|csv)$",
        agreement.plot,
        name="agreement-plot",
    ),
]
