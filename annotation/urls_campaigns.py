"""/campaigns/: what researchers see of campaigns."""

from __future__ import annotations

from django.urls import path, re_path

from annotation.views import (
    answers,
    campaign_plots,
    campaign_steps,
    campaigns,
    gold,
    instructions,
    payments,
    people,
    trying,
)

urlpatterns = [
    path("", campaigns.campaign_list, name="campaigns"),
    path("new/", campaigns.new_campaign, name="campaign-new"),
    path("instructions/", instructions.instructions_list, name="instructions-list"),
    path("instructions/ours/", instructions.add_ours, name="instructions-ours"),
    path("instructions/<int:version_id>/", instructions.instructions_page, name="instructions"),
    path("instructions/<int:version_id>/new/", instructions.new_version, name="instructions-new"),
    path("invites/<int:invite_id>/revoke/", campaigns.revoke_invite, name="invite-revoke"),
    path("late/<int:assignment_id>/decide/", payments.decide_late, name="late-decide"),
    path("payments/<int:payment_id>/cancel/", payments.cancel, name="payment-cancel"),
    path("reports/<int:report_id>/settle/", people.settle_report, name="report-settle"),
    path("people/<int:person_id>/", people.person_page, name="campaign-person"),
    path("people/<int:person_id>/decide/", people.decide, name="person-decide"),
    path("tasks/<int:task_id>/gold/", gold.set_gold, name="gold-set"),
    path("<int:campaign_id>/", campaigns.campaign_page, name="campaign"),
    path("<int:campaign_id>/edit/", campaigns.edit_campaign, name="campaign-edit"),
    path("<int:campaign_id>/make/", campaigns.make_tasks, name="campaign-make"),
    path("<int:campaign_id>/do/<slug:action>/", campaign_steps.step, name="campaign-step"),
    path("<int:campaign_id>/delete/", campaign_steps.delete, name="campaign-delete"),
    path("<int:campaign_id>/invites/", campaigns.make_invite, name="campaign-invites"),
    path("<int:campaign_id>/gold/", gold.gold_page, name="campaign-gold"),
    path("<int:campaign_id>/people/", people.people_page, name="campaign-people"),
    path("<int:campaign_id>/people/look/", people.look, name="campaign-look"),
    path("<int:campaign_id>/payments/", payments.payments_page, name="campaign-payments"),
    path("<int:campaign_id>/payments/mark/", payments.mark_paid, name="payments-mark"),
    path("<int:campaign_id>/payments/payments.csv", payments.payments_file, name="payments-file"),
    path("<int:campaign_id>/try/<int:position>/", trying.try_out, name="campaign-try"),
    path("<int:campaign_id>/try/<int:position>/check/", trying.check, name="campaign-try-check"),
    path("<int:campaign_id>/answers/", answers.answers_page, name="campaign-answers"),
    path("<int:campaign_id>/answers/import/", answers.import_results, name="campaign-import"),
    re_path(
        r"^(?P<campaign_id>[0-9]{1,18})/answers/annotations\.(?P<format>csv|jsonl)$",
        answers.export,
        name="campaign-export",
    ),
    path("<int:campaign_id>/plots/", campaign_plots.campaign_plots, name="campaign-plots"),
    re_path(
        r"^(?P<campaign_id>[0-9]{1,18})/plots/(?P<name>[a-z]+)\.(?P<format>svg|csv)$",
        campaign_plots.plot_file,
        name="campaign-plot",
    ),
]
