from __future__ import annotations

from django.urls import path, re_path

from marketplace.api import endpoint
from marketplace.views import browsing, qualifications, requesters, working

urlpatterns = [
    re_path(r"^mturk/?$", endpoint.endpoint, name="mturk"),
    path("marketplace/", browsing.browse, name="marketplace"),
    path("marketplace/join/", browsing.join, name="marketplace-join"),
    path("marketplace/enter/<str:secret>/", browsing.enter, name="marketplace-enter"),
    path("marketplace/groups/<str:group_id>/", working.preview, name="marketplace-preview"),
    path("marketplace/groups/<str:group_id>/accept/", working.accept, name="marketplace-accept"),
    path("marketplace/queue/", browsing.queue, name="marketplace-queue"),
    path("marketplace/work/<str:assignment_id>/", working.work, name="marketplace-work"),
    path("marketplace/work/<str:assignment_id>/return/", working.give_back, name="marketplace-return"),
    path("marketplace/html/<str:hit_id>/", working.html_question, name="marketplace-html"),
    path("marketplace/submit/<str:token>/mturk/externalSubmit", working.submit, name="marketplace-submit"),
    path("marketplace/dashboard/", browsing.dashboard, name="marketplace-dashboard"),
    path("marketplace/qualifications/", qualifications.qualification_list, name="marketplace-qualifications"),
    path("marketplace/qualifications/of/<int:requester_id>/", qualifications.offered, name="marketplace-offered"),
    path("marketplace/qualifications/<str:type_id>/", qualifications.qualification, name="marketplace-qualification"),
    path("marketplace/tests/<str:request_id>/", qualifications.take_test, name="marketplace-test"),
    path("marketplace/messages/", browsing.message_list, name="marketplace-messages"),
    path("marketplace/contact/<int:requester_id>/", browsing.contact, name="marketplace-contact"),
    path("marketplace/report/<str:hit_id>/", browsing.report, name="marketplace-report"),
    path("marketplace/requesters/", requesters.requester_list, name="marketplace-requesters"),
    path("marketplace/requesters/<int:requester_id>/", requesters.requester, name="marketplace-requester"),
    path("marketplace/requesters/<int:requester_id>/keys/", requesters.make_key, name="marketplace-key"),
    path("marketplace/requesters/<int:requester_id>/deposit/", requesters.deposit, name="marketplace-deposit"),
    path("marketplace/requesters/<int:requester_id>/sandbox/", requesters.configure, name="marketplace-sandbox"),
    path("marketplace/requesters/<int:requester_id>/requests/", requesters.request_list, name="marketplace-requests"),
    path(
        "marketplace/requesters/<int:requester_id>/requests/<str:request_id>/",
        requesters.decide_request,
        name="marketplace-decide",
    ),
    path("marketplace/keys/<int:key_id>/revoke/", requesters.revoke_key, name="marketplace-revoke"),
    path("marketplace/reports/<int:report_id>/", requesters.settle_report, name="marketplace-settle-report"),
]
