"""The URLs of all pages. (tesa_site.middleware.probes answers /healthz and /readyz.)"""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path, re_path

from tesa_site.views import account, errors, home, jobs

urlpatterns = [
    path("", home.home, name="home"),
    path("search/", home.search, name="search"),
    path("components/", home.components, name="components"),
    path("corpus/", include("corpus.urls")),
    path("", include("annotation.urls")),
    path("", include("marketplace.urls")),
    path("models/", include("modeling.urls")),
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/jobs.csv", jobs.jobs_file, name="jobs-file"),
    re_path(r"^jobs/by-day\.(?P<format>svg|csv)$", jobs.jobs_plot, name="jobs-plot"),
    path("jobs/check/", jobs.start_check, name="start-check"),
    re_path(r"^jobs/(?P<kind>back_up|clean_up)/$", jobs.start_upkeep, name="start-upkeep"),
    path("jobs/decide/", jobs.decide, name="jobs-decide"),
    path("jobs/<int:job_id>/", jobs.job_page, name="job"),
    path("jobs/<int:job_id>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<int:job_id>/retry/", jobs.retry, name="job-retry"),
    path("jobs/backups/<str:name>", jobs.download_backup, name="backup"),
    path("account/", account.account, name="account"),
    path("account/notices/", account.set_notices, name="account-notices"),
    path("account/sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("account/sign-out/", LogoutView.as_view(), name="sign-out"),
    path("account/password/", account.PasswordChange.as_view(), name="password-change"),
    path("account/forgot/", account.PasswordReset.as_view(), name="password-reset"),
    path("account/forgot/sent/", account.PasswordResetSent.as_view(), name="password-reset-sent"),
    path("account/forgot/<uidb64>/<token>/", account.PasswordResetConfirm.as_view(), name="password-reset-confirm"),
    path("account/tokens/", account.api_tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", account.revoke_token, name="token-revoke"),
    path("api/", include("tesa_site.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
