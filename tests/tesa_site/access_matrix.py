"""Every URL of the product, and what everybody who may come is answered."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import admin

from kernel.roles import Role

IN, OUT, NO = 302, 302, 403  # OUT: sent to the sign-in page
API_OUT = 401


class Row(NamedTuple):
    """Expected status for anonymous, annotator, researcher, administrator."""

    method: str
    anonymous: int
    annotator: int
    researcher: int
    administrator: int


GET, POST = "get", "post"
MATRIX: dict[str, Row] = {
    "home": Row(GET, OUT, 200, 200, 200),
    "search": Row(GET, OUT, NO, 200, 200),
    "components": Row(GET, OUT, NO, 200, 200),
    "corpora": Row(GET, OUT, NO, 200, 200),
    "corpus-new": Row(GET, OUT, NO, 200, 200),
    "corpus": Row(GET, OUT, NO, 200, 200),
    "corpus-articles": Row(GET, OUT, NO, 200, 200),
    "corpus-samples": Row(GET, OUT, NO, 200, 200),
    "corpus-problems": Row(GET, OUT, NO, 200, 200),
    "corpus-funnel": Row(GET, OUT, NO, 404, 404),  # nothing was searched
    "corpus-read": Row(POST, OUT, NO, 302, 302),
    "corpus-delete": Row(GET, OUT, NO, 200, 200),
    "corpus-find": Row(POST, OUT, NO, 302, 302),
    "corpus-backgrounds": Row(POST, OUT, NO, 302, 302),
    "background-list": Row(GET, OUT, NO, 200, 200),
    "corrections": Row(GET, OUT, NO, 200, 200),
    "recognized": Row(GET, OUT, NO, 200, 200),
    "entity-correct": Row(POST, OUT, NO, 302, 302),
    "correction-undo": Row(POST, OUT, NO, 302, 302),
    "background-decide": Row(POST, OUT, NO, 302, 302),
    "entities": Row(GET, OUT, NO, 200, 200),
    "articles-file": Row(GET, OUT, NO, 200, 200),
    "entities-file": Row(GET, OUT, NO, 200, 200),
    "instances-file": Row(GET, OUT, NO, 200, 200),
    "entity": Row(GET, OUT, NO, 200, 200),
    "instances": Row(GET, OUT, NO, 200, 200),
    "instance": Row(GET, OUT, NO, 200, 200),
    "instances-download": Row(GET, OUT, NO, 200, 200),
    "samples": Row(GET, OUT, NO, 200, 200),
    "sample": Row(GET, OUT, NO, 200, 200),
    "sample-member": Row(GET, OUT, NO, 200, 200),
    "sample-plot": Row(GET, OUT, NO, 200, 200),
    "sample-download": Row(GET, OUT, NO, 200, 200),
    "sample-draw": Row(GET, OUT, NO, 200, 200),
    "sample-import": Row(GET, OUT, NO, 200, 200),
    "sample-delete": Row(GET, OUT, NO, 200, 200),
    "releases": Row(GET, OUT, NO, 200, 200),
    "release": Row(GET, OUT, NO, 200, 200),
    "release-files": Row(GET, OUT, NO, 200, 200),
    "release-recipe": Row(GET, OUT, NO, 200, 200),
    "release-new": Row(GET, OUT, NO, 200, 200),
    "release-compare": Row(GET, OUT, NO, 200, 200),
    "release-items": Row(GET, OUT, NO, 200, 200),
    "release-item": Row(GET, OUT, NO, 200, 200),
    "release-discarded": Row(GET, OUT, NO, 200, 200),
    "release-plot": Row(GET, OUT, NO, 200, 200),
    "release-download": Row(GET, OUT, NO, 404, 404),  # nothing was exported
    "release-export": Row(POST, OUT, NO, 302, 302),
    "release-delete": Row(GET, OUT, NO, 200, 200),
    "api-releases": Row(GET, API_OUT, NO, 200, 200),
    "api-release": Row(GET, API_OUT, NO, 200, 200),
    "api-release-items": Row(GET, API_OUT, NO, 200, 200),
    "api-release-files": Row(GET, API_OUT, NO, 200, 200),
    "api-release-file": Row(GET, API_OUT, NO, 404, 404),  # nothing was exported
    "article": Row(GET, OUT, NO, 200, 200),
    "campaigns": Row(GET, OUT, NO, 200, 200),
    "campaigns-file": Row(GET, OUT, NO, 200, 200),
    "campaign-new": Row(GET, OUT, NO, 200, 200),
    "campaign": Row(GET, OUT, NO, 200, 200),
    "campaign-settings": Row(GET, OUT, NO, 200, 200),
    "campaign-review": Row(GET, 302, 302, 302, 302),  # sent on to the review itself
    "agreement-old": Row(GET, 302, 302, 302, 302),  # sent on to the campaign's tab
    "campaign-follow-up": Row(GET, OUT, NO, 200, 200),
    "campaign-votes": Row(GET, OUT, NO, 200, 200),
    "votes-file": Row(GET, OUT, NO, 200, 200),
    "campaign-edit": Row(GET, OUT, NO, 200, 200),
    "campaign-make": Row(POST, OUT, NO, 302, 302),
    "campaign-step": Row(GET, OUT, NO, 200, 200),
    "campaign-delete": Row(GET, OUT, NO, 200, 200),
    "campaign-invites": Row(POST, OUT, NO, 302, 302),
    "campaign-gold": Row(GET, OUT, NO, 200, 200),
    "campaign-lessons": Row(GET, OUT, NO, 200, 200),
    "lessons-file": Row(GET, OUT, NO, 200, 200),
    "lessons-change": Row(POST, OUT, NO, 302, 302),
    "lessons-delete": Row(GET, OUT, NO, 302, 302),  # which question is not said rightly: back to the list
    "lessons-practice": Row(GET, OUT, NO, 200, 200),
    "lessons-quiz": Row(GET, OUT, NO, 200, 200),
    "campaign-preview": Row(GET, OUT, NO, 200, 200),
    "preview-leave": Row(POST, OUT, NO, 302, 302),
    "preview-instructions": Row(GET, OUT, NO, 200, 200),
    "preview-practice": Row(GET, OUT, NO, 200, 200),
    "preview-checks": Row(POST, OUT, NO, 200, 200),
    "preview-quiz": Row(GET, OUT, NO, 200, 200),
    "campaign-people": Row(GET, OUT, NO, 200, 200),
    "campaign-look": Row(POST, OUT, NO, 302, 302),
    "campaign-person": Row(GET, OUT, NO, 200, 200),
    "people-file": Row(GET, OUT, NO, 200, 200),
    "people-decide": Row(GET, OUT, NO, 422, 422),  # what is to be decided is not said
    "campaign-market": Row(GET, OUT, NO, 200, 200),
    "campaign-publish": Row(GET, OUT, NO, 200, 200),
    "publish-frame": Row(GET, OUT, NO, 200, 200),
    "publish-rehearse": Row(POST, OUT, NO, 302, 302),
    "publish-open": Row(POST, OUT, NO, NO, NO),
    # Who pays is decided person by person: no role may.
    "market-expire": Row(GET, OUT, NO, NO, NO),
    "market-act": Row(POST, OUT, NO, NO, NO),
    "market-mend": Row(POST, OUT, NO, NO, NO),
    "market-ledger": Row(GET, OUT, NO, NO, NO),
    "campaign-payments": Row(GET, OUT, NO, NO, NO),
    "payments-top-up": Row(GET, OUT, NO, NO, NO),
    "payments-mark": Row(POST, OUT, NO, NO, NO),
    "payments-file": Row(GET, OUT, NO, NO, NO),
    "payment-cancel": Row(POST, OUT, NO, NO, NO),
    "late-decide": Row(POST, OUT, NO, NO, NO),
    "report-settle": Row(POST, OUT, NO, 302, 302),
    "gold-set": Row(POST, OUT, NO, 302, 302),
    "invite-revoke": Row(POST, OUT, NO, 302, 302),
    "campaign-try": Row(GET, OUT, NO, 200, 200),
    "campaign-try-check": Row(POST, OUT, NO, 200, 200),
    "campaign-answers": Row(GET, OUT, NO, 200, 200),
    "campaign-import": Row(POST, OUT, NO, 422, 422),  # without a file
    "campaign-export": Row(GET, OUT, NO, 200, 200),
    "campaign-plots": Row(GET, OUT, NO, 200, 200),
    "campaign-plot": Row(GET, OUT, NO, 200, 200),
    "links": Row(GET, OUT, NO, 200, 200),
    "links-scores": Row(GET, OUT, NO, 404, 404),  # only who uploaded the files sees them
    "links-file": Row(GET, OUT, NO, 404, 404),
    "links-text": Row(GET, OUT, NO, 404, 404),
    "coreference": Row(GET, OUT, NO, 200, 200),
    "coreference-scores": Row(GET, OUT, NO, 404, 404),  # only who uploaded the files sees them
    "coreference-file": Row(GET, OUT, NO, 404, 404),
    "coreference-document": Row(GET, OUT, NO, 404, 404),
    "own-tasks": Row(GET, OUT, NO, 200, 200),
    "own-task-new": Row(GET, OUT, NO, 200, 200),
    "own-task-preview": Row(POST, OUT, NO, 200, 200),
    "own-task-schema": Row(GET, OUT, NO, 200, 200),
    "own-task": Row(GET, OUT, NO, 200, 200),
    "own-task-file": Row(GET, OUT, NO, 200, 200),
    "grants": Row(GET, OUT, NO, 200, 200),
    "grant": Row(GET, OUT, NO, 200, 200),
    "grant-take": Row(GET, OUT, NO, 200, 200),
    "instructions-list": Row(GET, OUT, NO, 200, 200),
    "instructions-ours": Row(POST, OUT, NO, 302, 302),
    "instructions": Row(GET, OUT, NO, 200, 200),
    "instructions-new": Row(GET, OUT, NO, 200, 200),
    # The worker's pages ask for no sign-in: the secret in the address is the key.
    "work-start": Row(POST, OUT, 302, 302, 302),
    "work-arrive": Row(GET, 200, 200, 200, 200),
    "work-join": Row(GET, 200, 200, 200, 200),
    "work": Row(GET, 200, 200, 200, 200),
    "work-welcome": Row(GET, 200, 200, 200, 200),
    "work-consent": Row(POST, 302, 302, 302, 302),
    "work-instructions": Row(GET, 200, 200, 200, 200),
    "work-practice": Row(GET, 302, 302, 302, 302),
    "work-practice-checks": Row(POST, 200, 200, 200, 200),
    "work-quiz": Row(GET, 302, 302, 302, 302),
    "work-answer": Row(GET, 302, 302, 302, 302),
    "work-turn": Row(GET, 200, 200, 200, 200),
    "work-draft": Row(POST, 200, 200, 200, 200),
    "work-back": Row(POST, 302, 302, 302, 302),
    "work-finish": Row(GET, 302, 302, 302, 302),  # asks only after an answer, and people whom a provider sent
    "work-mine": Row(GET, 200, 200, 200, 200),
    "work-correct": Row(GET, 404, 404, 404, 404),  # nothing answered yet
    "work-report": Row(GET, 200, 200, 200, 200),
    "work-payment": Row(GET, 302, 302, 302, 302),  # only for people who were invited
    "work-leave": Row(GET, 200, 200, 200, 200),
    "work-lookup": Row(GET, 404, 404, 404, 404),  # this task has none
    "lookup": Row(GET, OUT, NO, 200, 200),
    # The worker site: people without a worker id are sent to the page where they join.
    "marketplace": Row(GET, 200, 200, 200, 200),
    "marketplace-join": Row(GET, 200, 200, 200, 200),
    "marketplace-enter": Row(POST, 404, 404, 404, 404),  # the secret is the key, and this one is none
    "marketplace-submit": Row(POST, 403, 403, 403, 403),  # as above
    "marketplace-preview": Row(GET, OUT, 302, 302, 302),
    "marketplace-accept": Row(POST, OUT, 302, 302, 302),
    "marketplace-queue": Row(GET, OUT, 302, 302, 302),
    "marketplace-work": Row(GET, OUT, 302, 302, 302),
    "marketplace-return": Row(POST, OUT, 302, 302, 302),
    "marketplace-html": Row(GET, OUT, 302, 302, 302),
    "marketplace-dashboard": Row(GET, OUT, 302, 302, 302),
    "marketplace-qualifications": Row(GET, OUT, 302, 302, 302),
    "marketplace-qualification": Row(GET, OUT, 302, 302, 302),
    "marketplace-offered": Row(GET, OUT, 302, 302, 302),
    "marketplace-test": Row(GET, OUT, 302, 302, 302),
    "marketplace-messages": Row(GET, OUT, 302, 302, 302),
    "marketplace-contact": Row(GET, OUT, 302, 302, 302),
    "marketplace-report": Row(GET, OUT, 302, 302, 302),
    "marketplace-requesters": Row(GET, OUT, NO, NO, 200),
    "marketplace-requester": Row(GET, OUT, NO, NO, 200),
    "marketplace-key": Row(POST, OUT, NO, NO, 302),
    "marketplace-requests": Row(GET, OUT, NO, NO, 200),
    "marketplace-decide": Row(POST, OUT, NO, NO, 422),  # without a decision
    "marketplace-deposit": Row(POST, OUT, NO, NO, 422),  # without an amount
    "marketplace-sandbox": Row(POST, OUT, NO, NO, 422),
    "marketplace-revoke": Row(POST, OUT, NO, NO, 302),
    "marketplace-settle-report": Row(POST, OUT, NO, NO, 404),  # nothing was reported
    "mturk": Row(POST, NO, NO, NO, NO),  # the signature is the key, and there is none
    "experiments": Row(GET, OUT, NO, 200, 200),
    "experiment-new": Row(GET, OUT, NO, 200, 200),
    "machines": Row(GET, OUT, NO, 200, 200),
    "experiment": Row(GET, OUT, NO, 200, 200),
    "results-file": Row(GET, OUT, NO, 200, 200),
    "experiment-plot": Row(GET, OUT, NO, 404, 404),  # no run has finished
    "experiment-open-test": Row(POST, OUT, NO, 302, 302),
    "experiment-runs": Row(GET, OUT, NO, 200, 200),
    "experiment-setup": Row(GET, OUT, NO, 200, 200),
    "experiment-instances": Row(GET, OUT, NO, 200, 200),
    "experiment-errors": Row(GET, OUT, NO, 302, 302),  # sent on to the chosen run's
    "experiment-paper": Row(GET, OUT, NO, 200, 200),
    "experiment-cancel": Row(POST, OUT, NO, 302, 302),
    "experiment-resume": Row(POST, OUT, NO, 302, 302),
    "experiment-leave-out": Row(POST, OUT, NO, 302, 302),
    "experiment-delete": Row(GET, OUT, NO, 200, 200),
    "model-instance": Row(GET, OUT, NO, 404, 404),  # tasks are drawn by the first run
    "note-add": Row(POST, OUT, NO, 404, 404),
    "run": Row(GET, OUT, NO, 200, 200),
    "run-errors": Row(GET, OUT, NO, 200, 200),
    "run-phrases": Row(GET, OUT, NO, 200, 200),
    "run-try": Row(GET, OUT, NO, 200, 200),
    "trial": Row(GET, OUT, NO, 200, 200),
    "run-file": Row(GET, OUT, NO, 404, 404),
    "run-plot": Row(GET, OUT, NO, 404, 404),
    "run-weights": Row(GET, OUT, NO, 404, 404),
    "run-stop": Row(POST, OUT, NO, 302, 302),
    "run-resume": Row(POST, OUT, NO, 302, 302),
    "compare": Row(GET, OUT, NO, 302, 302),  # which two was not said
    "compare-plot": Row(GET, OUT, NO, 404, 404),
    "split": Row(GET, OUT, NO, 200, 200),
    "split-delete": Row(GET, OUT, NO, 200, 200),
    "split-folder": Row(GET, OUT, NO, 200, 200),
    "task-file": Row(GET, OUT, NO, 200, 200),
    "jobs": Row(GET, OUT, NO, 200, 200),
    "jobs-file": Row(GET, OUT, NO, 200, 200),
    "jobs-plot": Row(GET, OUT, NO, 200, 200),
    "start-check": Row(POST, OUT, NO, 302, 302),
    "start-upkeep": Row(POST, OUT, NO, NO, 302),
    "job": Row(GET, OUT, NO, 200, 200),
    "job-cancel": Row(POST, OUT, NO, 302, 302),
    "job-retry": Row(POST, OUT, NO, 302, 302),
    "jobs-decide": Row(POST, OUT, NO, 302, 302),
    "backup": Row(GET, OUT, NO, NO, 404),
    "account": Row(GET, OUT, 200, 200, 200),
    "account-notices": Row(POST, OUT, 302, 302, 302),
    "sign-in": Row(GET, 200, IN, IN, IN),
    "sign-out": Row(POST, 302, 302, 302, 302),
    "password-change": Row(GET, OUT, 200, 200, 200),
    "password-reset": Row(GET, 200, 200, 200, 200),
    "password-reset-sent": Row(GET, 200, 200, 200, 200),
    "password-reset-confirm": Row(GET, 200, 200, 200, 200),
    "tokens": Row(GET, OUT, 200, 200, 200),
    "token-revoke": Row(POST, OUT, 404, 404, 404),  # each only their own
    "api-corpora": Row(GET, API_OUT, NO, 200, 200),
    "api-corpus": Row(GET, API_OUT, NO, 200, 200),
    "api-corpus-jobs": Row(POST, API_OUT, NO, 415, 415),  # JSON only
    "api-problems": Row(GET, API_OUT, NO, 200, 200),
    "api-articles": Row(GET, API_OUT, NO, 200, 200),
    "api-article": Row(GET, API_OUT, NO, 200, 200),
    "api-entities": Row(GET, API_OUT, NO, 200, 200),
    "api-entity": Row(GET, API_OUT, NO, 200, 200),
    "api-backgrounds": Row(GET, API_OUT, NO, 200, 200),
    "api-background": Row(POST, API_OUT, NO, 415, 415),
    "api-instances": Row(GET, API_OUT, NO, 200, 200),
    "api-instances-lines": Row(GET, API_OUT, NO, 200, 200),
    "api-corrections": Row(GET, API_OUT, NO, 200, 200),
    "api-entity-correct": Row(POST, API_OUT, NO, 415, 415),
    "api-correction-undo": Row(POST, API_OUT, NO, 415, 415),
    "api-samples": Row(GET, API_OUT, NO, 200, 200),
    "api-sample": Row(GET, API_OUT, NO, 200, 200),
    "api-sample-import": Row(POST, API_OUT, NO, 415, 415),
    "api-sample-preview": Row(POST, API_OUT, NO, 415, 415),
    "api-sample-instances": Row(GET, API_OUT, NO, 200, 200),
    "api-sample-lines": Row(GET, API_OUT, NO, 200, 200),
    "api-own-tasks": Row(GET, API_OUT, NO, 200, 200),
    "api-own-task": Row(GET, API_OUT, NO, 200, 200),
    "api-campaigns": Row(GET, API_OUT, NO, 200, 200),
    "api-campaign": Row(GET, API_OUT, NO, 200, 200),
    "api-campaign-start": Row(POST, API_OUT, NO, 415, 415),  # JSON only
    "api-follow-ups": Row(GET, API_OUT, NO, 200, 200),
    "api-campaign-pause": Row(POST, API_OUT, NO, 200, 200),
    "api-campaign-resume": Row(POST, API_OUT, NO, 200, 200),
    "api-campaign-close": Row(POST, API_OUT, NO, 200, 200),
    "api-grants": Row(GET, API_OUT, NO, 200, 200),
    "api-grant-people": Row(GET, API_OUT, NO, 200, 200),
    "api-grant-take": Row(POST, API_OUT, NO, 415, 415),
    "api-invites": Row(GET, API_OUT, NO, 200, 200),
    "api-invite-revoke": Row(POST, API_OUT, NO, 200, 200),
    "api-annotations": Row(GET, API_OUT, NO, 200, 200),
    "agreement": Row(GET, 302, 302, 302, 302),  # sent on to the campaigns
    "agreement-campaign": Row(GET, OUT, NO, 200, 200),
    "agreement-plot": Row(GET, OUT, NO, 404, 404),  # nothing was measured
    "api-review": Row(GET, API_OUT, NO, 200, 200),
    "api-review-verdicts": Row(POST, API_OUT, NO, 415, 415),
    "api-review-score": Row(POST, API_OUT, NO, 200, 200),
    "api-review-accept": Row(POST, API_OUT, NO, 200, 200),
    "api-review-undo": Row(POST, API_OUT, NO, 409, 409),  # nothing was said
    "api-settlements": Row(GET, API_OUT, NO, 200, 200),
    "api-settlement-undo": Row(POST, API_OUT, NO, 415, 415),  # JSON only
    "api-experiments": Row(GET, API_OUT, NO, 200, 200),
    "api-experiment": Row(GET, API_OUT, NO, 200, 200),
    "api-experiment-tasks": Row(GET, API_OUT, NO, 200, 200),
    "api-split-folder": Row(GET, API_OUT, NO, 200, 200),
    "api-runs": Row(GET, API_OUT, NO, 200, 200),
    "api-run": Row(GET, API_OUT, NO, 200, 200),
    "api-me": Row(GET, API_OUT, 200, 200, 200),
    "api-jobs": Row(GET, API_OUT, NO, 200, 200),
    "api-job": Row(GET, API_OUT, NO, 200, 200),
    "api-job-cancel": Row(POST, API_OUT, NO, 202, 202),
    "api-job-retry": Row(POST, API_OUT, NO, 202, 202),
    "api-workers": Row(GET, API_OUT, NO, 200, 200),
    "api-schema": Row(GET, API_OUT, 200, 200, 200),
    "api-docs": Row(GET, OUT, 200, 200, 200),
}
DATA = {
    "release-export": {"format": "jsonl"},
    "start-check": {"queue": "default", "seconds": 1},
    "background-decide": {"action": "discard"},
    "lessons-change": {"action": "copy"},
    "lessons-delete": {"part": "quiz", "number": 0},
    "campaign-invites": {"label": "some", "capacity": 3},
    "gold-set": {"action": "unset"},
}
WITH_A_SECRET = {name for name in MATRIX if name.startswith("work") and name != "work-start"}
ROLES = {
    "anonymous": None,
    "annotator": Role.ANNOTATOR,
    "researcher": Role.RESEARCHER,
    "administrator": Role.ADMINISTRATOR,
}

# Pages of the admin: method, and what researchers and administrators get.
REVIEW: dict[str, tuple[str, int]] = {
    "review": (GET, 200),
    "review-queue": (GET, 200),
    "review-tasks": (GET, 200),
    "review-cleaning": (GET, 200),
    "review-decide": (POST, 404),  # nobody has answered
    "review-settle": (POST, 404),  # there is no such task
    "review-decide-many": (POST, 404),  # nobody takes part
    "review-undo": (POST, 302),
    "review-accept": (POST, 302),
    "review-reviewers": (POST, 422),
    "review-assess": (POST, 302),
}

ADMIN_LISTS = sorted(f"admin:{m._meta.app_label}_{m._meta.model_name}_changelist" for m in admin.site._registry)
