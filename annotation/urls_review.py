"""/admin/review/: mounted by the admin's site, which wraps every view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from annotation.views import review, review_steps


def patterns(wrap: Callable[..., Any]) -> list[URLPattern]:
    """Return the pages of the review, each behind the admin's door."""
    return [
        path("", wrap(review.campaign_list), name="review"),
        path("<int:campaign_id>/", wrap(review.queue), name="review-queue"),
        path("<int:campaign_id>/tasks/", wrap(review.task_list), name="review-tasks"),
        path("<int:campaign_id>/cleaning/", wrap(review.cleaning), name="review-cleaning"),
        path("<int:campaign_id>/answers/<int:annotation_id>/", wrap(review_steps.decide), name="review-decide"),
        path("<int:campaign_id>/undo/", wrap(review_steps.undo), name="review-undo"),
        path("<int:campaign_id>/accept/", wrap(review_steps.accept_agreed), name="review-accept"),
        path("<int:campaign_id>/reviewers/", wrap(review_steps.set_reviewers), name="review-reviewers"),
        path("<int:campaign_id>/assess/", wrap(review_steps.assess), name="review-assess"),
    ]
