"""The URLs of the API: version 1, its description and its documentation."""

from __future__ import annotations

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation.api import campaign_changes, campaigns, descriptions, follow_ups, grants, releases, review, settlements
from corpus.api import corpora, corrections, entities, samples
from kernel.api import schema  # noqa: F401  (registers the sign-in schemes)
from kernel.views.access import requires
from modeling import api as modeling
from tesa_site.api import jobs, people

v1 = [
    path("corpora/", corpora.CorpusListApi.as_view(), name="api-corpora"),
    path("corpora/<int:corpus_id>/", corpora.CorpusApi.as_view(), name="api-corpus"),
    path("corpora/<int:corpus_id>/jobs/", corpora.CorpusJobsApi.as_view(), name="api-corpus-jobs"),
    path("corpora/<int:corpus_id>/problems/", corpora.ProblemListApi.as_view(), name="api-problems"),
    path("corpora/<int:corpus_id>/articles/", corpora.ArticleListApi.as_view(), name="api-articles"),
    path("corpora/<int:corpus_id>/entities/", entities.EntityListApi.as_view(), name="api-entities"),
    path("corpora/<int:corpus_id>/backgrounds/", entities.BackgroundListApi.as_view(), name="api-backgrounds"),
    path("corpora/<int:corpus_id>/instances/", samples.InstanceListApi.as_view(), name="api-instances"),
    path("corpora/<int:corpus_id>/instances.jsonl", samples.InstanceLinesApi.as_view(), name="api-instances-lines"),
    path("corpora/<int:corpus_id>/corrections/", corrections.CorrectionListApi.as_view(), name="api-corrections"),
    path("articles/<int:article_id>/", corpora.ArticleApi.as_view(), name="api-article"),
    path("entities/<int:entity_id>/", entities.EntityApi.as_view(), name="api-entity"),
    path("entities/<int:entity_id>/background/", entities.BackgroundApi.as_view(), name="api-background"),
    path("entities/<int:entity_id>/corrections/", corrections.EntityCorrectApi.as_view(), name="api-entity-correct"),
    path("corrections/<int:correction_id>/undo/", corrections.CorrectionUndoApi.as_view(), name="api-correction-undo"),
    path("samples/", samples.SampleListApi.as_view(), name="api-samples"),
    path("samples/import/", samples.SampleImportApi.as_view(), name="api-sample-import"),
    path("samples/preview/", samples.SamplePreviewApi.as_view(), name="api-sample-preview"),
    path("samples/<int:sample_id>/", samples.SampleApi.as_view(), name="api-sample"),
    path("samples/<int:sample_id>/instances/", samples.MemberListApi.as_view(), name="api-sample-instances"),
    path("samples/<int:sample_id>/instances.jsonl", samples.MemberLinesApi.as_view(), name="api-sample-lines"),
    path("releases/", releases.ReleaseListApi.as_view(), name="api-releases"),
    path("releases/<int:release_id>/", releases.ReleaseApi.as_view(), name="api-release"),
    path("releases/<int:release_id>/items/", releases.ReleaseItemListApi.as_view(), name="api-release-items"),
    path("releases/<int:release_id>/files/", releases.ReleaseFileListApi.as_view(), name="api-release-files"),
    path("releases/<int:release_id>/files/<slug:kind>/", releases.ReleaseFileApi.as_view(), name="api-release-file"),
    path("grants/", grants.GrantListApi.as_view(), name="api-grants"),
    path("grants/<int:grant_id>/people/", grants.GrantPeopleApi.as_view(), name="api-grant-people"),
    path("grants/held/<int:held_id>/take/", grants.GrantTakeApi.as_view(), name="api-grant-take"),
    path("own-tasks/", descriptions.DescriptionListApi.as_view(), name="api-own-tasks"),
    path("own-tasks/<int:number>/versions/<int:version>/", descriptions.DescriptionApi.as_view(), name="api-own-task"),
    path("campaigns/", campaign_changes.CampaignsApi.as_view(), name="api-campaigns"),
    path("campaigns/<int:campaign_id>/", campaign_changes.OneCampaignApi.as_view(), name="api-campaign"),
    path("campaigns/<int:campaign_id>/start/", campaign_changes.CampaignStartApi.as_view(), name="api-campaign-start"),
    path("campaigns/<int:campaign_id>/pause/", campaign_changes.CampaignPauseApi.as_view(), name="api-campaign-pause"),
    path(
        "campaigns/<int:campaign_id>/resume/", campaign_changes.CampaignResumeApi.as_view(), name="api-campaign-resume"
    ),
    path("campaigns/<int:campaign_id>/close/", campaign_changes.CampaignCloseApi.as_view(), name="api-campaign-close"),
    path("campaigns/<int:campaign_id>/invites/", campaign_changes.InviteListApi.as_view(), name="api-invites"),
    path("campaigns/<int:campaign_id>/follow-ups/", follow_ups.FollowUpListApi.as_view(), name="api-follow-ups"),
    path("invites/<int:invite_id>/revoke/", campaign_changes.InviteRevokeApi.as_view(), name="api-invite-revoke"),
    path("campaigns/<int:campaign_id>/annotations/", campaigns.AnnotationListApi.as_view(), name="api-annotations"),
    path("review/<int:campaign_id>/", review.ReviewQueueApi.as_view(), name="api-review"),
    path("review/<int:campaign_id>/verdicts/", review.VerdictApi.as_view(), name="api-review-verdicts"),
    path("review/<int:campaign_id>/score/", review.ReviewScoreApi.as_view(), name="api-review-score"),
    path("review/<int:campaign_id>/accept/", review.AcceptAgreedApi.as_view(), name="api-review-accept"),
    path("review/<int:campaign_id>/undo/", review.ReviewUndoApi.as_view(), name="api-review-undo"),
    path(
        "review/<int:campaign_id>/tasks/<int:task_id>/settlements/",
        settlements.SettlementsApi.as_view(),
        name="api-settlements",
    ),
    path(
        "review/<int:campaign_id>/tasks/<int:task_id>/settlements/undo/",
        settlements.UndoSettlementApi.as_view(),
        name="api-settlement-undo",
    ),
    path("experiments/", modeling.ExperimentListApi.as_view(), name="api-experiments"),
    path("experiments/<int:experiment_id>/", modeling.ExperimentApi.as_view(), name="api-experiment"),
    re_path(
        r"^experiments/(?P<experiment_id>\d{1,9})/tasks/(?P<kind>jsonl|csv|fairseq)/$",
        modeling.TaskFileApi.as_view(),
        name="api-experiment-tasks",
    ),
    path("splits/<int:split_id>/huggingface/", modeling.SplitFolderApi.as_view(), name="api-split-folder"),
    path("runs/", modeling.RunListApi.as_view(), name="api-runs"),
    path("runs/<int:run_id>/", modeling.RunApi.as_view(), name="api-run"),
    path("me/", people.MeApi.as_view(), name="api-me"),
    path("jobs/", jobs.JobListApi.as_view(), name="api-jobs"),
    path("jobs/<int:job_id>/", jobs.JobApi.as_view(), name="api-job"),
    path("jobs/<int:job_id>/cancel/", jobs.JobCancelApi.as_view(), name="api-job-cancel"),
    path("jobs/<int:job_id>/retry/", jobs.JobRetryApi.as_view(), name="api-job-retry"),
    path("workers/", jobs.WorkerListApi.as_view(), name="api-workers"),
]

urlpatterns = [
    path("v1/", include(v1)),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", requires()(SpectacularSwaggerSplitView.as_view(url_name="api-schema")), name="api-docs"),
]
