"""All pages of annotation, with their addresses below the site's root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http.response import HttpResponseBase
from django.urls import URLPattern, include, path, re_path
from django.views.generic import RedirectView

from annotation.views import (
    agreement,
    answers,
    campaign_list,
    campaign_steps,
    campaign_tasks,
    campaigns,
    comparisons,
    descriptions,
    follow_ups,
    grants,
    instructions,
    lessons,
    linking,
    lookups,
    market,
    participants,
    payments,
    practice_questions,
    previews,
    publish,
    releases,
    review,
    settlements,
    topping_up,
    votes,
)
from annotation.views.work_pages import answering, doors, learning, mine


def leads_to(name: str) -> Callable[..., HttpResponseBase]:
    """Return a view that sends people who are signed in on to another address with the same arguments."""
    return login_required(RedirectView.as_view(pattern_name=name))


# The participants' pages. Their addresses hold a secret.
participant_pages = [
    path("start/<int:campaign_id>/", doors.start_as_user, name="work-start"),
    path("panel/<str:slug>/", doors.arrive, name="work-arrive"),
    path("join/<str:code>/", doors.invited, name="work-join"),
    path("<str:secret>/", answering.work, name="work"),
    path("<str:secret>/welcome/", doors.welcome, name="work-welcome"),
    path("<str:secret>/consent/", answering.consent, name="work-consent"),
    path("<str:secret>/instructions/", answering.instructions, name="work-instructions"),
    path("<str:secret>/practice/<int:number>/", learning.practice, name="work-practice"),
    path("<str:secret>/practice/<int:number>/checks/", learning.practice_checks, name="work-practice-checks"),
    path("<str:secret>/quiz/", learning.quiz, name="work-quiz"),
    path("<str:secret>/answer/<int:assignment_id>/", answering.answer, name="work-answer"),
    path("<str:secret>/turn/<int:assignment_id>/", answering.turn_state, name="work-turn"),
    path("<str:secret>/draft/<int:assignment_id>/", answering.draft, name="work-draft"),
    path("<str:secret>/back/<int:assignment_id>/", answering.give_back, name="work-back"),
    path("<str:secret>/finish/", answering.finish, name="work-finish"),
    path("<str:secret>/mine/", mine.mine, name="work-mine"),
    path("<str:secret>/mine/<int:assignment_id>/", mine.correct, name="work-correct"),
    path("<str:secret>/report/<int:assignment_id>/", mine.report, name="work-report"),
    path("<str:secret>/payment/", mine.payment, name="work-payment"),
    path("<str:secret>/leave/", mine.leave, name="work-leave"),
    path("<str:secret>/lookup/<slug:name>/", lookups.look_up, name="work-lookup"),
]

campaign_pages = [
    path("", campaign_list.campaign_list, name="campaigns"),
    path("campaigns.csv", campaign_list.campaigns_file, name="campaigns-file"),
    path("new/", campaigns.new_campaign, name="campaign-new"),
    path("instructions/", instructions.instructions_list, name="instructions-list"),
    path("instructions/ours/", instructions.add_ours, name="instructions-ours"),
    path("instructions/<int:version_id>/", instructions.instructions_page, name="instructions"),
    path("instructions/<int:version_id>/new/", instructions.new_version, name="instructions-new"),
    path("grants/", grants.grant_list, name="grants"),
    path("grants/<int:grant_id>/", grants.grant_page, name="grant"),
    path("grants/held/<int:held_id>/take/", grants.take, name="grant-take"),
    path("tasks/", descriptions.task_list, name="own-tasks"),
    path("tasks/new/", descriptions.new_task, name="own-task-new"),
    path("tasks/preview/", descriptions.preview, name="own-task-preview"),
    path("tasks/schema.json", descriptions.schema, name="own-task-schema"),
    path("tasks/<int:number>/<int:version>/", descriptions.task_page, name="own-task"),
    path("tasks/<int:number>/<int:version>/task.yaml", descriptions.task_file, name="own-task-file"),
    path("lookup/<slug:name>/", lookups.team_look_up, name="lookup"),
    path("links/", linking.evaluate_links, name="links"),
    path("links/<slug:token>/", linking.scores, name="links-scores"),
    path("links/<slug:token>/scores.<slug:format>", linking.scores_file, name="links-file"),
    path("links/<slug:token>/<int:number>/", linking.text, name="links-text"),
    path("coreference/", comparisons.compare, name="coreference"),
    path("coreference/<slug:token>/", comparisons.scores, name="coreference-scores"),
    path("coreference/<slug:token>/scores.<slug:format>", comparisons.scores_file, name="coreference-file"),
    path("coreference/<slug:token>/<int:response>/<int:number>/", comparisons.document, name="coreference-document"),
    path("invites/<int:invite_id>/revoke/", campaigns.revoke_invite, name="invite-revoke"),
    path("late/<int:assignment_id>/decide/", payments.decide_late, name="late-decide"),
    path("payments/<int:payment_id>/cancel/", payments.cancel, name="payment-cancel"),
    path("reports/<int:report_id>/settle/", participants.settle_report, name="report-settle"),
    path("people/<int:person_id>/", participants.person_page, name="campaign-person"),
    path("tasks/<int:task_id>/gold/", campaign_tasks.set_gold, name="gold-set"),
    path("<int:campaign_id>/", campaigns.campaign_page, name="campaign"),
    path("<int:campaign_id>/settings/", campaigns.settings_page, name="campaign-settings"),
    path("<int:campaign_id>/review/", leads_to("admin:review-queue"), name="campaign-review"),
    path("<int:campaign_id>/agreement/", agreement.campaign_page, name="agreement-campaign"),
    path("<int:campaign_id>/edit/", campaigns.edit_campaign, name="campaign-edit"),
    path("<int:campaign_id>/make/", campaigns.make_tasks, name="campaign-make"),
    path("<int:campaign_id>/do/<slug:action>/", campaign_steps.step, name="campaign-step"),
    path("<int:campaign_id>/follow-up/", follow_ups.new_follow_up, name="campaign-follow-up"),
    path("<int:campaign_id>/votes/", votes.votes_page, name="campaign-votes"),
    re_path(r"^(?P<campaign_id>[0-9]{1,18})/votes/(?P<name>[a-z]+)\.csv$", votes.votes_file, name="votes-file"),
    path("<int:campaign_id>/delete/", campaign_steps.delete, name="campaign-delete"),
    path("<int:campaign_id>/invites/", campaigns.make_invite, name="campaign-invites"),
    path("<int:campaign_id>/gold/", campaign_tasks.gold_page, name="campaign-gold"),
    path("<int:campaign_id>/lessons/", lessons.lessons_page, name="campaign-lessons"),
    path("<int:campaign_id>/lessons/lessons.json", lessons.lessons_file, name="lessons-file"),
    path("<int:campaign_id>/lessons/change/", lessons.change, name="lessons-change"),
    path("<int:campaign_id>/lessons/delete/", lessons.delete, name="lessons-delete"),
    path("<int:campaign_id>/lessons/practice/", practice_questions.practice_question, name="lessons-practice"),
    path("<int:campaign_id>/lessons/quiz/", lessons.quiz_question, name="lessons-quiz"),
    path("<int:campaign_id>/preview/", previews.consent, name="campaign-preview"),
    path("<int:campaign_id>/preview/leave/", previews.leave, name="preview-leave"),
    path("<int:campaign_id>/preview/instructions/", previews.instructions, name="preview-instructions"),
    path("<int:campaign_id>/preview/practice/<int:number>/", previews.practice, name="preview-practice"),
    path("<int:campaign_id>/preview/practice/<int:number>/checks/", previews.checks, name="preview-checks"),
    path("<int:campaign_id>/preview/quiz/", previews.quiz, name="preview-quiz"),
    path("<int:campaign_id>/people/", participants.people_page, name="campaign-people"),
    path("<int:campaign_id>/people/participants.csv", participants.people_file, name="people-file"),
    path("<int:campaign_id>/people/decide/", participants.decide, name="people-decide"),
    path("<int:campaign_id>/people/look/", participants.look, name="campaign-look"),
    path("<int:campaign_id>/payments/", payments.payments_page, name="campaign-payments"),
    path("<int:campaign_id>/payments/mark/", payments.mark_paid, name="payments-mark"),
    path("<int:campaign_id>/payments/payments.csv", payments.payments_file, name="payments-file"),
    path("<int:campaign_id>/payments/top-up/", topping_up.top_up, name="payments-top-up"),
    path("<int:campaign_id>/marketplace/", market.market_page, name="campaign-market"),
    path("<int:campaign_id>/marketplace/ledger.csv", market.ledger_file, name="market-ledger"),
    path("<int:campaign_id>/marketplace/differences/<int:difference_id>/", market.mend, name="market-mend"),
    path("<int:campaign_id>/marketplace/publish/", publish.publish_page, name="campaign-publish"),
    path("<int:campaign_id>/marketplace/publish/frame/", publish.frame, name="publish-frame"),
    path("<int:campaign_id>/marketplace/publish/rehearse/", publish.rehearse, name="publish-rehearse"),
    path("<int:campaign_id>/marketplace/publish/open/", publish.publish, name="publish-open"),
    path("<int:campaign_id>/marketplace/<slug:action>/", market.act, name="market-act"),
    path("marketplace/expire/", market.expire_everything, name="market-expire"),
    path("<int:campaign_id>/try/<int:position>/", campaign_tasks.try_out, name="campaign-try"),
    path("<int:campaign_id>/try/<int:position>/check/", campaign_tasks.check, name="campaign-try-check"),
    path("<int:campaign_id>/answers/", answers.answers_page, name="campaign-answers"),
    path("<int:campaign_id>/answers/import/", answers.import_results, name="campaign-import"),
    re_path(
        r"^(?P<campaign_id>[0-9]{1,18})/answers/annotations\.(?P<format>csv|jsonl)$",
        answers.export,
        name="campaign-export",
    ),
    path("<int:campaign_id>/plots/", campaigns.campaign_plots, name="campaign-plots"),
    re_path(
        r"^(?P<campaign_id>[0-9]{1,18})/plots/(?P<name>[a-z]+)\.(?P<format>svg|csv)$",
        campaigns.plot_file,
        name="campaign-plot",
    ),
]

agreement_pages = [
    path("", leads_to("campaigns"), name="agreement"),
    path("<int:campaign_id>/", leads_to("agreement-campaign"), name="agreement-old"),
    re_path(
        r"^(?P<campaign_id>\d{1,18})/(?P<kind>worker|type|day|instance)\.(?P<format>svg|csv)$",
        agreement.plot,
        name="agreement-plot",
    ),
]

release_pages = [
    path("", releases.release_list, name="releases"),
    path("new/", releases.new_release, name="release-new"),
    path("compare/", releases.compare, name="release-compare"),
    path("<int:release_id>/", releases.release_page, name="release"),
    path("<int:release_id>/files/", releases.release_page, {"tab": "files"}, name="release-files"),
    path("<int:release_id>/recipe/", releases.release_page, {"tab": "recipe"}, name="release-recipe"),
    path("<int:release_id>/items/", releases.item_list, name="release-items"),
    path("<int:release_id>/items/<int:position>/", releases.item_page, name="release-item"),
    path("<int:release_id>/discarded/", releases.discarded, name="release-discarded"),
    re_path(r"^(?P<release_id>\d{1,18})/statistics\.(?P<format>svg|csv)$", releases.plot, name="release-plot"),
    path("<int:release_id>/files/<slug:format>/", releases.download, name="release-download"),
    path("<int:release_id>/export/", releases.export, name="release-export"),
    path("<int:release_id>/delete/", releases.delete, name="release-delete"),
]

urlpatterns = [
    path("task/", include(participant_pages)),
    path("campaigns/", include(campaign_pages)),
    path("agreement/", include(agreement_pages)),
    path("releases/", include(release_pages)),
]


def review_pages(wrap: Callable[..., Any]) -> list[URLPattern]:
    """Return the pages below /admin/review/; the admin's site mounts them and wraps every view."""
    return [
        path("", wrap(review.campaign_list), name="review"),
        path("<int:campaign_id>/", wrap(review.queue), name="review-queue"),
        path("<int:campaign_id>/tasks/", wrap(review.task_list), name="review-tasks"),
        path("<int:campaign_id>/cleaning/", wrap(review.cleaning), name="review-cleaning"),
        path("<int:campaign_id>/answers/<int:annotation_id>/", wrap(review.decide), name="review-decide"),
        path("<int:campaign_id>/tasks/<int:task_id>/", wrap(settlements.settle), name="review-settle"),
        path("<int:campaign_id>/people/<int:person_id>/", wrap(review.decide_many), name="review-decide-many"),
        path("<int:campaign_id>/undo/", wrap(review.undo), name="review-undo"),
        path("<int:campaign_id>/accept/", wrap(review.accept), name="review-accept"),
        path("<int:campaign_id>/reviewers/", wrap(review.set_reviewers), name="review-reviewers"),
        path("<int:campaign_id>/assess/", wrap(review.assess), name="review-assess"),
    ]
