"""The worker's pages, under /task/. Their addresses hold a secret."""

from __future__ import annotations

from django.urls import path

from annotation.views import doors, work

urlpatterns = [
    path("start/<int:campaign_id>/", doors.start_as_user, name="work-start"),
    path("<str:secret>/", work.work, name="work"),
    path("<str:secret>/consent/", work.consent, name="work-consent"),
    path("<str:secret>/instructions/", work.instructions, name="work-instructions"),
    path("<str:secret>/answer/<int:assignment_id>/", work.answer, name="work-answer"),
    path("<str:secret>/draft/<int:assignment_id>/", work.draft, name="work-draft"),
    path("<str:secret>/back/<int:assignment_id>/", work.give_back, name="work-back"),
]
