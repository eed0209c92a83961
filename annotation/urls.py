"""The participants' pages, under /task/. Their addresses hold a secret."""

from __future__ import annotations

from django.urls import path

from annotation.views import doors, learning, mine, work

urlpatterns = [
    path("start/<int:campaign_id>/", doors.start_as_user, name="work-start"),
    path("panel/<str:slug>/", doors.arrive, name="work-arrive"),
    path("join/<str:code>/", doors.invited, name="work-join"),
    path("<str:secret>/", work.work, name="work"),
    path("<str:secret>/welcome/", doors.welcome, name="work-welcome"),
    path("<str:secret>/consent/", work.consent, name="work-consent"),
    path("<str:secret>/instructions/", work.instructions, name="work-instructions"),
    path("<str:secret>/practice/<int:number>/", learning.practice, name="work-practice"),
    path("<str:secret>/practice/<int:number>/checks/", learning.practice_checks, name="work-practice-checks"),
    path("<str:secret>/quiz/", learning.quiz, name="work-quiz"),
    path("<str:secret>/answer/<int:assignment_id>/", work.answer, name="work-answer"),
    path("<str:secret>/turn/<int:assignment_id>/", work.turn_state, name="work-turn"),
    path("<str:secret>/draft/<int:assignment_id>/", work.draft, name="work-draft"),
    path("<str:secret>/back/<int:assignment_id>/", work.give_back, name="work-back"),
    path("<str:secret>/finish/", work.finish, name="work-finish"),
    path("<str:secret>/mine/", mine.mine, name="work-mine"),
    path("<str:secret>/mine/<int:assignment_id>/", mine.correct, name="work-correct"),
    path("<str:secret>/report/<int:assignment_id>/", mine.report, name="work-report"),
    path("<str:secret>/payment/", mine.payment, name="work-payment"),
    path("<str:secret>/leave/", mine.leave, name="work-leave"),
]
